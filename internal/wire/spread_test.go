package wire_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// addresses are those of storage, all of which are one server. The connections to some fail.
type addresses struct {
	server *pipeServer
	fail   func(ctx context.Context, host string) error // nil: none fails

	mu     sync.Mutex
	dialed map[string]int
}

func (a *addresses) config() wire.Config {
	return wire.Config{
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.3"), netip.MustParseAddr("192.0.2.4")}, nil
		},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			a.mu.Lock()
			a.dialed[host]++
			a.mu.Unlock()
			if a.fail != nil {
				if err := a.fail(ctx, host); err != nil {
					return nil, err
				}
			}
			return a.server.dial(ctx, network, address)
		},
	}
}

// storage is a transport to these addresses.
func (a *addresses) storage(t *testing.T) http.RoundTripper {
	t.Helper()
	c, given := overWire("http://localhost:1"), a.config()
	c.Lookup, c.DialContext = given.Lookup, given.DialContext
	return newClient(t, c).Storage()
}

// putTogether makes PUTs that are in flight together, and returns how often each address was
// dialled.
func putTogether(t *testing.T, a *addresses, puts int, avoid ...net.Addr) map[string]int {
	t.Helper()
	var together sync.WaitGroup
	together.Add(puts)
	a.dialed = map[string]int{}
	a.server = startPipeServer(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		together.Done()
		together.Wait()
	}, (*httptest.Server).Start)
	storage := a.storage(t)
	var requests sync.WaitGroup
	for range puts {
		requests.Go(func() {
			r := put(t, "http://localhost/k")
			res, err := storage.RoundTrip(r.WithContext(retry.Avoid(r.Context(), avoid...)))
			if err != nil {
				t.Error(err)
				together.Done()
				return
			}
			_ = res.Body.Close()
		})
	}
	requests.Wait()
	return a.dialed
}

func TestConnectionsAreSpreadOverAddresses(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	for name, test := range map[string]struct {
		fail  func(ctx context.Context, host string) error
		avoid []net.Addr
		want  map[string]int // connections by address; nil: any
	}{
		"all":    {want: map[string]int{"192.0.2.1": 3, "192.0.2.2": 3, "192.0.2.3": 3, "192.0.2.4": 3}},
		"avoids": {avoid: []net.Addr{&net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 80}}, want: map[string]int{"192.0.2.1": 4, "192.0.2.3": 4, "192.0.2.4": 4}},
		"one refuses": {
			fail: func(_ context.Context, host string) error {
				if host == "192.0.2.3" {
					return refused
				}
				return nil
			},
		},
		"one is silent": {
			fail: func(ctx context.Context, host string) error {
				if host != "192.0.2.3" {
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			},
			// The others share evenly what it does not take.
			want: map[string]int{"192.0.2.1": 4, "192.0.2.2": 4, "192.0.2.3": 3, "192.0.2.4": 4},
		},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			begin := time.Now()
			got := putTogether(t, &addresses{fail: test.fail}, 12, test.avoid...)
			if test.want != nil && !maps.Equal(got, test.want) {
				t.Errorf("connections %v, want %v", got, test.want)
			}
			if took := time.Since(begin); took > time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// TestASilentAddressIsOvertakenSoon: once a connection was made, the next one waits little longer
// for an address than that took.
func TestASilentAddressIsOvertakenSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var silent atomic.Value
		silent.Store("none")
		a := &addresses{dialed: map[string]int{}, fail: func(ctx context.Context, host string) error {
			if host == silent.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			time.Sleep(trip)
			return nil
		}}
		answer := make(chan struct{})
		a.server = startPipeServer(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-answer
		}, (*httptest.Server).Start)
		storage := a.storage(t)
		var puts sync.WaitGroup
		begin := func(n int) {
			for range n {
				puts.Go(func() {
					if res, err := storage.RoundTrip(put(t, "http://localhost/k")); err != nil {
						t.Error(err)
					} else {
						_ = res.Body.Close()
					}
				})
			}
			synctest.Wait()
		}
		begin(1)
		time.Sleep(trip)
		synctest.Wait() // until the time is noted
		silent.Store(map[bool]string{true: "192.0.2.1", false: "192.0.2.2"}[a.dialed["192.0.2.1"] == 0])
		begin(8)
		time.Sleep(trip*3/2 + trip)
		synctest.Wait()
		if got := len(a.server.connections()); got != 9 {
			t.Errorf("there are %d connections, not 9", got)
		}
		close(answer)
		puts.Wait()
	})
}

// TestNoAddressAnswers: each is tried once, whether it refuses at once or late.
func TestNoAddressAnswers(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	for _, after := range []time.Duration{0, 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			a := &addresses{dialed: map[string]int{}, fail: func(context.Context, string) error {
				time.Sleep(after)
				return refused
			}}
			if _, err := a.storage(t).RoundTrip(put(t, "http://localhost/k")); !errors.Is(err, refused) {
				t.Errorf("got %v", err)
			}
			if want := (map[string]int{"192.0.2.1": 1, "192.0.2.2": 1, "192.0.2.3": 1, "192.0.2.4": 1}); !maps.Equal(a.dialed, want) {
				t.Errorf("connections %v, want %v", a.dialed, want)
			}
		})
	}
}
