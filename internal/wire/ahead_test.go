package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

const following = 8

// begin makes a call that eight others follow at once.
func (c *client) begin(t *testing.T) {
	t.Helper()
	if err := c.do(t.Context(), wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/begin", Following: following}); err != nil {
		t.Error(err)
	}
}

// TestConnectionsAreMadeAhead counts connections when a call has ended that others follow, and after these.
// For a connection that is made ahead the service gets no request.
func TestConnectionsAreMadeAhead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start        func(*httptest.Server)
		earlier      bool // is there an earlier call
		ahead, after int  // connections
	}{
		"plain HTTP":           {(*httptest.Server).Start, false, following, following},
		"TLS":                  {(*httptest.Server).StartTLS, false, following, following},
		"after another call":   {(*httptest.Server).StartTLS, true, 1, following},
		"HTTP/2":               {startHTTP2, false, 1, 1},
		"HTTP/2, another call": {startHTTP2, true, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 30 { // goroutines run in any order
				synctest.Test(t, func(t *testing.T) {
					var requests atomic.Int64
					var together sync.WaitGroup
					together.Add(following)
					server := startPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
						requests.Add(1)
						if r.URL.Path == "/urls" {
							together.Done()
							together.Wait()
						}
						_, _ = io.WriteString(w, good)
					}, test.start)
					client := newClient(t, server.config())
					calls := int64(1 + following)
					if test.earlier {
						calls++
						if err := client.get(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
					client.begin(t)
					synctest.Wait()
					if n := len(server.connections()); n != test.ahead {
						t.Errorf("%d connections before the calls that follow, want %d", n, test.ahead)
					}
					var urls sync.WaitGroup
					for range following {
						urls.Go(func() {
							if err := client.presign(t.Context()); err != nil {
								t.Error(err)
							}
						})
					}
					urls.Wait()
					if n := len(server.connections()); n != test.after {
						t.Errorf("%d connections, want %d", n, test.after)
					}
					if n := requests.Load(); n != calls {
						t.Errorf("%d requests, want %d", n, calls)
					}
				})
			}
		})
	}
}

// TestConnectionsAreMadeAheadOnce: ten uploads that begin together do not make eight connections each.
func TestConnectionsAreMadeAheadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const uploads = 10
		var together sync.WaitGroup
		together.Add(uploads)
		server := startPipeServer(t, func(w http.ResponseWriter, _ *http.Request) {
			together.Done()
			together.Wait()
			_, _ = io.WriteString(w, good)
		}, (*httptest.Server).Start)
		client := newClient(t, server.config())
		var begun sync.WaitGroup
		for range uploads {
			begun.Go(func() { client.begin(t) })
		}
		begun.Wait()
		synctest.Wait()
		if n := len(server.connections()); n > uploads+following-1 {
			t.Errorf("%d connections", n)
		}
	})
}
