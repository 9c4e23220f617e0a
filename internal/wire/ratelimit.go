package wire

import (
	"context"
	"sync"
	"time"
)

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
