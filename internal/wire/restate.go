package wire

import "context"

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
