package wire

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// fault is what went wrong in one attempt. It decides whether the attempt is repeated.
type fault uint8

const (
	// faultNone: a whole JSON document with a status 2xx.
	faultNone fault = 0
	// faultNotSent: the connection was not made, so no byte of the request was sent.
	faultNotSent fault = 1 << (iota - 1)
	// faultThrottled: 429. The service refused the request before doing anything.
	faultThrottled
	// faultUnavailable: 503, with or without Retry-After.
	faultUnavailable
	// faultServer: 500, 502, 504.
	faultServer
	// faultLost: a timeout or a broken connection after the request was sent.
	faultLost
	// faultUnreadable: a 2xx response that breaks off or is not JSON.
	faultUnreadable
	// faultNothingDone: an error response that proves that nothing was done (Call.NothingDone).
	faultNothingDone
	// faultFinal: everything else that a repeat cannot mend: other statuses, a missing token, a
	// response beyond the limit, a context that ended.
	faultFinal
)

// callError says why there is no response. Its text may be shown. Its cause may hold secrets: it is
// for errors.Is and errors.As only.
type callError struct {
	fault fault
	text  string
	cause error
}

func (e *callError) Error() string { return e.text }
func (e *callError) Unwrap() error { return e.cause }

// ended returns why ctx ended, in words.
func ended(ctx context.Context) *callError {
	text := "the time for the operation is over"
	if errors.Is(ctx.Err(), context.Canceled) {
		text = "the operation was cancelled"
	}
	return &callError{fault: faultFinal, text: text, cause: ctx.Err()}
}

// attemptTimeoutError ends one attempt, not the call.
type attemptTimeoutError struct{ after time.Duration }

func (e *attemptTimeoutError) Error() string { return fmt.Sprintf("time-out after %s", e.after) }

// Timeout tells callers that this is the time limit of a request: providers advise to raise it.
func (e *attemptTimeoutError) Timeout() bool { return true }
