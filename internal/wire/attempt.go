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

// restate replaces the status of a 2xx response by the error status in its body: a gateway in front
// of the service may send {"statusCode": 400} with 200. All steps around it, such as retries, then
// see an error response.
func restate(next handler) handler {
	return func(ctx context.Context, x *exchange) (*response, error) {
		res, err := next(ctx, x)
		if err == nil && x.StatusInBody != nil && res.ok() && !res.tooLong && res.broken == nil {
			if status := x.StatusInBody(res.body); status != 0 {
				res.status = status
			}
		}
		return res, err
	}
}
