package retry

import (
	"context"
	"net/http"
	"time"
)

// Kind is how an attempt ended, as far as it decides about the next one.
type Kind uint8

// The kinds.
const (
	Done      Kind = iota
	Final          // another attempt would end like this one
	Busy           // the server refuses requests because there are too many: its pace limits the attempts, not their number
	Unreached      // no connection was made: time limits the attempts
	Failed         // anything else: the number of attempts is limited
)

// OfStatus returns the kind of an error status. A 408 may be that of a gateway, and content
// delivery networks have statuses of their own above 504, such as 524 for a time-out.
func OfStatus(status int) Kind {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return Busy
	case status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		return Final
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout:
		return Failed
	}
	return Final
}

// Failure is an attempt that was not done.
type Failure struct {
	Kind    Kind
	After   time.Duration // that the server asks to wait (Retry-After)
	Refused time.Duration // Busy: for how long the server has refused every request
	Left    time.Duration // Unreached: for how long attempts may still be made
}

// Attempts decides about the attempts of one request.
type Attempts struct {
	retries  int // left
	interval func() time.Duration
}

// NewAttempts allows so many retries. Attempts after a refusal for too many requests, or without a
// connection, are none.
func NewAttempts(retries int) *Attempts {
	return &Attempts{retries: retries, interval: Intervals()}
}

// Next returns how long to wait before the next attempt, and false if there is none. A request with
// a deadline waits for a busy server until then, and its Limiter says how long.
func (a *Attempts) Next(ctx context.Context, f Failure) (wait time.Duration, again bool) {
	switch f.Kind {
	case Busy:
		_, limited := ctx.Deadline()
		return 0, limited || f.Refused < Outage
	case Unreached:
		return min(a.interval(), f.Left), f.Left > 0
	case Failed:
		a.retries--
		return max(a.interval(), f.After), a.retries >= 0
	case Done, Final:
	}
	return 0, false
}
