package provider_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
)

// door is an address of a service in a network in memory. While it is closed, connections to it are refused.
type door struct {
	port   int
	server *http.Server

	mu     sync.Mutex
	closed bool
	dialed chan net.Conn
	ended  chan struct{}
}

// newDoor opens a door until the test ends.
func newDoor(tb testing.TB, handler http.Handler, port int) *door {
	tb.Helper()
	d := &door{port: port, server: &http.Server{Handler: handler}, dialed: make(chan net.Conn), ended: make(chan struct{})}
	var running sync.WaitGroup // a bubble of synctest may not end before its goroutines
	d.server.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			running.Add(1)
		case http.StateClosed, http.StateHijacked:
			running.Done()
		case http.StateActive, http.StateIdle:
		}
	}
	running.Go(func() { _ = d.server.Serve(d) })
	tb.Cleanup(func() {
		_ = d.server.Close()
		running.Wait()
	})
	return d
}

// Accept, Close and Addr make it the listener of its server.
func (d *door) Accept() (net.Conn, error) {
	select {
	case conn := <-d.dialed:
		return conn, nil
	case <-d.ended:
		return nil, net.ErrClosed
	}
}

func (d *door) Close() error {
	close(d.ended)
	return nil
}

func (d *door) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: d.port} }

func (d *door) url() string { return "http://" + d.Addr().String() }

func (d *door) open() { d.set(false) }

// shut closes the door. Requests that it let in are answered, on connections that then end.
func (d *door) shut() { d.set(true) }

func (d *door) set(closed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = closed
	d.server.SetKeepAlivesEnabled(!closed)
}

func (d *door) isClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// dial connects to one of the doors.
func (w *world) dial(ctx context.Context, _, address string) (net.Conn, error) {
	for _, d := range []*door{w.live, w.vod, w.storage} {
		if d.Addr().String() != address || d.isClosed() {
			continue
		}
		near, far := net.Pipe()
		select {
		case d.dialed <- far:
			return near, nil
		case <-d.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("%s: %w", address, os.NewSyscallError("connect", syscall.ECONNREFUSED))}
}
