package wire_test

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// pipeServer is a server in memory. Its connections can go silent, as those do whose NAT or
// VPN has forgotten them: what is written is lost, and nothing arrives any more.
type pipeServer struct {
	*httptest.Server
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	dialed []*mutableConn
}

// newPipeServer starts one that uses HTTP/2.
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
