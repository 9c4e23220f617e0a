package wire

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// longestWait limits one wait of a call whose context has no deadline.
const longestWait = 10 * time.Minute

// retryFailures repeats the attempt after failures that may pass.
func retryFailures(retries int, next handler) handler {
	return func(ctx context.Context, x *exchange) (*response, error) {
		interval := retry.Intervals()
		for n := 0; ; n++ {
			res, err := next(ctx, x)
			f := x.faultOf(res, err)
			if f == faultNone {
				return res, nil
			}
			x.ambiguous = x.ambiguous || f.ambiguous(res)
			if err == nil && res.ok() {
				err = x.unusable(res)
			}
			if n == retries || !x.mayRepeat(f) || ctx.Err() != nil {
				return res, err
			}
			w := wait{length: interval()}
			if f&(faultThrottled|faultUnavailable) != 0 {
				if after := retry.After(res.header); after > w.length {
					w = wait{length: after, asked: true}
				}
			}
			if why := w.sleep(ctx); why != nil {
				if ctx.Err() != nil {
					why = fmt.Errorf("it was not tried again: %w", why)
				}
				if err != nil {
					why = fmt.Errorf("%w; %w", err, why)
				}
				return res, why
			}
		}
	}
}

// wait is a wait before a request.
type wait struct {
	length time.Duration
	asked  bool // by the service
}

// sleep waits. It fails at once if ctx would end before the wait.
func (w wait) sleep(ctx context.Context) error {
	if w.outlasts(ctx) {
		return &waitError{w}
	}
	length := w.length
	if w.asked {
		// Callers that wait for the same moment must not send their requests all at once.
		length += time.Duration(rand.Int64N(int64(min(length/10, time.Second)) + 1)) // #nosec G404 -- jitter
	}
	if retry.Sleep(ctx, length) != nil {
		return ended(ctx)
	}
	return nil
}

func (w wait) outlasts(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline) <= w.length
	}
	return w.length > longestWait
}

// waitError ends a call whose next request would come too late.
type waitError struct{ wait }

func (e *waitError) Error() string {
	length := e.length.Round(time.Second)
	if e.asked {
		return fmt.Sprintf("the service asks to wait %s before the next call, longer than this operation may still take", length)
	}
	return fmt.Sprintf("no time is left for another attempt, which would come in %s", max(length, time.Second))
}

func (e *waitError) Unwrap() error { return context.DeadlineExceeded }
