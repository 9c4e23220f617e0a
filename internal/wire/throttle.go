package wire

import (
	"context"
	"net/http"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// throttle holds back every call to an address while the service has asked for fewer requests.
func throttle(next handler) handler {
	return func(ctx context.Context, x *exchange) (*response, error) {
		if err := x.Endpoint.limit.wait(ctx); err != nil {
			return nil, err
		}
		res, err := next(ctx, x)
		if res != nil && res.status == http.StatusTooManyRequests {
			x.Endpoint.limit.extend(retry.After(res.header))
		}
		return res, err
	}
}
