package wire_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

const (
	testSecret = `s3cr&t/"k<y>+%`
	testToken  = "id-token-Zm9vYmFy/8271"
	good       = `{"data":[]}`
)

// request is a request as the service received it.
type request struct {
	*http.Request
	content string
	at      time.Time
}

// answer answers a request.
type answer func(*http.Request) (*http.Response, error)

// service is a transport that answers requests in memory, in turn, and with the last answer for
// ever.
type service struct {
	mu      sync.Mutex
	seen    []request
	answers []answer
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	seen := request{Request: r, at: time.Now()}
	if r.Body != nil {
		content, _ := io.ReadAll(r.Body)
		seen.content = string(content)
	}
	s.mu.Lock()
	s.seen = append(s.seen, seen)
	next := s.answers[min(len(s.seen), len(s.answers))-1]
	s.mu.Unlock()
	return next(r)
}

func (s *service) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// with answers with a response. header has pairs of name and value.
func with(status int, body string, header ...string) answer {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func always(status int, body string, header ...string) *service {
	return &service{answers: []answer{with(status, body, header...)}}
}

// settings are what a client for tests is made from.
type settings struct {
	wire.Config
	base  string
	token credential.TokenSource
}

func config(transport http.RoundTripper) settings {
	return settings{
		Config: wire.Config{MaxRetries: 3, UserAgent: "test/1", Transport: transport},
		base:   "https://api.example.com/edge", token: credential.StaticToken(testToken),
	}
}

// client makes calls to two endpoints with one address.
type client struct {
	*wire.Client
	live, vod *wire.Endpoint
}

func newClient(t testing.TB, s settings) *client {
	t.Helper()
	s.Redactor = redact.New(testSecret)
	base, err := wire.ParseBaseURL(s.base)
	must.Succeed(t, err)
	w := wire.New(s.Config)
	return &client{
		w, w.Endpoint(base.String(), credential.Basic{TokenID: "AKID", SecretKey: testSecret}),
		w.Endpoint(base.String(), credential.Bearer{Source: s.token}),
	}
}

// get reads something.
func (c *client) get(ctx context.Context) (wire.Outcome, error) {
	return c.Do(ctx, wire.Call{Endpoint: c.live, Method: http.MethodGet, Path: "/things"})
}

// create makes something that must not be made twice.
func (c *client) create(ctx context.Context) (wire.Outcome, error) {
	return c.Do(ctx, wire.Call{Endpoint: c.live, Method: http.MethodPost, Path: "/things", Body: map[string]string{"name": "n"}, NonIdempotent: true})
}

// presign is a POST that may be repeated, with the identity token.
func (c *client) presign(ctx context.Context) (wire.Outcome, error) {
	return c.Do(ctx, wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/urls", Body: map[string]string{"name": "n"}})
}

// quiet is for servers that are meant to fail.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
