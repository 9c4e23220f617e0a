package wire_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// gaps are the times between the requests.
func gaps(requests []wiretest.Request) (found []time.Duration) {
	for i := 1; i < len(requests); i++ {
		found = append(found, requests[i].At.Sub(requests[i-1].At))
	}
	return found
}

func TestBackoffGrowsWithJitter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := wiretest.Always(502, "")
		c := config(service)
		c.MaxRetries = 9
		if err := newClient(t, c).get(t.Context()); err == nil {
			t.Fatal("no error")
		}
		expected := 500 * time.Millisecond
		for i, gap := range gaps(service.Requests()) {
			if gap < expected/2 || gap > expected*3/2 {
				t.Errorf("wait %d took %s, want %s ± 50%%", i+1, gap, expected)
			}
			expected = min(2*expected, 15*time.Second)
		}
	})
}

// TestRetryAfterBeyondTheDeadline expects no wait that would end after the deadline.
func TestRetryAfterBeyondTheDeadline(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status     int
		retryAfter string
		timeout    time.Duration
		want       string
	}{
		"429":             {429, "3600", time.Minute, "429 Too Many Requests: slow down: the service asks to wait 1h0m0s before the next call, longer than this operation may still take"},
		"503":             {503, "3600", time.Minute, "503 Service Unavailable: slow down: the service asks to wait 1h0m0s"},
		"huge":            {429, "99999999999999999999999", time.Hour, "asks to wait 24h0m0s"},
		"no deadline":     {429, "86400", 0, "asks to wait 24h0m0s"},
		"backoff by time": {500, "", 100 * time.Millisecond, "500 Internal Server Error: slow down: no time is left for another attempt"},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			service := wiretest.Always(test.status, "slow down", "Retry-After", test.retryAfter)
			ctx := t.Context()
			if test.timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, test.timeout)
				defer cancel()
			}
			begun := time.Now()
			err := newClient(t, config(service)).get(ctx)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error("the error is not one of a deadline")
			}
			if waited := time.Since(begun); waited != 0 {
				t.Errorf("waited %s, want an end at once", waited)
			}
		})
	}
}

// TestRateLimitHoldsEveryCall lets one 429 with Retry-After hold back all calls to that address,
// and none to the other.
func TestRateLimitHoldsEveryCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		oneURL bool
	}{{"two addresses", false}, {"one address", true}} {
		bubble.Run(t, test.name, func(t *testing.T) {
			service := &wiretest.Service{Answer: func(n int, _ *http.Request) (*http.Response, error) {
				if n == 1 {
					return wiretest.Response(429, "", "Retry-After", "60"), nil
				}
				return wiretest.Response(200, `{"data":[]}`), nil
			}}
			c := config(service)
			if test.oneURL {
				c.VODBaseURL = c.LiveBaseURL + "/"
			}
			client := newClient(t, c)
			begun := time.Now()
			var wg sync.WaitGroup
			took := make([]time.Duration, 12)
			run := func(i int, call func() error) {
				wg.Go(func() {
					if err := call(); err != nil {
						t.Error(err)
					}
					took[i] = time.Since(begun)
				})
			}
			run(0, func() error { return client.get(t.Context()) })
			synctest.Wait()
			for i := range 10 {
				run(i+1, func() error { return client.get(t.Context()) })
			}
			run(11, func() error { return client.presign(t.Context()) })
			wg.Wait()
			if n := len(service.Requests()); n != 13 {
				t.Errorf("made %d requests, want 13", n)
			}
			for i, d := range took {
				held := i < 11 || test.oneURL
				if held && (d < time.Minute || d > 62*time.Second) || !held && d != 0 {
					t.Errorf("call %d took %s", i, d)
				}
			}
		})
	}
}

func TestRateLimitEndsWaitingCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := wiretest.InTurn(wiretest.With(429, "", "Retry-After", "60"), wiretest.With(200, `{"data":[]}`))
		client := newClient(t, config(service))
		var first sync.WaitGroup
		first.Go(func() {
			if err := client.get(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()

		short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begun := time.Now()
		err := client.get(short)
		if e := outcome(t, err); time.Since(begun) != 0 || e.Requests != 0 || !strings.Contains(err.Error(), "asks to wait 1m0s") {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		err = client.create(cancelled)
		if !errors.Is(err, context.Canceled) || time.Since(begun) != 5*time.Second || outcome(t, err).MayHaveBeenProcessed {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		first.Wait()
	})
}

func TestCancelEndsWaitsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := wiretest.Always(503, "busy", "Retry-After", "300")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(7*time.Second, cancel)
		begun := time.Now()
		err := newClient(t, config(service)).get(ctx)
		if !errors.Is(err, context.Canceled) || time.Since(begun) != 7*time.Second {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		if want := "503 Service Unavailable: busy: it was not tried again: the operation was cancelled"; !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}
