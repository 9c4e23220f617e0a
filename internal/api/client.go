package api

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

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
	Token TokenSource
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
	name string
	base *url.URL // nil: not configured
	gate *gate
	// missing says what its credential lacks; "" when it is there.
	missing    string
	credential credential
}

// New checks the configuration and makes a Client. It opens no connection.
func New(c Config) (*Client, error) {
	if c.MaxRetries < 0 {
		return nil, errors.New("the number of retries is negative")
	}
	if c.RequestTimeout < 0 {
		return nil, errors.New("the time for one request is negative")
	}
	if err := CheckBasicCredentials(c.AccessTokenID, c.SecretKey); err != nil {
		return nil, err
	}
	if !printable(c.UserAgent) {
		return nil, errors.New("the user agent holds a character that a header cannot carry")
	}
	client := &Client{
		timeout:   c.RequestTimeout,
		retries:   c.MaxRetries,
		userAgent: c.UserAgent,
		mask:      redact.New(c.AccessTokenID, c.SecretKey, c.AccessTokenID+":"+c.SecretKey),
	}
	if client.timeout == 0 {
		client.timeout = DefaultRequestTimeout
	}
	if token, fixed := c.Token.(staticToken); fixed {
		client.mask.Add(string(token))
	}
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
	c.live = half{name: "live", credential: basic{config.AccessTokenID, config.SecretKey}}
	var missing []string
	if config.AccessTokenID == "" {
		missing = append(missing, "an access token id")
	}
	if config.SecretKey == "" {
		missing = append(missing, "a secret key")
	}
	c.live.missing = strings.Join(missing, " and ")
	c.vod = half{name: "upload and batch", credential: bearer{config.Token}}
	if config.Token == nil {
		c.vod.missing = "an identity token"
	}
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
	if h.missing != "" {
		return fmt.Errorf("the %s API is %w: it needs %s", h.name, ErrNotConfigured, h.missing)
	}
	return nil
}

// StorageHTTP returns the client for PUTs to presigned addresses. It is apart
// from the API's: it has no credential and no cookie, and refuses a request
// that carries one; it refuses plain http but to loopback; it follows no
// redirect but returns it as the answer; and it has no time-out, because how
// long a PUT may stall is for its user to say.
func (c *Client) StorageHTTP() *http.Client { return c.storage }
