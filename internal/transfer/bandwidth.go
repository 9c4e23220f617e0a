package transfer

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// maxBurst keeps the pace even on fast lines: it is some thirty writes of the transport.
const maxBurst = 1 << 20

// newThrottle limits the bytes per second of all uploads together; nil: no limit.
func newThrottle(bytesPerSecond int64) *rate.Limiter {
	if bytesPerSecond <= 0 {
		return nil
	}
	// A tenth of a second's worth: 0.2 % of a minute's.
	return rate.NewLimiter(rate.Limit(bytesPerSecond), int(min(max(bytesPerSecond/10, 1), maxBurst)))
}

// take waits until some bytes, at most n, may be sent and says how many.
func take(ctx context.Context, throttle *rate.Limiter, n int) (int, error) {
	if throttle == nil {
		return n, nil
	}
	n = min(n, throttle.Burst())
	// Not WaitN: it fails at once if a deadline comes first. Then ctx does not have a cause yet,
	// which says whose deadline it is and what to do.
	reserved := throttle.ReserveN(time.Now(), n)
	if err := retry.Sleep(ctx, reserved.Delay()); err != nil {
		reserved.Cancel()
		return 0, err
	}
	return n, nil
}
