// Package retry says when a request is made again, for calls of the service and PUTs to storage
// alike: whether there is another attempt, and how long to wait before it (Attempts), at which pace
// requests go to a server that refuses some of them (Limiter), for how long a host that cannot be
// reached is waited for (Host), which of its addresses are used last (Avoid), and which failures of
// a connection no repetition fixes.
package retry

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	firstInterval   = 500 * time.Millisecond
	longestInterval = 15 * time.Second
	// longestAfter bounds what is believed of a Retry-After.
	longestAfter = 24 * time.Hour
)

// Intervals returns a function that gives, call after call, the times to wait between the attempts
// of one request, without end: they double from 0.5 s to 15 s, each varied by up to 50 %.
func Intervals() func() time.Duration {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = firstInterval, longestInterval
	b.Multiplier, b.RandomizationFactor = 2, 0.5
	b.Reset()
	return b.NextBackOff
}

// After returns the time that the header Retry-After asks to wait, as seconds or as a date, and at
// most 24 hours. A date is compared with the server's own clock if the response tells it. The
// result is 0 if the header is missing or cannot be read.
func After(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds > 0) { // NaN, too
			return 0
		}
		return time.Duration(min(seconds, longestAfter.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now := time.Now()
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), longestAfter)
}

// Sleep waits for d, or until ctx ends: then it returns the cause.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// PermanentError says why a request was not sent, and never will be.
type PermanentError string

func (e PermanentError) Error() string { return string(e) }

// Permanent reports whether another attempt would fail, too: the request must not be sent, or the
// server does not speak TLS, or does not agree on how, or its certificate is not trusted.
func Permanent(err error) bool {
	if _, ok := errors.AsType[PermanentError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" { // an alert, whose type is not exported
		switch op.Err.Error() {
		case "tls: handshake failure", "tls: protocol version not supported", "tls: unrecognized name":
			return true
		}
	}
	// Only an error of the handshake has the connection. A later one means damage on the way.
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok && record.Conn != nil
}
