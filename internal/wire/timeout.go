package wire

import (
	"context"
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
