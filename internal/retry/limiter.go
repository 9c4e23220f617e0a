package retry

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	firstRate = 8.                     // requests per second after the first refusal, which does not tell what is allowed
	leastRate = 1. / 5                 // requests per second
	doubling  = 300 * time.Millisecond // of the rate, while the limit is not known
	step      = 1.25                   // factor of the rate for one accepted request, at most, while the limit is not known
	rise      = 1. / 64                // of the limit, by which the rate rises in a second
	below     = 0.9                    // of the limit, from where the rate rises
	enough    = 3                      // accepted requests that tell a rate
)

// Limiter paces the requests to a server that refuses some of them because there are too many (429
// or 503). Until the first refusal no request waits. Then all requests are spaced: each refusal
// lowers the rate by a factor, and each accepted request raises it a little.
//
// Most servers use a token bucket, which is empty when they refuse. So the number of requests that
// they accept between two refusals tells the rate that they allow, and the Limiter continues a
// little below it.
//
// It is safe for concurrent use.
type Limiter struct {
	turn chan struct{} // has an element while a request waits for its turn; the others queue
	rate *rate.Limiter

	mu       sync.Mutex
	until    time.Time // no request before it: Retry-After
	lowered  time.Time // when the rate was lowered; a refusal of a request that began before it lowers nothing
	accepted float64   // requests that began after that
	limit    float64   // requests per second that seem to be allowed; 0: not known
	refusing time.Time // the first refusal after the latest accepted request; zero: there is none
}

// NewLimiter returns a Limiter that limits nothing yet.
func NewLimiter() *Limiter {
	return &Limiter{turn: make(chan struct{}, 1), rate: rate.NewLimiter(rate.Inf, 1)}
}

// state returns for how long the server wants no requests, and when the rate was lowered.
func (l *Limiter) state() (held time.Duration, lowered time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(time.Until(l.until), 0), l.lowered
}

// Wait waits for the turn of a request and returns when that began, for Accepted and Refused. allow
// may end the wait: it is called with the time for which the server wants no requests.
func (l *Limiter) Wait(ctx context.Context, allow func(held time.Duration) error) (began time.Time, err error) {
	held, _ := l.state()
	if err := allow(held); err != nil {
		return time.Time{}, err
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return time.Time{}, context.Cause(ctx)
	}
	for {
		held, lowered := l.state()
		if err := allow(held); err != nil {
			return time.Time{}, err
		}
		wait := held
		if held == 0 {
			wait = l.rate.Reserve().Delay()
		}
		if err := Sleep(ctx, wait); err != nil {
			return time.Time{}, err
		}
		// The reservation was made at a rate that may be too high by now.
		if held, now := l.state(); held == 0 && now.Equal(lowered) {
			return time.Now(), nil
		}
	}
}

// Accepted notes that the server did not refuse a request.
func (l *Limiter) Accepted(began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusing = time.Time{}
	if l.lowered.IsZero() || began.Before(l.lowered) {
		return
	}
	l.accepted++
	now := float64(l.rate.Limit())
	if known := now >= l.limit && now <= 2*l.limit; known {
		now += rise * l.limit / now
	} else {
		now *= min(step, 1+math.Ln2/doubling.Seconds()/now)
	}
	l.rate.SetLimit(rate.Limit(now))
}

// Refused notes that the server refused a request, and that it wants no requests for some time; 0:
// it did not say so. It returns for how long the server has refused every request.
func (l *Limiter) Refused(began time.Time, held time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if until := now.Add(held); until.After(l.until) {
		l.until = until
	}
	if l.refusing.IsZero() {
		l.refusing = now
	}
	if !began.Before(l.lowered) {
		l.lower(began, now)
	}
	return now.Sub(l.refusing)
}

func (l *Limiter) lower(began, now time.Time) {
	was, next := float64(l.rate.Limit()), firstRate
	switch {
	case l.lowered.IsZero():
	case l.accepted >= enough:
		next = below * min(l.accepted/began.Sub(l.lowered).Seconds(), was)
		l.limit = max(next, was/2) // what was accepted at a much lower rate tells little
	default:
		next = was / 2
	}
	l.rate.SetLimit(rate.Limit(max(next, leastRate)))
	l.rate.Allow() // the next request waits
	l.lowered, l.accepted = now, 0
}
