package acctest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// World is a machine and a simulated service, joined by a network in memory: in a bubble of
// testing/synctest, every wait is virtual. Its providers run in the test's own process.
type World struct {
	*Server
	// Live, VOD and Storage are where the service listens.
	Live, VOD, Storage *Listener
	// Env is the environment of the providers that are started from now on. At first, it has
	// addresses and credentials, and a folder for the records of unfinished uploads.
	Env map[string]string
	// Log is what all providers have logged, at every level.
	Log *Log
	// OnRead is called before each read of a file that is sent; nil: nothing is.
	OnRead func(path string)
	// Quiet turns Log off: with thousands of sessions, logging takes most of the time of a test.
	Quiet bool

	tb testing.TB
}

// NewWorld starts a service until the test ends.
func NewWorld(tb testing.TB, options simulator.Options) *World {
	tb.Helper()
	skipWithoutCLI(tb)
	service := newService(tb, options)
	w := &World{
		Live: listen(tb, service, 1), VOD: listen(tb, service, 2), Storage: listen(tb, service, 3),
		Log: &Log{}, tb: tb,
	}
	tb.Cleanup(func() { _ = service.Close() }) // before the listeners, which wait for the requests that it delays
	service.SetStorageURL(w.Storage.URL() + "/storage")
	w.Server = &Server{Service: service, URL: w.VOD.URL()}
	w.Env = w.Environment(tb)
	w.Env["VODLIVE_BASE_URL"] = w.Live.URL()
	return w
}

// skipWithoutCLI skips a test without a CLI in `make test-tofu`.
func skipWithoutCLI(tb testing.TB) {
	tb.Helper()
	if os.Getenv("VODLIVE_TEST_ONLY_CLI") != "" {
		tb.Skip("starts no CLI")
	}
}

// Settling is how long to sleep in a bubble of testing/synctest, whose clock begins long before the
// times of files, until an hour has passed since files were changed that exist now. Plans rely only
// on times that are settled (see resume.Look).
func Settling(tb testing.TB) time.Duration {
	tb.Helper()
	now, err := os.Stat(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	return time.Until(now.ModTime().Add(time.Hour))
}

// Provider starts a provider process and configures it.
func (w *World) Provider(config Attrs) *Provider {
	w.tb.Helper()
	c := &connections{dial: w.dial}
	p := newProvider(w.tb, provider.Machine{Env: lookup(maps.Clone(w.Env)), Dial: c.open, OnRead: w.OnRead}, !w.Quiet)
	p.kill = c.breakAll
	if !w.Quiet {
		p.ctx = tflog.SetField(tflogtest.RootLogger(p.ctx, w.Log), "tf_provider_addr", "vodlive") // as the SDK's server
	}
	if diags := p.Configure(config); len(diags) > 0 {
		w.tb.Fatalf("configuring the provider:\n%s", diags)
	}
	return p
}

// connections are those of one provider process.
type connections struct {
	dial provider.Dial

	mu     sync.Mutex
	opened []net.Conn
	broken bool
}

func (c *connections) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.broken {
		_ = conn.Close()
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	if err == nil {
		c.opened = append(c.opened, conn)
	}
	return conn, err
}

// breakAll breaks all connections, and refuses others from now on.
func (c *connections) breakAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	for _, conn := range c.opened {
		_ = conn.Close()
	}
}

func (w *World) dial(ctx context.Context, _, address string) (net.Conn, error) {
	for _, l := range []*Listener{w.Live, w.VOD, w.Storage} {
		if l.Addr().String() != address || l.refuses() {
			continue
		}
		near, far := net.Pipe()
		select {
		case l.dialed <- far:
			return near, nil
		case <-l.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("%s: %w", address, os.NewSyscallError("connect", syscall.ECONNREFUSED))}
}

// Listener is an address in memory at which the service listens.
type Listener struct {
	port   int
	server *http.Server
	dialed chan net.Conn
	ended  chan struct{}

	mu      sync.Mutex
	refused int // connections still to be refused; negative: all
}

func listen(tb testing.TB, handler http.Handler, port int) *Listener {
	tb.Helper()
	l := &Listener{port: port, server: &http.Server{Handler: handler}, dialed: make(chan net.Conn), ended: make(chan struct{})}
	var running sync.WaitGroup // a bubble of synctest may not end before its goroutines
	l.server.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			running.Add(1)
		case http.StateClosed, http.StateHijacked:
			running.Done()
		case http.StateActive, http.StateIdle:
		}
	}
	running.Go(func() { _ = l.server.Serve(l) })
	tb.Cleanup(func() {
		_ = l.server.Close()
		running.Wait()
	})
	return l
}

// URL is the address, without a trailing slash.
func (l *Listener) URL() string { return "http://" + l.Addr().String() }

// Refuse has the next n connections refused, or all if n is negative. Requests that have arrived
// are answered, on connections that then end.
func (l *Listener) Refuse(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = n
	l.server.SetKeepAlivesEnabled(n == 0)
}

func (l *Listener) refuses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == 0 {
		return false
	}
	l.refused--
	l.server.SetKeepAlivesEnabled(l.refused == 0)
	return true
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.dialed:
		return conn, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	close(l.ended)
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: l.port} }

// Log is text that several goroutines write.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
