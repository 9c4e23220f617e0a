package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// exchange is a call on its way through the chain, from the first attempt to the last. Each step
// returns the response, whatever its status, or an error whose text may be shown, or both if the
// error came after the response.
type exchange struct {
	Call
	client        *Client
	mask          *redact.Redactor
	url           *url.URL
	payload       []byte // the body; nil: none
	authorization string // set by authorize
	renewed       bool   // authorize has asked for a new token
	requests      int    // counted by send
	timedOut      bool   // set by send: an attempt timed out, so its connection may be dead
	mayPass       bool   // set by retryFailures: another attempt may not fail as the last one did
	ambiguous     bool   // set by retryFailures: the service may have acted on one of the requests
}

// response is a response that was read.
type response struct {
	status  int
	header  http.Header
	body    []byte
	broken  error // the body broke off
	refused bool  // the body refuses the call
	tooLong bool  // the body is longer than the limit and was not read to its end
}

func (r *response) ok() bool { return isOK(r.status) }

// fault is what went wrong in one attempt. It decides whether the attempt is repeated.
type fault struct {
	kind      retry.Kind
	ambiguous bool // the service may have acted on the request
}

// callError says why there is no response. Its text may be shown. Its cause may hold secrets: it is
// for errors.Is and errors.As only.
type callError struct {
	fault fault
	text  string
	cause error
}

// final is an error that a repeat cannot fix.
func final(text string, cause error) *callError {
	return &callError{fault: fault{kind: retry.Final}, text: text, cause: cause}
}

func (e *callError) Error() string { return e.text }
func (e *callError) Unwrap() error { return e.cause }

// ended returns why ctx ended, in words.
func ended(ctx context.Context) *callError {
	text := "the time for the operation is over"
	if errors.Is(ctx.Err(), context.Canceled) {
		text = "the operation was cancelled"
	}
	return final(text, ctx.Err())
}

// attemptTimeoutError ends one attempt, not the call.
type attemptTimeoutError struct{ after time.Duration }

func (e *attemptTimeoutError) Error() string { return fmt.Sprintf("time-out after %s", e.after) }

// Timeout tells callers that this is the time limit of a request: providers advise to raise it.
func (e *attemptTimeoutError) Timeout() bool { return true }
