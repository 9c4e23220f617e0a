// Package wire makes calls of an HTTP API with JSON bodies. It knows how a request is
// authenticated, sent, timed out, logged and repeated. It does not know any call of the service: a
// Call describes one. It also has the transport for the PUTs to storage, which carry no credential.
//
// Limits: a response is read up to 16 MiB. No redirect is followed. Neither New nor Endpoint opens
// a connection, reads a file or runs a program; the first call does.
package wire

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// Config configures a Client.
type Config struct {
	// MaxRetries is how often one call may be repeated because of an answer that is no success, or
	// of none. Requests that got no connection, and those refused because there are too many, do
	// not count.
	MaxRetries int
	// RequestTimeout is for one attempt; 0: 30 seconds. The call as a whole is limited by its
	// context only.
	RequestTimeout time.Duration
	// UserAgent is sent with every request, also to storage.
	UserAgent string
	// RootCAs are the trusted certificate authorities; nil: the system's.
	RootCAs *x509.CertPool
	// Redactor masks what is logged and the texts of errors. It is required. The client adds the
	// tokens that it sends.
	Redactor *redact.Redactor

	// Transport replaces all transports of the client, in tests. DialContext makes the connections
	// of the client's own transports, and Lookup finds the addresses of storage by its name.
	Transport   http.RoundTripper
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	Lookup      func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Client makes calls. It is safe for concurrent use.
type Client struct {
	config               Config
	kept, fresh, storage http.RoundTripper // see newTransports
}

// New makes a Client.
func New(c Config) *Client {
	c.RequestTimeout = cmp.Or(c.RequestTimeout, 30*time.Second)
	if c.Transport != nil {
		return &Client{c, c.Transport, c.Transport, c.Transport}
	}
	kept, fresh, storage := newTransports(c)
	return &Client{c, kept, fresh, storage}
}

// Endpoint is one API: its base address and its credential.
type Endpoint struct {
	base       *url.URL
	credential credential.Credential
	host       retry.Host
}

// Endpoint returns the API at an address as ParseBaseURL gives it, in text. One with the address ""
// must not be called.
func (c *Client) Endpoint(address string, credential credential.Credential) *Endpoint {
	base, _ := url.Parse(address)
	return &Endpoint{base: base, credential: credential}
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
	NonIdempotent bool
	// Unlimited exempts every attempt from the request timeout.
	Unlimited bool
	// NoContent marks a call to which 204 is a success. Any other 2xx response has to be JSON.
	NoContent bool
	// Undone reports whether a body says that nothing was done and that no repetition can succeed,
	// whatever the status is; nil: none does.
	Undone func(body []byte) bool
}

// Outcome is what became of a call.
type Outcome struct {
	Address   string // without query
	Requests  int    // made
	Status    int    // of the last response; 0: there was none
	Body      []byte
	RequestID string // "" if the response had none
	MayPass   bool   // another call may not fail as this one did
	Undone    bool   // see Call
	// MayHaveBeenProcessed says that a request that may change something reached the service,
	// perhaps, without its outcome being known: a timeout or a broken connection after it was sent,
	// a status 5xx, or a response that cannot be read.
	MayHaveBeenProcessed bool
}

// Do makes a call, and repeats it after failures that may pass. Without an error the service has
// answered: with a status 2xx and JSON, or with an error status. The text of an error holds no
// secret.
func (c *Client) Do(ctx context.Context, call Call) (Outcome, error) {
	x := &exchange{Call: call, client: c, mask: c.config.Redactor, url: join(call.Endpoint.base, call.Path)}
	x.outcome.Address = redact.Address(x.url)
	x.url.RawQuery = call.Query.Encode()
	if call.Body != nil {
		x.payload, _ = json.Marshal(call.Body) // maps and structs of texts
	}
	if err := x.authorize(ctx); err != nil {
		return x.outcome, err
	}
	attempts, renewed := retry.NewAttempts(c.config.MaxRetries), false
	for {
		f, err := x.attempt(ctx)
		x.outcome.MayPass = f.Kind != retry.Done && f.Kind != retry.Final
		x.outcome.MayHaveBeenProcessed = x.outcome.MayHaveBeenProcessed || f.ambiguous && call.Method != http.MethodGet
		if x.outcome.Status == http.StatusUnauthorized && !renewed && call.Endpoint.credential.Renewable() {
			renewed = true
			if err := x.authorize(ctx); err != nil {
				return x.outcome, err
			}
			continue
		}
		wait, again := attempts.Next(ctx, f.Failure)
		if !again || ctx.Err() != nil || call.NonIdempotent && f.ambiguous {
			return x.outcome, err
		}
		if retry.Sleep(ctx, wait) != nil {
			return x.outcome, ended(ctx)
		}
	}
}

// exchange is a call and what became of it so far.
type exchange struct {
	Call
	client        *Client
	mask          *redact.Redactor
	url           *url.URL
	payload       []byte // nil: none
	authorization string
	outcome       Outcome
}

// authorize sets the credential: another one than it has, because that was answered with 401.
func (x *exchange) authorize(ctx context.Context) error {
	header, err := x.Endpoint.credential.Header(ctx, x.authorization)
	if err != nil && ctx.Err() != nil {
		return ended(ctx)
	}
	if err != nil {
		return &callError{x.mask.Line(err.Error()), err}
	}
	x.mask.Add(header)
	x.authorization = header
	return nil
}
