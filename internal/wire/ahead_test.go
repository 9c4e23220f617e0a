package wire_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// distant is storage to which a connection takes a round trip, and the handshake of TLS another
// one.
type distant struct {
	server *pipeServer
	dialed atomic.Int32
	open   atomic.Int32 // connections at the server
	fail   func(nth int32) error

	handshake atomic.Int64 // what that of TLS takes; 0: a round trip
}

const trip = 80 * time.Millisecond

func newDistant(t *testing.T, overTLS bool) (*distant, http.RoundTripper) {
	t.Helper()
	d := &distant{}
	d.server = startPipeServer(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(trip)
	}, func(s *httptest.Server) {
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				d.open.Add(1)
			case http.StateClosed:
				d.open.Add(-1)
			default:
			}
		}
		if overTLS {
			s.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				time.Sleep(cmp.Or(time.Duration(d.handshake.Load()), trip))
				return nil, nil //nolint:nilnil // the server's own
			}}
			s.StartTLS()
			return
		}
		s.Start()
	})
	c := d.server.config()
	c.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		nth := d.dialed.Add(1)
		select {
		case <-time.After(trip):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if d.fail != nil {
			if err := d.fail(nth); err != nil {
				return nil, err
			}
		}
		return d.server.dial(ctx, network, address)
	}
	return d, newClient(t, c).Storage()
}

// putBeside makes a PUT beside which n others begin.
func putBeside(t *testing.T, storage http.RoundTripper, address string, n int) {
	t.Helper()
	r := put(t, address)
	res, err := storage.RoundTrip(r.WithContext(retry.Beside(r.Context(), n)))
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
}

// TestConnectionsAreBegunTogether: the PUTs beside the first one to a host get their addresses
// later than that one, and their connections at the same time.
func TestConnectionsAreBegunTogether(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	for name, test := range map[string]struct {
		puts, beside  int
		tls           bool
		wait          time.Duration // before the PUTs beside the first one, which come after each other; 0: 8 ms
		address       string        // of those; "": the same
		fail          func(nth int32) error
		dialed, after int32 // connections in all, and of those open after ten seconds
		took          time.Duration
	}{
		"as many as there are PUTs": {puts: 4, beside: 3, dialed: 4, after: 4, took: 2 * trip},
		"none":                      {puts: 4, beside: 0, dialed: 4, after: 4, took: 3 * trip},
		"fewer":                     {puts: 6, beside: 3, dialed: 6, after: 6, took: 3 * trip},
		"some that nobody takes":    {puts: 2, beside: 13, dialed: 14, after: 2, took: 2 * trip},
		"one that cannot be made": {puts: 4, beside: 3, dialed: 5, after: 4, took: 3 * trip, fail: func(nth int32) error {
			if nth == 2 {
				return refused
			}
			return nil
		}},
		"some in whose place idle ones are used":     {puts: 4, beside: 3, wait: 11 * trip / 10, dialed: 4, after: 2, took: 5 * trip},
		"over TLS, made when they are asked for":     {puts: 2, beside: 1, tls: true, wait: 2 * trip, dialed: 2, after: 2, took: 3 * trip},
		"over TLS, asked for while they are made":    {puts: 4, beside: 3, tls: true, dialed: 4, after: 4, took: 3 * trip},
		"over TLS, asked for after they were closed": {puts: 2, beside: 2, tls: true, wait: 6 * time.Second, dialed: 3, after: 1, took: 6*time.Second + trip},
		"to another host":                            {puts: 4, beside: 3, address: "http://localhost/k", dialed: 4 + 3, after: 4, took: 3 * trip},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			d, storage := newDistant(t, test.tls)
			d.fail = test.fail
			begin := time.Now()
			var puts sync.WaitGroup
			for i := range test.puts {
				address := d.server.URL + "/k"
				if i > 0 {
					time.Sleep(cmp.Or(test.wait, trip/10))
					address = cmp.Or(test.address, address)
				}
				beside := map[bool]int{true: test.beside, false: 0}[i == 0]
				puts.Go(func() { putBeside(t, storage, address, beside) })
			}
			puts.Wait()
			if took := time.Since(begin); took < test.took-trip || took > test.took {
				t.Errorf("it took %s, not up to %s", took, test.took)
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if dialed, open := d.dialed.Load(), d.open.Load(); dialed != test.dialed || open != test.after {
				t.Errorf("%d connections of which %d are open, want %d and %d", dialed, open, test.dialed, test.after)
			}
		})
	}
}

// TestConnectionsAreBegunOnce: once connections to a host were made, PUTs take those that are idle,
// and each that finds none makes one.
func TestConnectionsAreBegunOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, storage := newDistant(t, false)
		for round := range 3 {
			var puts sync.WaitGroup
			for range 2 + round {
				puts.Go(func() { putBeside(t, storage, d.server.URL, 1+round) })
			}
			puts.Wait()
			time.Sleep(time.Minute)
			if got, want := d.dialed.Load(), int32(2+round); got != want {
				t.Errorf("round %d: %d connections, want %d", round, got, want)
			}
		}
	})
}

// TestInterruptedPUTLeavesNoConnection: one that ends while it waits for a connection that was
// begun ahead.
func TestInterruptedPUTLeavesNoConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, storage := newDistant(t, false)
		ctx, interrupt := context.WithCancel(t.Context())
		var puts sync.WaitGroup
		for range 3 {
			puts.Go(func() {
				r := put(t, d.server.URL)
				if _, err := storage.RoundTrip(r.WithContext(retry.Beside(ctx, 2))); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			})
		}
		synctest.Wait()
		interrupt()
		puts.Wait()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if dialed, open := d.dialed.Load(), d.open.Load(); dialed != 3 || open != 0 {
			t.Errorf("%d connections, of which %d are open", dialed, open)
		}
		res, err := storage.RoundTrip(put(t, d.server.URL))
		must.Succeed(t, err)
		_ = res.Body.Close()
	})
}

// TestHandshakeThatDoesNotEnd: the PUT fails after ten seconds, also if its host was reached
// before.
func TestHandshakeThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, storage := newDistant(t, true)
		d.handshake.Store(int64(time.Minute))
		begin := time.Now()
		host := &retry.Host{}
		host.Reached()
		r := put(t, d.server.URL)
		_, err := storage.RoundTrip(r.WithContext(host.To(r.Context())))
		if took := time.Since(begin); err == nil || err.Error() != "the TLS handshake did not end in 10s" || took != trip+10*time.Second {
			t.Errorf("after %s: %v", took, err)
		}
		time.Sleep(time.Minute) // until the server notices
		synctest.Wait()
		if open := d.open.Load(); open != 0 {
			t.Errorf("%d connections are open", open)
		}
	})
}
