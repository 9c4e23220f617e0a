package wire_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

func put(t *testing.T, address string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, strings.NewReader("content"))
	must.Succeed(t, err)
	return req
}

// TestStorage: a PUT carries the user agent and no credential, and goes over plain http only where
// the calls do, to this machine.
func TestStorage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		base, address string
		change        func(*http.Request)
		sent          bool
	}{
		"https":                   {"https://api.example.com", "https://st.example.com/k?sig=x", nil, true},
		"http, as the calls":      {"http://127.0.0.1:1", "http://127.0.0.1:2/k?sig=x", nil, true},
		"http to another machine": {"http://127.0.0.1:1", "http://st.example.com/k?sig=x", nil, false},
		"http, unlike the calls":  {"https://api.example.com", "http://127.0.0.1:2/k?sig=x", nil, false},
		"another scheme":          {"https://api.example.com", "ftp://st.example.com/k", nil, false},
		"user info":               {"https://api.example.com", "https://st.example.com/k", func(r *http.Request) { r.URL.User = url.User("joe") }, false},
		"an authorization":        {"https://api.example.com", "https://st.example.com/k", func(r *http.Request) { r.Header.Set("Authorization", testToken) }, false},
		"a cookie":                {"https://api.example.com", "https://st.example.com/k", func(r *http.Request) { r.Header.Set("Cookie", "a=b") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := always(200, "")
			c := config(s)
			c.base = test.base
			client := newClient(t, c)
			req := put(t, test.address)
			if test.change != nil {
				test.change(req)
			}
			res, err := client.Storage(client.vod).RoundTrip(req)
			if err == nil {
				_ = res.Body.Close()
			}
			if sent := len(s.requests()) == 1; sent != test.sent || sent != (err == nil) || err != nil && (!retry.Permanent(err) || strings.Contains(err.Error(), "sig=x")) {
				t.Errorf("sent %t, %v", sent, err)
			}
			for _, r := range s.requests() {
				if r.Header.Get("User-Agent") != "test/1" || r.Header.Get("Authorization") != "" {
					t.Errorf("the request has %v", r.Header)
				}
			}
		})
	}
}

// TestAddressesOfStorage: connections go to all addresses of a name, and one that does not answer
// takes three seconds.
func TestAddressesOfStorage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		used := map[string]int{}
		c := config(nil)
		c.Lookup = func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("2001:db8::3")}, nil
		}
		c.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) {
			mu.Lock()
			used[address]++
			mu.Unlock()
			if address == "192.0.2.1:443" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, refused()
		}
		client := newClient(t, c)
		for range 20 {
			begun := time.Now()
			res, err := client.Storage(client.vod).RoundTrip(put(t, "https://st.example.com/k"))
			if err == nil {
				_ = res.Body.Close()
				t.Fatal("a connection was made")
			}
			if took := time.Since(begun); took != 3*time.Second {
				t.Errorf("it took %s", took)
			}
		}
		if len(used) != 3 || used["[2001:db8::3]:443"] != 20 {
			t.Errorf("connections were made to %v", used)
		}
	})
}

// TestOrderOfAddresses: the first address of a name is not always the first to be tried.
func TestOrderOfAddresses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	var mu sync.Mutex
	used := map[string]int{}
	c := config(nil)
	c.base = "http://localhost:1"
	c.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")}, nil
	}
	c.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		used[address]++
		mu.Unlock()
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}
	client := newClient(t, c)
	for range 40 {
		storage := client.Storage(client.vod)
		res, err := storage.RoundTrip(put(t, "http://localhost:80/k"))
		must.Succeed(t, err)
		_ = res.Body.Close()
		(&http.Client{Transport: storage}).CloseIdleConnections()
	}
	if used["127.0.0.1:80"] == 0 || used["127.0.0.2:80"] == 0 {
		t.Errorf("connections were made to %v", used)
	}
}
