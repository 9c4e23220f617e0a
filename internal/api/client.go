package api

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// DefaultRequestTimeout bounds one attempt of a call when the Config does not.
const DefaultRequestTimeout = 30 * time.Second

// Config is what a Client is made of. Either half of the service may be left
// out; its calls then fail with ErrNotConfigured.
type Config struct {
	// LiveBaseURL and VODBaseURL are the two base addresses (interface 4), ""
	// when that half is not configured: https, or http to loopback, with an
	// optional port, path prefix and trailing slash. See ParseBaseURL.
	LiveBaseURL, VODBaseURL string
	// AccessTokenID and SecretKey are the basic credentials of the live API
	// (interface 5.1).
	AccessTokenID, SecretKey string
	// Token gives the identity token of the upload and batch API (interface
	// 5.2); nil when not configured.
	Token credential.TokenSource
	// MaxRetries is how often one call may be repeated; 0: never.
	MaxRetries int
	// RequestTimeout is for one attempt of one call, from the connection to the
	// end of the answer; 0: DefaultRequestTimeout. All attempts and the waits
	// between them are bounded by the call's context alone, and so is every
	// attempt of CompleteMultipartUpload.
	RequestTimeout time.Duration
	// UserAgent is sent with every request, to storage too.
	UserAgent string
	// RootCAs are the certificate authorities trusted; nil: the system's.
	RootCAs *x509.CertPool
	// Transport replaces the client's own transports, in tests; nil: own ones,
	// with proxies from the environment.
	Transport http.RoundTripper
	// DialContext makes the connections of the client's own transports, in
	// tests; nil: TCP connections.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client makes the calls of the service. It is safe for concurrent use, and
// meant to be one per process: calls through it wait together when the service
// asks for less, and share one identity token.
type Client struct {
	live, vod half
	timeout   time.Duration
	retries   int
	userAgent string
	mask      *redact.Redactor

	kept    http.RoundTripper // connections are kept and used again
	fresh   http.RoundTripper // a connection for each request
	storage *http.Client

	chain handler
}

// half is one of the two APIs.
type half struct {
	name       string
	base       *url.URL // nil: not configured
	gate       *gate
	credential credential.Credential
}

// New checks the configuration and makes a Client. It opens no connection.
func New(c Config) (*Client, error) {
	if c.MaxRetries < 0 {
		return nil, errors.New("the number of retries is negative")
	}
	if c.RequestTimeout < 0 {
		return nil, errors.New("the time for one request is negative")
	}
	basic, bearer := credential.Basic{TokenID: c.AccessTokenID, SecretKey: c.SecretKey}, credential.Bearer{Source: c.Token}
	if err := basic.Check(); err != nil {
		return nil, err
	}
	if strings.ContainsFunc(c.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, errors.New("the user agent holds a character that a header cannot carry")
	}
	client := &Client{
		timeout:   c.RequestTimeout,
		retries:   c.MaxRetries,
		userAgent: c.UserAgent,
		mask:      redact.New(slices.Concat(basic.Secrets(), bearer.Secrets())...),
	}
	if client.timeout == 0 {
		client.timeout = DefaultRequestTimeout
	}
	client.live = half{name: "live", credential: basic}
	client.vod = half{name: "upload and batch", credential: bearer}
	if err := client.setHalves(c); err != nil {
		return nil, err
	}
	client.kept, client.fresh = c.Transport, c.Transport
	storage := c.Transport
	if c.Transport == nil {
		client.kept, client.fresh = apiTransport(c), freshTransport(c)
		storage = storageTransport(c)
	}
	client.storage = storageClient(storage, c.UserAgent)
	client.chain = client.newChain()
	return client, nil
}

func (c *Client) setHalves(config Config) error {
	for _, h := range []struct {
		*half
		address string
	}{{&c.live, config.LiveBaseURL}, {&c.vod, config.VODBaseURL}} {
		h.gate = &gate{}
		if h.address == "" {
			continue
		}
		base, err := ParseBaseURL(h.address)
		if err != nil {
			return fmt.Errorf("the base address of the %s API: %w", h.name, err)
		}
		h.base = base
	}
	// One address behind both names is one service to be spared.
	if c.live.base != nil && c.vod.base != nil && *c.live.base == *c.vod.base {
		c.vod.gate = c.live.gate
	}
	return nil
}

// ready tells what a half needs before it can be called.
func (h *half) ready() error {
	if h.base == nil {
		return fmt.Errorf("the %s API is %w: it has no base address", h.name, ErrNotConfigured)
	}
	if missing := h.credential.Missing(); missing != "" {
		return fmt.Errorf("the %s API is %w: it needs %s", h.name, ErrNotConfigured, missing)
	}
	return nil
}

// StorageHTTP returns the client for PUTs to presigned addresses. It is apart
// from the API's: it has no credential and no cookie, and refuses a request
// that carries one; it refuses plain http but to loopback; it follows no
// redirect but returns it as the answer; and it has no time-out, because how
// long a PUT may stall is for its user to say.
func (c *Client) StorageHTTP() *http.Client { return c.storage }
