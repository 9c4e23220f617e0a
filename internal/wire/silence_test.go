package wire_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
)

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
		must.Succeed(t, client.get(t.Context()))
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
		bubble.Run(t, name, func(t *testing.T) {
			server := newPipeServer(t, overHTTP2(t))
			c := server.config()
			c.MaxRetries = test.retries
			client := newClient(t, c)
			must.Succeed(t, client.get(t.Context()))
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
