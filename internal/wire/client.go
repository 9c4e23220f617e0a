package wire

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// defaultRequestTimeout limits one attempt of a call unless the Config does.
const defaultRequestTimeout = 30 * time.Second

// Config configures a Client.
type Config struct {
	// MaxRetries is how often one call may be repeated because of an answer that is no success, or
	// of none; 0: never. Requests that got no connection, and those refused with 429 or 503, do not
	// count.
	MaxRetries int
	// RequestTimeout is for one attempt, from the connection to the end of the response; 0: 30
	// seconds. The call as a whole is limited by its context only.
	RequestTimeout time.Duration
	// UserAgent is sent with every request, also to storage.
	UserAgent string
	// RootCAs are the trusted certificate authorities; nil: the system's.
	RootCAs *x509.CertPool
	// Transport replaces all transports of the client, in tests; nil: own transports, with proxies
	// from the environment.
	Transport http.RoundTripper
	// DialContext makes the connections of the client's own transports, in tests; nil: TCP
	// connections.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// Lookup finds the addresses of storage by its name, in tests; nil: the system's resolver, or
	// none with DialContext.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Redactor masks what is logged and the texts of errors. It is required. The client adds the
	// tokens that it sends.
	Redactor *redact.Redactor
}

// Client makes calls. It is safe for concurrent use. A process needs only one: its calls share
// the pace at which the service takes requests, and one identity token.
type Client struct {
	config  Config
	kept    http.RoundTripper // keeps its connections
	fresh   http.RoundTripper // makes a connection for each request
	storage storageGuard
	servers map[string]*server // by base address
}

// New makes a Client.
func New(c Config) *Client {
	client := &Client{
		config: c, kept: c.Transport, fresh: c.Transport, servers: map[string]*server{},
		storage: storageGuard{kept: c.Transport, fresh: c.Transport, userAgent: c.UserAgent},
	}
	if c.Transport == nil {
		client.kept, client.fresh = callTransports(c)
		client.storage.kept, client.storage.fresh = storageTransports(c)
	}
	return client
}

// Storage returns the transport for PUTs to presigned URLs that an Endpoint gives. It refuses a
// request with a credential or a cookie, and plain http unless the Endpoint uses it, to loopback
// addresses. Unless the Endpoint is on this machine, it makes no connections to this machine or its
// link: the address that is dialled decides, not the name. It has no time limit.
func (c *Client) Storage(service *Endpoint) http.RoundTripper {
	guard := c.storage
	guard.service = service
	return &guard
}

// Endpoint returns the API at an address as ParseBaseURL gives it, in text. Endpoints with the same
// address share the pace at which the service takes requests. All endpoints are made before the
// first call. One with the address "" must not be called.
func (c *Client) Endpoint(address string, credential credential.Credential) *Endpoint {
	base, _ := url.Parse(address)
	if c.servers[address] == nil {
		c.servers[address] = &server{limiter: retry.NewLimiter()}
	}
	return &Endpoint{base: base, credential: credential, server: c.servers[address]}
}

// Do makes a call. Without an error the service has answered, with a status 2xx and a whole JSON
// document or with a refusal. The text of an error holds no secret.
func (c *Client) Do(ctx context.Context, call Call) (Outcome, error) {
	x := &exchange{Call: call, client: c, mask: c.config.Redactor, url: join(call.Endpoint.base, call.Path)}
	o := Outcome{Address: redact.Address(x.url)}
	x.url.RawQuery = call.Query.Encode()
	if call.Body != nil {
		var err error
		if x.payload, err = json.Marshal(call.Body); err != nil {
			return o, errors.New("the request cannot be written as JSON")
		}
	}
	res, err := x.retryFailures(ctx)
	o.Requests, o.MayPass, o.MayHaveBeenProcessed = x.requests, x.mayPass, x.ambiguous && call.Method != http.MethodGet
	if res != nil {
		o.Status, o.Refused, o.ContentType, o.Body = res.status, res.refused, res.header.Get("Content-Type"), res.body
		o.RequestID = requestID(x.mask, res.header)
	}
	return o, err
}
