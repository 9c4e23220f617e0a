package wire_test

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pipeServer is an HTTPS server in memory. Its connections can go silent, as those do whose NAT or
// VPN has forgotten them: what is written is lost, and nothing arrives any more.
type pipeServer struct {
	*httptest.Server
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	dialed []*mutableConn
}

func newPipeServer(t *testing.T, handler http.HandlerFunc) *pipeServer {
	t.Helper()
	return startPipeServer(t, handler, startHTTP2)
}

func startHTTP2(s *httptest.Server) {
	s.EnableHTTP2 = true
	s.StartTLS()
}

func startPipeServer(t *testing.T, handler http.HandlerFunc, start func(*httptest.Server)) *pipeServer {
	t.Helper()
	s := &pipeServer{accept: make(chan net.Conn), closed: make(chan struct{})}
	s.Server = &httptest.Server{Listener: s, Config: &http.Server{Handler: handler, ErrorLog: quiet()}}
	start(s.Server)
	t.Cleanup(func() {
		for _, c := range s.connections() {
			_ = c.Close()
		}
		s.Server.Close()
	})
	return s
}

func (s *pipeServer) Accept() (net.Conn, error) {
	select {
	case c := <-s.accept:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *pipeServer) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// Addr is a loopback address, for which no proxy is used.
func (s *pipeServer) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

func (s *pipeServer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	c := &mutableConn{Conn: client}
	s.mu.Lock()
	s.dialed = append(s.dialed, c)
	s.mu.Unlock()
	select {
	case s.accept <- server:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *pipeServer) connections() []*mutableConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*mutableConn(nil), s.dialed...)
}

// silence lets every connection made so far go silent.
func (s *pipeServer) silence() {
	for _, c := range s.connections() {
		c.muted.Store(true)
	}
}

func (s *pipeServer) config() settings {
	c := overWire(s.URL)
	if certificate := s.Certificate(); certificate != nil {
		c.RootCAs = x509.NewCertPool()
		c.RootCAs.AddCert(certificate)
	}
	c.DialContext = s.dial
	return c
}

type mutableConn struct {
	net.Conn
	muted atomic.Bool
}

func (c *mutableConn) Write(b []byte) (int, error) {
	if c.muted.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *mutableConn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.muted.Load() {
			return n, err
		}
	}
}

// overHTTP2 answers requests and fails the test if the first comes over another protocol.
func overHTTP2(t *testing.T) http.HandlerFunc {
	var first sync.Once
	return func(w http.ResponseWriter, r *http.Request) {
		first.Do(func() {
			if r.ProtoMajor != 2 {
				t.Errorf("the first request came over %s", r.Proto)
			}
		})
		_, _ = io.WriteString(w, `{"data":["eu"]}`)
	}
}

// TestRetryLeavesASilentConnection: the retry after a timeout is made over a new connection, even
// where the time is too short for a ping to find the connection dead.
func TestRetryLeavesASilentConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newPipeServer(t, overHTTP2(t))
		c := server.config()
		c.RequestTimeout, c.MaxRetries = 2*time.Second, 1
		client := newClient(t, c)
		if err := client.get(t.Context()); err != nil {
			t.Fatal(err)
		}
		server.silence()
		if err := client.get(t.Context()); err != nil {
			t.Error(err)
		}
		if n := len(server.connections()); n != 2 {
			t.Errorf("%d connections were made, want 2", n)
		}
	})
}

// TestPingFindsASilentConnection: an HTTP/2 connection that goes silent during a request is given
// up before the request's own time is over, and one that goes silent while idle is not used again.
func TestPingFindsASilentConnection(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		idle    time.Duration
		retries int
	}{
		"in use": {0, 1},
		"idle":   {25 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := newPipeServer(t, overHTTP2(t))
				c := server.config()
				c.MaxRetries = test.retries
				client := newClient(t, c)
				if err := client.get(t.Context()); err != nil {
					t.Fatal(err)
				}
				server.silence()
				time.Sleep(test.idle)
				begun := time.Now()
				if err := client.get(t.Context()); err != nil {
					t.Error(err)
				}
				if took := time.Since(begun); took >= 30*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// TestStorageLeavesSilentConnections: after a PUT that was given up none of the idle connections,
// which may all have died together, is used again.
func TestStorageLeavesSilentConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var together sync.WaitGroup
		together.Add(3)
		server := newPipeServer(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if r.URL.Path == "/together" {
				together.Done()
				together.Wait()
			}
		})
		storage := newClient(t, server.config()).Storage()
		send := func(path string) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			res, err := storage.RoundTrip(put(t, server.URL+path).WithContext(ctx))
			if err == nil {
				_ = res.Body.Close()
			}
			return err
		}
		var puts sync.WaitGroup
		for range 3 {
			puts.Go(func() {
				if err := send("/together"); err != nil {
					t.Error(err)
				}
			})
		}
		puts.Wait()
		server.silence()
		if err := send("/one"); err == nil {
			t.Error("a silent connection took a PUT")
		}
		if err := send("/again"); err != nil {
			t.Errorf("the PUT after it: %v", err)
		}
		if n := len(server.connections()); n != 4 {
			t.Errorf("%d connections were made, want 4", n)
		}
	})
}
