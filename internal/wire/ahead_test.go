package wire_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// begin makes a call that others follow at once.
func (c *client) begin(ctx context.Context, t *testing.T, following int) {
	t.Helper()
	if err := c.do(ctx, wire.Call{Endpoint: c.vod, Method: http.MethodPost, Path: "/begin", Following: following}); err != nil {
		t.Error(err)
	}
}

// oneStream lets each connection carry one request at a time.
func oneStream(s *httptest.Server) {
	s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 1}
	startHTTP2(s)
}

// TestConnectionsAreMadeAhead counts connections when a call has ended that others follow, and after these.
// For a connection that is made ahead the service gets no request.
func TestConnectionsAreMadeAhead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start        func(*httptest.Server)
		earlier      bool // is there an earlier call
		following    int
		ahead, after int // connections; 0: net/http decides
	}{
		"plain HTTP":                    {(*httptest.Server).Start, false, 8, 8, 8},
		"TLS":                           {(*httptest.Server).StartTLS, false, 8, 8, 8},
		"more calls than are kept":      {(*httptest.Server).Start, false, 20, 16, 20},
		"after another call":            {(*httptest.Server).StartTLS, true, 8, 1, 8},
		"HTTP/2":                        {startHTTP2, false, 8, 1, 1},
		"HTTP/2, another call":          {startHTTP2, true, 8, 1, 1},
		"HTTP/2, a connection for each": {oneStream, false, 8, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 30 { // goroutines run in any order
				synctest.Test(t, func(t *testing.T) {
					var requests atomic.Int64
					var together sync.WaitGroup
					together.Add(test.following)
					server := startPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
						requests.Add(1)
						if r.URL.Path == "/urls" {
							together.Done()
							together.Wait()
						}
						_, _ = io.WriteString(w, good)
					}, test.start)
					client := newClient(t, server.config())
					calls := int64(1 + test.following)
					if test.earlier {
						calls++
						if err := client.get(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
					client.begin(t.Context(), t, test.following)
					synctest.Wait()
					if n := len(server.connections()); n != test.ahead {
						t.Errorf("%d connections before the calls that follow, want %d", n, test.ahead)
					}
					var urls sync.WaitGroup
					for range test.following {
						urls.Go(func() {
							if err := client.presign(t.Context()); err != nil {
								t.Error(err)
							}
						})
					}
					urls.Wait()
					if n := len(server.connections()); test.after > 0 && n != test.after {
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
		const uploads, following = 10, 8
		var requests atomic.Int64
		var together sync.WaitGroup
		together.Add(uploads)
		server := startPipeServer(t, func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			together.Done()
			together.Wait()
			_, _ = io.WriteString(w, good)
		}, (*httptest.Server).Start)
		client := newClient(t, server.config())
		var begun sync.WaitGroup
		for range uploads {
			begun.Go(func() { client.begin(t.Context(), t, following) })
		}
		begun.Wait()
		synctest.Wait()
		if n := len(server.connections()); n > uploads+following-1 {
			t.Errorf("%d connections", n)
		}
		if n := requests.Load(); n != uploads {
			t.Errorf("%d requests, want %d", n, uploads)
		}
	})
}

// TestConnectionThatIsFreeMeanwhile: a call ends just before connections are made ahead, so the first
// request for one gets its connection. It must not be sent.
func TestConnectionThatIsFreeMeanwhile(t *testing.T) {
	t.Parallel()
	for range 30 { // goroutines run in any order
		synctest.Test(t, func(t *testing.T) {
			var requests, wanted atomic.Int64
			release := make(chan struct{})
			server := startPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				if r.Method == http.MethodGet {
					<-release
				}
				_, _ = io.WriteString(w, good)
			}, (*httptest.Server).Start)
			client := newClient(t, server.config())
			var earlier sync.WaitGroup
			earlier.Go(func() {
				if err := client.get(t.Context()); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			client.begin(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GetConn: func(string) {
				if wanted.Add(1) == 2 { // the first one is for the call itself
					close(release)
					earlier.Wait()
					synctest.Wait()
				}
			}}), t, 8)
			synctest.Wait()
			if n := requests.Load(); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
			if err := client.presign(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
