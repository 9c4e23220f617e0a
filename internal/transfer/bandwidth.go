package transfer

import (
	"context"

	"golang.org/x/time/rate"
)

// throttle limits the bytes per second of all uploads together. nil limits nothing.
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
	// Not WaitN: it refuses at once what a deadline would not allow, and calls
	// that something else than the deadline.
	if err := t.limiter.WaitN(ctx, n); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return 0, cause
		}
		return 0, context.DeadlineExceeded
	}
	return n, nil
}
