package transfer

import (
	"errors"
	"net/http"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	// longestAfter is the longest Retry-After that is honoured.
	longestAfter = 5 * time.Minute
	// freeRefusals is how many refused addresses (403) do not count as retries. An address may have
	// expired while its part waited for a slot.
	freeRefusals = 2
)

// retries decides what happens after a failed PUT of one part or file.
type retries struct {
	left     int
	attempts int
	refused  int
	interval func() time.Duration
}

func newRetries(most int) *retries {
	return &retries{left: max(most, 0), interval: retry.Intervals()}
}

// after returns how long to wait before the next attempt, and whether there is one.
func (r *retries) after(err error) (wait time.Duration, again bool) {
	r.attempts++
	if !transient(err) {
		return 0, false
	}
	if expired(err) && r.refused < freeRefusals {
		r.refused++
		return 0, true
	}
	if r.left == 0 || mismatch(err) {
		return 0, false
	}
	r.left--
	wait = r.interval()
	if se, ok := errors.AsType[*StatusError](err); ok {
		wait = max(wait, min(se.retryAfter, longestAfter))
	}
	return wait, true
}

// tried sets the number of attempts in the last attempt's error.
func (r *retries) tried(err error) error {
	if e, ok := errors.AsType[putError](err); ok {
		e.put().Attempts = r.attempts
	}
	return err
}

// expired reports whether storage refused the address.
func expired(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && (e.Status == http.StatusForbidden || e.Code == "ExpiredToken")
}

// mismatch reports whether storage found that the request is not the signed one. Waiting does not
// change that.
func mismatch(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status == http.StatusForbidden && e.Code == "SignatureDoesNotMatch"
}

// putError is the error of a PUT that was made.
type putError interface {
	error
	put() *failedPut
}

// transient reports whether another attempt can end better.
func transient(err error) bool {
	failed, ok := errors.AsType[putError](err)
	if !ok {
		return false
	}
	switch e := failed.(type) {
	case *StatusError:
		return transientStatus(e)
	case *connectionError:
		return !retry.Permanent(e.err)
	default:
		return true
	}
}

// lost reports whether the connection failed, so that another PUT should use another one.
func lost(err error) bool {
	_, stalled := errors.AsType[*StallError](err)
	_, broken := errors.AsType[*connectionError](err)
	return stalled || broken
}

func transientStatus(e *StatusError) bool {
	switch e.Status {
	case http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	case http.StatusBadRequest:
		// The content came too slowly or broke off, or the credentials that signed the address have
		// expired.
		return e.Code == "RequestTimeout" || e.Code == "IncompleteBody" || e.Code == "ExpiredToken"
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	// A part PUT must be answered with 200, so any other 2xx is a failure.
	return e.Status >= 500 || e.Status >= 200 && e.Status <= 299
}
