package api

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

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
	c.Redactor.AddName(c.AccessTokenID, c.AccessTokenID+":"+c.SecretKey)
	c.Redactor.Add(slices.Concat(basic.Secrets(), bearer.Secrets())...)
	calls := wire.New(c.Config)
	return &Client{
		wire: calls, live: calls.Endpoint(c.LiveBaseURL, basic), vod: calls.Endpoint(c.VODBaseURL, bearer), mask: c.Redactor, origin: c.TokenOrigin,
	}
}

// StorageTransport returns the transport for PUTs to presigned URLs: see wire.Client.Storage.
func (c *Client) StorageTransport() http.RoundTripper { return c.wire.Storage(c.vod) }

// ask makes a call and returns what decode reads from its response. Its error is an *Error.
func ask[T any](ctx context.Context, c *Client, attempted string, call wire.Call, decode func(value) (T, error)) (T, error) {
	if call.Refusal == nil {
		call.Refusal = refusal(false, answered(decode))
	}
	o, err := c.wire.Do(ctx, call)
	if err == nil && o.OK() {
		var result T
		if result, err = decode(parseBody(o.Body)); err == nil {
			return result, nil
		}
		o.MayHaveBeenProcessed = call.Method != http.MethodGet
		// The error names keys, which the service chose.
		if ctx.Err() == nil {
			err = &shapeError{text: c.mask.Line(strings.TrimPrefix(err.Error(), shapePrefix))}
		}
	}
	e := &Error{
		Attempted: attempted, Method: call.Method, Address: o.Address, Attempts: o.Requests, MayPass: o.MayPass,
		Status: o.Status, RequestID: o.RequestID, MayHaveBeenProcessed: o.MayHaveBeenProcessed, Err: err,
	}
	if call.Endpoint == c.vod {
		e.Token = c.origin
	}
	switch {
	case o.OK() && !bytes.HasPrefix(bytes.TrimSpace(o.Body), []byte("<")): // no page, and no error of S3
		if call.Shown == nil {
			e.Message = c.mask.Line(explanation(parseBody(o.Body)))
		}
	case call.Shown != nil && len(o.Body) > 0:
		e.Message = "the text of the response is " + wire.Withheld
	default:
		e.Message = errorMessage(c.mask, o.ContentType, o.Body)
	}
	if o.Refused || !o.OK() {
		e.StorageCode = storageCode(o.Body)
	}
	return *new(T), e
}

// answered returns a function that reports whether a body has what decode reads. A refusal may be
// an empty list.
func answered[T any](decode func(value) (T, error)) func(value) bool {
	return func(v value) bool {
		if _, err := decode(v); err != nil {
			return false
		}
		o := v.object()
		return !refuses(v) && !passing(v) || slices.ContainsFunc([]string{"data", "Sessions", "regions"}, func(key string) bool {
			return !o.get(key).empty() && !saysError(o.get(key))
		})
	}
}
