package api_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// wireRequest is a request as a wireServer read it.
type wireRequest struct {
	method     string
	connection int // from 1
}

// wireServer speaks HTTP over real connections, which it can break at will.
type wireServer struct {
	net.Listener
	mu   sync.Mutex
	seen []wireRequest
	// answer returns the answer as it goes over the wire, and whether the
	// connection is closed after it.
	answer func(wireRequest) (text string, hangUp bool)
}

func newWireServer(t *testing.T, answer func(wireRequest) (string, bool)) *wireServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &wireServer{Listener: listener, answer: answer}
	var open sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		open.Wait()
	})
	open.Go(func() {
		for n := 1; ; n++ {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { s.serve(connection, n) })
			t.Cleanup(func() { _ = connection.Close() })
		}
	})
	return s
}

func (s *wireServer) serve(connection net.Conn, n int) {
	defer func() { _ = connection.Close() }()
	reader := bufio.NewReader(connection)
	for {
		r, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		request := wireRequest{r.Method, n}
		s.mu.Lock()
		s.seen = append(s.seen, request)
		text, hangUp := s.answer(request)
		s.mu.Unlock()
		_, _ = io.WriteString(connection, text)
		if hangUp {
			return
		}
	}
}

func (s *wireServer) requests(method string) (found []wireRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.seen {
		if r.method == method {
			found = append(found, r)
		}
	}
	return found
}

func wire(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

// overWire is a configuration that uses the client's own transports.
func overWire(base string) api.Config {
	c := config(nil)
	c.LiveBaseURL, c.VODBaseURL, c.MaxRetries = base, base, 1
	return c
}

// TestOnceMeansOnce: a connection kept from an earlier call breaks when create
// and batch are sent. net/http must not send them again by itself, and neither
// may the client.
func TestOnceMeansOnce(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		if !call.once {
			continue
		}
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			server := newWireServer(t, func(r wireRequest) (string, bool) {
				if r.method == http.MethodPost {
					return "", true
				}
				return wire(200, `{"data":["eu"]}`), false
			})
			client := newClient(t, overWire("http://"+server.Addr().String()))
			if _, err := client.Regions(t.Context()); err != nil {
				t.Fatal(err)
			}
			err := call.run(t.Context(), client)
			if !api.MayHaveBeenProcessed(err) || !strings.Contains(err.Error(), "connection broken after the request was sent") {
				t.Errorf("got %v; want a connection broken after the request was sent", err)
			}
			if got := server.requests(http.MethodPost); len(got) != 1 {
				t.Errorf("the service got %d requests, want 1", len(got))
			}
		})
	}
}

