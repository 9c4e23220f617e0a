package wire

import (
	"net/url"
	"sync/atomic"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

// Endpoint is one API: its base address and its credential.
type Endpoint struct {
	base       *url.URL
	credential credential.Credential
	server     *server
	onLoopback atomic.Bool // the last connection to the service was, without a proxy
}

// local reports whether the service is on this machine, as far as it is known.
func (e *Endpoint) local() bool {
	return loopback(e.base.Hostname()) || e.onLoopback.Load()
}

// Call describes a call and how it may be made.
type Call struct {
	Endpoint *Endpoint
	Method   string
	Path     string // escaped, below the base address
	Query    url.Values
	Body     any // sent as JSON; nil: none

	// NonIdempotent marks a call that must not be processed twice. It is repeated only if the
	// service has surely done nothing, and has a connection of its own: the service may have closed
	// a kept one meanwhile, which cannot be told from a connection that broke after the request.
	// Once it has a connection, it gets four seconds for its response after its context has ended.
	NonIdempotent bool
	// Unlimited exempts every attempt from the request timeout, and gets the four seconds, too.
	Unlimited bool
	// Shown reports whether the body of a 2xx response is what was asked for. Any other response
	// may contain secrets that the Redactor does not know: of these only status, size and request
	// id are shown. nil: all are.
	Shown func(body []byte) bool
	// NoContent marks a call to which 204 is a success. Any other 2xx response has to be JSON.
	NoContent bool

	// Refusal reads the refusal in the body of a response, and the error status that a gateway in
	// front of the service writes there, 0 if there is none: it counts for a 2xx. nil: only the
	// status of the response tells.
	Refusal func(status int, body []byte) (said Refusal, inBody int)
}

// Refusal is what the body of a response says of a call.
type Refusal uint8

// The refusals.
const (
	NotRefused    Refusal = iota // the status decides
	RefusedForNow                // a 2xx response without what was asked for: a repeat may get it
	Refused                      // the same, but a repeat would get no other response
	RefusedUndone                // nothing was done, and a repeat cannot succeed, whatever the status is
)

// Outcome is what became of a call.
type Outcome struct {
	Address     string // without query
	Requests    int    // made
	MayPass     bool   // another call may not fail as this one did
	Status      int    // of the last response; 0: there was none
	Refused     bool   // by its body, whatever the status is
	ContentType string
	Body        []byte
	RequestID   string // "" if the response had none
	// MayHaveBeenProcessed says that a request that may change something reached the service,
	// perhaps, without its outcome being known: a timeout or a broken connection after it was sent,
	// a status 5xx, or a response that cannot be read.
	MayHaveBeenProcessed bool
}

// OK reports whether the last response has a status 2xx and refuses nothing.
func (o Outcome) OK() bool { return isOK(o.Status) && !o.Refused }

func isOK(status int) bool { return status >= 200 && status <= 299 }
