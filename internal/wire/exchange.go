package wire

import (
	"context"
	"net/http"
	"net/url"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// handler is a step of the chain. It returns the response, whatever its status, or an error whose
// text may be shown, or both if the error came after the response.
type handler func(context.Context, *exchange) (*response, error)

// exchange is a call on its way through the chain, from the first attempt to the last.
type exchange struct {
	Call
	mask          *redact.Redactor
	url           *url.URL
	payload       []byte // the body; nil: none
	authorization string // set by authorize
	renewed       bool   // authorize has asked for a new token
	requests      int    // counted by send
	timedOut      bool   // set by send: an attempt timed out, so its connection may be dead
	ambiguous     bool   // set by retryFailures: the service may have acted on one of the requests
}

// response is a response that was read.
type response struct {
	status  int
	header  http.Header
	body    []byte
	broken  error // the body broke off
	tooLong bool  // the body is longer than the limit and was not read to its end
}

func (r *response) ok() bool { return isOK(r.status) }