// TestOnceUsesNoKeptConnection: a service that closes idle connections makes no
// create fail.
func TestOnceUsesNoKeptConnection(t *testing.T) {
	t.Parallel()
	server := newWireServer(t, func(r wireRequest) (string, bool) {
		if r.method == http.MethodPost {
			return wire(200, sessionJSON), false
		}
		return wire(200, `{"data":["eu"]}`), false
	})
	client := newClient(t, overWire("http://"+server.Addr().String()))
	for range 3 {
		if _, err := client.Regions(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := client.CreateSession(t.Context(), api.SessionSpec{Name: "n"}); err != nil {
			t.Fatal(err)
		}
	}
	used := map[int]bool{}
	for _, r := range server.requests(http.MethodPost) {
		if used[r.connection] {
			t.Errorf("connection %d was used for two creates", r.connection)
		}
		used[r.connection] = true
	}
	for _, r := range server.requests(http.MethodGet) {
		if used[r.connection] {
			t.Errorf("connection %d was used for a create and another call", r.connection)
		}
	}
}

// TestBrokenConnections: what is repeated over real connections.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	half := wire(200, `{"data":["eu"]}`)
	for name, broken := range map[string]string{
		"before the answer":     "",
		"within the header":     half[:20],
		"in the body":           half[:len(half)-5],
		"chunked, in the body":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{\"data\":\r\n",
		"of an unknown length":  "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"data\":[\"e",
		"an answer of no HTTP":  "220 smtp.example.com\r\n",
		"an answer of no sense": "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n int
			server := newWireServer(t, func(wireRequest) (string, bool) {
				if n++; n == 1 {
					return broken, true
				}
				return half, false
			})
			regions, err := newClient(t, overWire("http://"+server.Addr().String())).Regions(t.Context())
			if err != nil || len(regions) != 1 {
				t.Errorf("got %v, %v", regions, err)
			}
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	_, err = newClient(t, overWire("http://"+address)).CreateSession(t.Context(), api.SessionSpec{Name: "n"})
	e := asError(t, err)
	want := "create the live session: POST http://" + address + "/live/v1/live-streams/session: connection refused by " + address + " (2 attempts)"
	if err.Error() != want || e.MayHaveBeenProcessed || e.Attempts != 2 {
		t.Errorf("got  %v\nwant %s, surely not processed", err, want)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":["eu"]}`)
	}))
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	port := server.URL[strings.LastIndex(server.URL, ":"):]

	t.Run("trusted", func(t *testing.T) {
		t.Parallel()
		c := overWire(server.URL)
		c.RootCAs = roots
		if regions, err := newClient(t, c).Regions(t.Context()); err != nil || len(regions) != 1 {
			t.Errorf("got %v, %v", regions, err)
		}
	})
	for name, test := range map[string]struct {
		base  string
		roots *x509.CertPool
		want  string
	}{
		"unknown authority": {server.URL, x509.NewCertPool(), "TLS: the certificate is signed by an unknown authority"},
		"another name":      {"https://localhost" + port, roots, "TLS: certificate is valid for example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := overWire(test.base)
			c.RootCAs = test.roots
			_, err := newClient(t, c).CreateSession(t.Context(), api.SessionSpec{Name: "n"})
			e := asError(t, err)
			if !strings.Contains(err.Error(), test.want) || e.MayHaveBeenProcessed || e.Attempts != 1 {
				t.Errorf("got %v (%+v), want %q at once, surely not processed", err, e, test.want)
			}
		})
	}
	t.Run("not TLS", func(t *testing.T) {
		t.Parallel()
		plain := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(plain.Close)
		_, err := newClient(t, overWire("https://"+plain.Listener.Addr().String())).Regions(t.Context())
		if err == nil || !strings.Contains(err.Error(), "does not answer in TLS") {
			t.Errorf("got %v", err)
		}
	})
}

// TestNoConnectionInTime: a service that never finishes the handshake has
// surely not processed anything.
func TestNoConnectionInTime(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	c := overWire("https://" + listener.Addr().String())
	c.RequestTimeout, c.MaxRetries = 20*time.Millisecond, 0
	_, err = newClient(t, c).CreateSession(t.Context(), api.SessionSpec{Name: "n"})
	if err == nil || api.MayHaveBeenProcessed(err) || !strings.HasSuffix(err.Error(), "time-out after 20ms: no connection was made") {
		t.Errorf("got %v", err)
	}
}

// TestTimeoutOverTheWire: the service takes the request and says nothing.
func TestTimeoutOverTheWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		server := newPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, `{"data":`)
				_ = http.NewResponseController(w).Flush()
			}
			<-over
		})
		defer close(over)
		c := server.config()
		c.RequestTimeout, c.MaxRetries = 5*time.Second, 0
		client := newClient(t, c)
		_, err := client.CreateSession(t.Context(), api.SessionSpec{Name: "n"})
		if !api.MayHaveBeenProcessed(err) || !strings.HasSuffix(err.Error(), "time-out after 5s: the request was sent but not answered") {
			t.Errorf("got %v", err)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			t.Error("the time-out of an attempt passes for the end of the operation")
		}
		_, err = client.Regions(t.Context())
		if err == nil || !strings.HasSuffix(err.Error(), "the answer broke off after 8 bytes: time-out after 5s: the answer had not ended") {
			t.Errorf("got %v", err)
		}
	})
}

// TestCancelOverTheWire: a cancelled call ends at once, and says whether the
// request had gone out.
func TestCancelOverTheWire(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	client := newClient(t, overWire(server.URL))
	_, err := client.CreateSession(ctx, api.SessionSpec{Name: "n"})
	if !errors.Is(err, context.Canceled) || !api.MayHaveBeenProcessed(err) {
		t.Errorf("got %v", err)
	}
	_, err = client.CreateSession(ctx, api.SessionSpec{Name: "n"})
	if e := asError(t, err); !errors.Is(err, context.Canceled) || e.MayHaveBeenProcessed || e.Attempts != 0 {
		t.Errorf("got %v; want a call that was not made", err)
	}
}
