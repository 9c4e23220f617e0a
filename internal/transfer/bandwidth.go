package transfer

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// throttle limits the bytes per second of all uploads together. A nil throttle has no limit.
type throttle struct {
	limiter *rate.Limiter
	burst   int
}

// maxBurst keeps the pace even on fast lines: it is some thirty writes of the transport.
const maxBurst = 1 << 20

func newThrottle(bytesPerSecond int64) *throttle {
	if bytesPerSecond <= 0 {
		return nil
	}
	// A tenth of a second's worth: 0.2 % of a minute's.
	burst := int(min(max(bytesPerSecond/10, 1), maxBurst))
	return &throttle{limiter: rate.NewLimiter(rate.Limit(bytesPerSecond), burst), burst: burst}
}

// take waits until some bytes, at most n, may be sent and says how many.
func (t *throttle) take(ctx context.Context, n int) (int, error) {
	if t == nil {
		return n, nil
	}
	n = min(n, t.burst)
	// Not WaitN: it fails at once if a deadline comes first. Then ctx does not have a cause yet, which
	// says whose deadline it is and what to do.
	reserved := t.limiter.ReserveN(time.Now(), n)
	if err := retry.Sleep(ctx, reserved.Delay()); err != nil {
		reserved.Cancel()
		return 0, err
	}
	return n, nil
}
