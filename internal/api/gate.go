package api

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// longestRetryAfter bounds what is believed of a Retry-After.
	longestRetryAfter = 24 * time.Hour
	// longestOpenWait bounds one wait of a call whose context has no deadline.
	longestOpenWait = 10 * time.Minute
)

// gate holds back every call to one base address while the service has asked
// for less (429 with Retry-After).
type gate struct {
	mu    sync.Mutex
	until time.Time
}

func (g *gate) shut(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(wait); until.After(g.until) {
		g.until = until
	}
}

func (g *gate) closedFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until)
}

// pass waits until the gate is open. It ends at once when ctx would end first.
func (g *gate) pass(ctx context.Context) error {
	for {
		wait := g.closedFor()
		if wait <= 0 {
			return nil
		}
		if outlasts(ctx, wait) {
			return &waitError{wait: wait, asked: true}
		}
		timer := time.NewTimer(wait + spread(wait))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// spread keeps callers that wait for the same moment from coming all at once.
func spread(wait time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(min(wait/10, time.Second)) + 1)) // #nosec G404 -- jitter
}

// outlasts tells whether waiting so long is pointless for a call with ctx.
func outlasts(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline) <= wait
	}
	return wait > longestOpenWait
}

// waitError ends a call whose next attempt would come too late.
type waitError struct {
	wait  time.Duration
	asked bool // the service asked for it
}

func (e *waitError) Error() string {
	wait := e.wait.Round(time.Second)
	if e.asked {
		return fmt.Sprintf("the service asks to wait %s before the next call, longer than this operation may still take", wait)
	}
	return fmt.Sprintf("no time is left for another attempt, which would come in %s", max(wait, time.Second))
}

func (e *waitError) Unwrap() error { return context.DeadlineExceeded }

// retryAfter reads the header of that name: seconds or a date. A date is held
// against the service's own clock where the answer tells it. 0: not said.
func retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds > 0) {
			return 0
		}
		if seconds >= longestRetryAfter.Seconds() {
			return longestRetryAfter
		}
		return time.Duration(seconds * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now := time.Now()
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), longestRetryAfter)
}
