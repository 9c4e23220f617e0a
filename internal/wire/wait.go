package wire

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// throttle holds back every call to an address while the service has asked for fewer requests.
func (x *exchange) throttle(ctx context.Context) (*response, error) {
	if err := x.Endpoint.limit.wait(ctx); err != nil {
		return nil, err
	}
	res, err := x.limitTime(ctx)
	if res != nil && res.status == http.StatusTooManyRequests {
		x.Endpoint.limit.extend(retry.After(res.header))
	}
	return res, err
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

// wait waits until requests are wanted. The time may be extended meanwhile.
func (l *rateLimit) wait(ctx context.Context) error {
	for {
		l.mu.Lock()
		left := time.Until(l.until)
		l.mu.Unlock()
		if left <= 0 {
			return nil
		}
		if err := wait(ctx, left, true); err != nil {
			return err
		}
	}
}

// longestWait limits one wait of a call whose context has no deadline.
const longestWait = 10 * time.Minute

// wait waits before a request, as long as the service asked for or the retries do. It fails at once
// if ctx would end before the wait.
func wait(ctx context.Context, length time.Duration, asked bool) error {
	deadline, limited := ctx.Deadline()
	if limited && time.Until(deadline) <= length || !limited && length > longestWait {
		shown := length.Round(time.Second)
		text := fmt.Sprintf("no time is left for another attempt, which would come in %s", max(shown, time.Second))
		if asked {
			text = fmt.Sprintf("the service asks to wait %s before the next call, longer than this operation may still take", shown)
		}
		return &callError{fault: faultFinal, text: text, cause: context.DeadlineExceeded}
	}
	if asked {
		// Callers that wait for the same moment must not send their requests all at once.
		length += rand.N(min(length/10, time.Second) + 1) // #nosec G404 -- jitter
	}
	if retry.Sleep(ctx, length) != nil {
		return ended(ctx)
	}
	return nil
}
