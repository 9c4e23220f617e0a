package wire_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// newServer starts a server that closes the connection of each POST without an answer if it hangs
// up. It returns the numbers of requests and of connections, by method.
func newServer(t *testing.T, hangsUp bool) (base string, requests, connections func(method string) int) {
	t.Helper()
	var mu sync.Mutex
	seen := map[string][]string{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Method] = append(seen[r.Method], r.RemoteAddr)
		mu.Unlock()
		if hangsUp && r.Method == http.MethodPost {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, good)
	}))
	server.Config.ErrorLog = quiet()
	server.Start()
	t.Cleanup(server.Close)
	count := func(method string, distinct bool) int {
		mu.Lock()
		defer mu.Unlock()
		from := map[string]bool{}
		for _, address := range seen[method] {
			from[address] = true
		}
		if distinct {
			return len(from)
		}
		return len(seen[method])
	}
	return server.URL, func(m string) int { return count(m, false) }, func(m string) int { return count(m, true) }
}

// overWire is a configuration that uses the client's own transports.
func overWire(base string) settings {
	c := config(nil)
	c.base, c.MaxRetries = base, 1
	return c
}

// TestOnceMeansOnce breaks the connection when a create is sent. Neither net/http nor the client
// may send it again.
func TestOnceMeansOnce(t *testing.T) {
	t.Parallel()
	base, requests, _ := newServer(t, true)
	client := newClient(t, overWire(base))
	_, err := client.get(t.Context())
	must.Succeed(t, err)
	o, err := client.create(t.Context())
	if err == nil || !o.MayHaveBeenProcessed || requests(http.MethodPost) != 1 {
		t.Errorf("%d requests, %+v, %v", requests(http.MethodPost), o, err)
	}
}

// TestOnceUsesNoKeptConnection: no create fails because the service closes idle connections.
func TestOnceUsesNoKeptConnection(t *testing.T) {
	t.Parallel()
	base, _, connections := newServer(t, false)
	client := newClient(t, overWire(base))
	for range 3 {
		_, err := client.get(t.Context())
		must.Succeed(t, err)
		_, err = client.create(t.Context())
		must.Succeed(t, err)
	}
	if gets, posts := connections(http.MethodGet), connections(http.MethodPost); gets != 1 || posts != 3 {
		t.Errorf("%d connections for three reads, %d for three creates", gets, posts)
	}
}

// TestGrace: after Ctrl-C, a create that is on the wire gets four seconds for its answer, and a
// read none.
func TestGrace(t *testing.T) {
	t.Parallel()
	for answersAfter, arrives := range map[time.Duration]bool{4 * time.Second: true, 6 * time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{answers: []answer{func(r *http.Request) (*http.Response, error) {
				select {
				case <-time.After(answersAfter):
					return with(200, good)(r)
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
			}}}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			client := newClient(t, config(s))
			o, err := client.create(ctx)
			if (err == nil) != arrives || err != nil && (!errors.Is(err, context.Canceled) || !o.MayHaveBeenProcessed) {
				t.Errorf("after %s: %+v, %v", answersAfter, o, err)
			}
			ctx, cancel = context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			begun := time.Now()
			if _, err := client.get(ctx); !errors.Is(err, context.Canceled) || time.Since(begun) != time.Second {
				t.Errorf("a read ended after %s: %v", time.Since(begun), err)
			}
			if o, err := client.create(ctx); !errors.Is(err, context.Canceled) || o.Requests != 0 || o.MayHaveBeenProcessed {
				t.Errorf("%+v, %v; want a call that was not made", o, err)
			}
		})
	}
}

// TestTLS: a wrong certificate, or none, fails at once, before anything is sent.
func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, good) }))
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for name, test := range map[string]struct {
		base  string
		roots *x509.CertPool
		want  string
	}{
		"trusted":           {server.URL, roots, ""},
		"unknown authority": {server.URL, x509.NewCertPool(), "certificate signed by unknown authority"},
		"another name":      {strings.Replace(server.URL, "127.0.0.1", "localhost", 1), roots, "certificate is valid for example.com"},
		"no TLS":            {strings.Replace(plain.URL, "http:", "https:", 1), roots, "does not look like a TLS handshake"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := overWire(test.base)
			c.RootCAs = test.roots
			o, err := newClient(t, c).create(t.Context())
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || o.MayHaveBeenProcessed || o.Requests != 1 {
				t.Errorf("got %+v, %v, want %q", o, err, test.want)
			}
		})
	}
}

// silentConn can go silent, as a connection does that a NAT or VPN has forgotten.
type silentConn struct {
	net.Conn
	silent *atomic.Bool
}

func (c silentConn) Write(b []byte) (int, error) {
	if c.silent.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// TestASilentConnection: the retry after a time-out is made over a new connection.
func TestASilentConnection(t *testing.T) {
	t.Parallel()
	base, requests, connections := newServer(t, false)
	c := overWire(base)
	c.RequestTimeout = 200 * time.Millisecond
	var all []*atomic.Bool
	c.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		all = append(all, &atomic.Bool{})
		return silentConn{conn, all[len(all)-1]}, err
	}
	client := newClient(t, c)
	_, err := client.get(t.Context())
	must.Succeed(t, err)
	all[0].Store(true)
	o, err := client.get(t.Context())
	if err != nil || o.Requests != 2 || requests(http.MethodGet) != 2 || connections(http.MethodGet) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestLog: a request has one line in the log, without bodies.
func TestLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := &service{answers: []answer{with(500, "the body "+testSecret, "X-Request-Id", "id-1"), with(200, good)}}
	synctest.Test(t, func(t *testing.T) {
		_, err := newClient(t, config(s)).create(redact.New().Log(tflogtest.RootLogger(t.Context(), &log)))
		must.Succeed(t, err)
	})
	text := log.String()
	for _, want := range []string{`"path":"/edge/things"`, `"status":500`, `"request_id":"id-1"`, `"method":"POST"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %s: %s", want, text)
		}
	}
	if strings.Count(text, "\n") != 1 || strings.Contains(text, testSecret) || strings.Contains(text, "the body") {
		t.Errorf("the log has %s", text)
	}
}
