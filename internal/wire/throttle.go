package wire

import (
	"context"
	"net/http"
	"sync"
	"time"

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

// rateLimit is the time until which the service wants no request to an address.
type rateLimit struct {
	mu    sync.Mutex
	until time.Time
}

func (l *rateLimit) extend(by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(by); until.After(l.until) {
		l.until = until
	}
}

func (l *rateLimit) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.until)
}

// wait waits until requests are wanted. The time may be extended meanwhile.
func (l *rateLimit) wait(ctx context.Context) error {
	for left := l.left(); left > 0; left = l.left() {
		if err := (wait{length: left, asked: true}).sleep(ctx); err != nil {
			return err
		}
	}
	return nil
}
