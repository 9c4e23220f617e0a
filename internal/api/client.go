// Package api has the nine calls of the service (SERVICE.md) as methods on plain Go types, and the
// errors that they fail with. How a call is made is in package wire. The two PUTs to storage are
// the caller's; StorageTransport is for them.
//
// The names of fields are read exactly as they are documented. What the documentation leaves open
// is read in each of the ways that it may mean: a wrapper around the wanted object, a region as a
// string or an object, output_mode as either, and a cursor as DynamoDB writes it. Anything else is
// an error that says what was found.
package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// Config configures a Client. The calls of an API that is left out must not be made.
type Config struct {
	// LiveBaseURL and VODBaseURL are the addresses of the two APIs, as wire.ParseBaseURL gives
	// them; "": left out.
	LiveBaseURL, VODBaseURL string
	// AccessTokenID and SecretKey are the credential of the live API.
	AccessTokenID, SecretKey string
	// Token gives the identity token of the upload and batch API.
	Token credential.TokenSource
	// TokenOrigin says in a sentence where Token comes from.
	TokenOrigin string

	// Config says how the calls of both are made. Its Redactor gets to know the credentials, the
	// tokens that are sent, and the stream keys that are sent or received; nil: one of its own.
	wire.Config
}

// Client makes the calls of the service. It is safe for concurrent use. A process needs only one.
type Client struct {
	wire      *wire.Client
	live, vod *wire.Endpoint
	mask      *redact.Redactor
	origin    string // Config.TokenOrigin
}

// New makes a Client. It opens no connection, reads no file and runs no program.
func New(c Config) *Client {
	basic, bearer := credential.Basic{TokenID: c.AccessTokenID, SecretKey: c.SecretKey}, credential.Bearer{Source: c.Token}
	c.Redactor = cmp.Or(c.Redactor, redact.New())
	c.Redactor.Add(slices.Concat(basic.Secrets(), bearer.Secrets())...)
	calls := wire.New(c.Config)
	return &Client{
		wire: calls, live: calls.Endpoint(c.LiveBaseURL, basic), vod: calls.Endpoint(c.VODBaseURL, bearer), mask: c.Redactor, origin: c.TokenOrigin,
	}
}

// StorageTransport returns the transport for PUTs to presigned URLs: see wire.Client.Storage.
func (c *Client) StorageTransport() http.RoundTripper { return c.wire.Storage(c.vod) }

// ask makes a call and returns what decode reads from its response. Its error is an *Error.
func ask[T any](ctx context.Context, c *Client, attempted string, call wire.Call, decode func(body any) (T, error)) (T, error) {
	o, err := c.wire.Do(ctx, call)
	success := o.Status/100 == 2
	if err == nil && success && !o.Undone {
		var result T
		if result, err = decode(parseBody(o.Body)); err == nil {
			return result, nil
		}
		err = &shapeError{text: c.mask.Line(err.Error())} // names keys, which the service chose
		o.MayHaveBeenProcessed = call.Method != http.MethodGet
	}
	e := &Error{
		Attempted: attempted, Method: call.Method, Address: o.Address, Attempts: o.Requests, MayPass: o.MayPass, Status: o.Status,
		Message: c.mask.Line(message(o.Body)), RequestID: o.RequestID, MayHaveBeenProcessed: o.MayHaveBeenProcessed, Err: err,
	}
	if call.Endpoint == c.vod {
		e.Token = c.origin
	}
	if !success || o.Undone {
		e.StorageCode = storageCode(o.Body)
	}
	return *new(T), e
}
