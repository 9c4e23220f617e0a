package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// call is one call of the interface.
type call struct {
	op        operation
	attempted string // in words, for errors
	half      *half
	method    string
	path      string // escaped, below the base address
	query     url.Values
	body      any      // sent as JSON; nil: none
	secrets   []string // in the body, to be masked in what the service says of it
	noContent bool     // 204 is an answer
	// read takes what is wanted from an answer.
	read func(value) error
}

// exchange is a call on its way through the chain.
type exchange struct {
	*call
	url           *url.URL
	payload       []byte // nil: no body
	authorization string
	requests      int  // made so far
	renewed       bool // a new token has been asked for
	timedOut      bool // an attempt did; its connection may be dead
	ambiguous     bool // the service may have acted on one of them
}

// answer is what the service sent.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	broken  error // the body broke off
	tooLong bool  // the body is beyond the limit, and was not read to its end
}

func (a *answer) ok() bool { return a.status >= 200 && a.status <= 299 }

// handler is a step of the chain. It returns an answer, whatever its status, or
// an error, a *callError; or both, when the error came after the answer.
type handler func(context.Context, *exchange) (*answer, error)

// callError is why there is no answer, in a text fit to be shown. Its cause, for
// errors.Is and errors.As, is not to be shown.
type callError struct {
	fault fault
	text  string
	cause error
}

func (f *callError) Error() string { return f.text }
func (f *callError) Unwrap() error { return f.cause }

// newChain puts the steps together; the package comment says what each does.
func (c *Client) newChain() handler {
	h := c.send
	h = c.record(h)
	h = restate(h)
	h = c.follow(h)
	h = c.limit(h)
	h = c.throttle(h)
	h = c.authorize(h)
	return c.retry(h)
}

// do makes a call. Its error is an *Error.
func (c *Client) do(ctx context.Context, request *call) error {
	if err := request.half.ready(); err != nil {
		return c.refuse(request, err)
	}
	target, err := join(request.half.base, request.path, request.query)
	if err != nil {
		return c.refuse(request, err)
	}
	x := &exchange{call: request, url: target}
	if request.body != nil {
		if x.payload, err = json.Marshal(request.body); err != nil {
			return c.refuse(request, errors.New("the request cannot be written as JSON"))
		}
	}
	a, err := c.chain(ctx, x)
	if err != nil || !a.ok() {
		return c.failed(x, a, err)
	}
	if err := request.read(parse(a.body)); err != nil {
		x.ambiguous = true
		// It names keys, which the service chose.
		return c.failed(x, a, &shapeError{text: c.mask.With(x.secrets...).Line(strings.TrimPrefix(err.Error(), shapePrefix))})
	}
	return nil
}

// refuse is the error of a call of which no request was made.
func (c *Client) refuse(request *call, err error) *Error {
	e := &Error{Attempted: request.attempted, Method: request.method, Err: err}
	if request.half.base != nil {
		if target, err := join(request.half.base, request.path, nil); err == nil {
			e.Address = redact.Address(target)
		}
	}
	return e
}

// failed is the error of a call that was made. a is nil when there was no
// answer; err is nil when the answer is a refusal.
func (c *Client) failed(x *exchange, a *answer, err error) *Error {
	e := &Error{
		Attempted: x.attempted, Method: x.method, Address: redact.Address(x.url), Attempts: x.requests,
		// Reading changes nothing, so there is nothing to be unsure of.
		MayHaveBeenProcessed: x.ambiguous && x.method != http.MethodGet,
		Err:                  err,
	}
	if a != nil {
		e.Status = a.status
		e.StorageCode = storageCode(x.op, a)
		e.RequestID = c.requestID(a.header)
		if !a.ok() {
			e.Message = errorMessage(c.mask.With(x.secrets...), a.header.Get("Content-Type"), a.body)
		}
	}
	return e
}
