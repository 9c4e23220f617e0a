// Package retry says when a request is made again, for calls of the service and PUTs to storage
// alike: whether there is another attempt, and how long to wait before it.
package retry

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	firstInterval   = 500 * time.Millisecond
	longestInterval = 15 * time.Second
	longestBusy     = 2 * time.Second // of a request that was refused because there are too many: the others wait, too
	secondsMost     = 1e9             // of a Retry-After
	// longestWait is the longest wait in an operation without a time limit.
	longestWait = 10 * time.Minute
	// FirstContact is how long connections are tried to a host to which none was made before: its
	// name or port is most likely wrong.
	FirstContact = 10 * time.Second
	// Outage is how long a host may be away that was reached before, and how long a server may
	// refuse requests with 429 in an operation without a time limit.
	Outage = 2 * time.Minute
)

// Kind is how an attempt ended, as far as it decides about the next one.
type Kind uint8

// The kinds.
const (
	Done      Kind = iota
	Final          // another attempt would end like this one
	Busy           // the server refuses requests because there are too many: time limits the attempts
	Unreached      // no connection was made: time limits the attempts
	Failed         // anything else: the number of attempts is limited
)

// OfStatus returns the kind of an error status that came with a Retry-After; 0: with none.
func OfStatus(status int, after time.Duration) Kind {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && after > 0:
		return Busy
	case status >= http.StatusInternalServerError && status != http.StatusNotImplemented, status == http.StatusRequestTimeout:
		return Failed
	}
	return Final
}

// Host is what this process knows of a host: whether it was reached. It is safe for concurrent use.
type Host struct{ reached atomic.Bool }

// Reached notes that a connection was made.
func (h *Host) Reached() { h.reached.Store(true) }

// Failure is an attempt that was not done.
type Failure struct {
	Kind  Kind
	Began time.Time     // when the attempt began
	After time.Duration // that the server asks to wait (Retry-After)
	Host  *Host         // Unreached: which could not be reached
}

// Attempts decides about the attempts of one request.
type Attempts struct {
	retries  int // left
	interval func() time.Duration
	since    time.Time // when the first of the latest attempts began that were all refused, or got no connection
	kind     Kind      // of these attempts
}

// NewAttempts allows so many retries. Attempts after a refusal for too many requests, or without a
// connection, are none.
func NewAttempts(retries int) *Attempts { return &Attempts{retries: retries, interval: Intervals()} }

// Next returns how long to wait before the next attempt, and false if there is none, or no time for
// it.
func (a *Attempts) Next(ctx context.Context, f Failure) (wait time.Duration, again bool) {
	wait = max(a.interval(), f.After)
	end, limited := ctx.Deadline()
	if f.Kind != a.kind {
		a.kind, a.since = f.Kind, f.Began
	}
	lasted := time.Since(a.since)
	switch f.Kind {
	case Busy:
		again, wait = limited || lasted < Outage, max(min(wait, longestBusy), f.After)
	case Unreached:
		patience := FirstContact
		if f.Host.reached.Load() {
			patience = Outage
		}
		again, wait = lasted < patience, min(wait, patience-lasted)
	case Failed:
		a.retries--
		again = a.retries >= 0
	case Done, Final:
	}
	return wait, again && (limited && time.Until(end) > wait || !limited && wait <= longestWait)
}

// Intervals returns a function that gives, call after call, the times to wait between the attempts
// of one request: they double from 0.5 s to 15 s, each varied by up to 50 %.
func Intervals() func() time.Duration {
	next := firstInterval
	return func() time.Duration {
		interval := next
		next = min(2*next, longestInterval)
		return interval/2 + rand.N(interval) // #nosec G404 -- no secret
	}
}

// After returns the time that the header Retry-After asks to wait, as seconds or as a date. The
// result is 0 if the header is missing or cannot be read.
func After(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, secondsMost) * float64(time.Second))
	}
	at, _ := http.ParseTime(value) // long ago if it is none
	return max(time.Until(at), 0)
}

// Sleep waits for d, or until ctx ends: then it returns the cause.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// PermanentError says why a request was not sent, and never will be.
type PermanentError string

func (e PermanentError) Error() string { return string(e) }

// Permanent reports whether no connection will ever be made: the request must not be sent, the name
// of the host is not known, or the server does not speak TLS or has a wrong certificate.
func Permanent(err error) bool {
	_, refused := errors.AsType[PermanentError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	record, noTLS := errors.AsType[tls.RecordHeaderError](err)
	lookup, isLookup := errors.AsType[*net.DNSError](err)
	// Only an error of the handshake has the connection. A later one means damage on the way.
	return refused || untrusted || noTLS && record.Conn != nil || isLookup && lookup.IsNotFound
}
