package wire

import (
	"context"
	"fmt"
	"time"
)

// limitTime limits the time of one attempt.
func limitTime(limit time.Duration, next handler) handler {
	return func(ctx context.Context, x *exchange) (*response, error) {
		if x.Unlimited {
			return next(ctx, x)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, limit, &attemptTimeoutError{limit})
		defer cancel()
		return next(ctx, x)
	}
}

// attemptTimeoutError ends one attempt, not the call.
type attemptTimeoutError struct{ after time.Duration }

func (e *attemptTimeoutError) Error() string { return fmt.Sprintf("time-out after %s", e.after) }

// Timeout tells callers that this is the time limit of a request: providers advise to raise it.
func (e *attemptTimeoutError) Timeout() bool { return true }
