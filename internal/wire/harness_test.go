package wire_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

const (
	testTokenID = "AKID-5f2c9d/+x"
	testSecret  = `s3cr&t/"k<y>+%`
	testToken   = "id-token-Zm9vYmFy/8271"
	liveBase    = "https://live.example.com/edge"
	vodBase     = "https://vod.example.com"
	good        = `{"data":[]}`
)

// settings are what a client for tests is made from.
type settings struct {
	wire.Config
	LiveBaseURL, VODBaseURL string
	Token                   credential.TokenSource
}

// config returns complete settings over a transport.
func config(transport http.RoundTripper) settings {
	return settings{
		Config:      wire.Config{MaxRetries: 3, UserAgent: "test/1", Transport: transport},
		LiveBaseURL: liveBase, VODBaseURL: vodBase, Token: credential.StaticToken(testToken),
	}
}

// client makes calls to two endpoints.
type client struct {
	*wire.Client
	live, vod *wire.Endpoint
}

func newClient(t testing.TB, s settings) *client {
	t.Helper()
	basic := credential.Basic{TokenID: testTokenID, SecretKey: testSecret}
	s.Redactor = redact.New(basic.Secrets()...)
	w := wire.New(s.Config)
	return &client{w, w.Endpoint(normal(t, s.LiveBaseURL), basic), w.Endpoint(normal(t, s.VODBaseURL), credential.Bearer{Source: s.Token})}
}

// normal returns an address as ParseBaseURL gives it.
func normal(t testing.TB, address string) string {
	t.Helper()
	u, err := wire.ParseBaseURL(address)
	must.Succeed(t, err)
	return u.String()
}

// Storage returns the transport for addresses that the second endpoint gives.
func (c *client) Storage() http.RoundTripper { return c.Client.Storage(c.vod) }

// get reads something.
func (c *client) get(ctx context.Context) error {
	return c.do(ctx, wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: "/things", Query: url.Values{"q": {"1"}}})
}

// create makes something that must not be made twice.
func (c *client) create(ctx context.Context) error {
	return c.do(ctx, wire.Call{Endpoint: c.live, Method: http.MethodPost, Path: "/things", Body: map[string]string{"name": "n"}, NonIdempotent: true})
}

// presign is a POST that may be repeated, with the identity token.
func (c *client) presign(ctx context.Context) error {
	return c.do(ctx, wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/urls", Body: map[string]string{"name": "n"}})
}

// callError says that a call failed or was refused.
type callError struct {
	wire.Outcome
	err error // nil: refused
}

func (f *callError) Error() string {
	var parts []string
	if f.Status != 0 {
		parts = append(parts, strconv.Itoa(f.Status)+" "+http.StatusText(f.Status))
	}
	if !f.OK() && len(f.Body) > 0 {
		parts = append(parts, string(f.Body))
	}
	if f.err != nil {
		parts = append(parts, f.err.Error())
	}
	return strings.Join(parts, ": ")
}

func (f *callError) Unwrap() error { return f.err }

func (c *client) do(ctx context.Context, call wire.Call) error {
	o, err := c.Do(ctx, call)
	if err != nil || !o.OK() {
		return &callError{o, err}
	}
	return nil
}

// outcome returns what became of the call that failed with err.
func outcome(t testing.TB, err error) wire.Outcome {
	t.Helper()
	failed, ok := errors.AsType[*callError](err)
	if !ok {
		t.Fatalf("got %v, want a call that failed", err)
	}
	return failed.Outcome
}

// quiet is for servers that are meant to fail.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
