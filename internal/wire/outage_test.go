package wire_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// refused is the error of a connection that nobody accepted.
func refused() error {
	address := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 443}
	return &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// hostService answers until it is away, and from then on until it is back: connections fail with
// err.
type hostService struct {
	http.RoundTripper
	away, back time.Duration // since it began
	err        error
	mu         sync.Mutex
	dials      []time.Duration // that failed
}

// newHostService returns the service, and settings for a client that reaches it over a network in
// memory.
func newHostService(t *testing.T, s *hostService) settings {
	t.Helper()
	server, begun := newPipeServer(t, overHTTP2(t)), time.Now()
	c := server.config()
	dial := c.DialContext
	c.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if since := time.Since(begun); since >= s.away && since < s.back {
			s.mu.Lock()
			s.dials = append(s.dials, since)
			s.mu.Unlock()
			return nil, s.err
		}
		return dial(ctx, network, address)
	}
	time.AfterFunc(s.away, server.silence)
	return c
}

// TestOutage has a host that was reached and is away for some time. Retries do not count meanwhile.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lasts, limit time.Duration // limit: of the operation; 0: none
		err          error
		want         string // "": no error
		min, max     time.Duration
	}{
		"twelve seconds":      {12 * time.Second, 0, refused(), "", 12 * time.Second, 35 * time.Second},
		"almost five minutes": {290 * time.Second, 0, refused(), "", 290 * time.Second, 300 * time.Second},
		"for ever":            {time.Hour, 0, refused(), "connection refused by 192.0.2.7:443", 300 * time.Second, 301 * time.Second},
		"no name service":     {time.Minute, 0, &net.DNSError{Err: "no such host", Name: "live.example.com", IsNotFound: true}, "", time.Minute, 85 * time.Second},
		"limited":             {time.Hour, 30 * time.Second, refused(), "no time is left for another attempt", time.Second, 30 * time.Second},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			s := &hostService{away: time.Second, back: time.Second + test.lasts, err: test.err}
			c := newHostService(t, s)
			c.MaxRetries = 0
			client := newClient(t, c)
			must.Succeed(t, client.get(t.Context()))
			time.Sleep(2 * time.Minute) // so that no silent connection is left
			s.back += 2 * time.Minute
			begun, told := time.Now(), 0
			ctx := retry.TellWaits(t.Context(), func(text string) {
				if told++; !strings.HasPrefix(text, "waiting for ") {
					t.Errorf("the user is told %q", text)
				}
			})
			if test.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, test.limit)
				defer cancel()
			}
			err := client.get(ctx)
			if took := time.Since(begun); took < test.min || took > test.max {
				t.Errorf("it took %s, want %s to %s", took, test.min, test.max)
			}
			if err == nil != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if told != 1 {
				t.Errorf("the user was told %d times", told)
			}
			for i := 1; i < len(s.dials); i++ {
				if gap := s.dials[i] - s.dials[i-1]; gap > 23*time.Second {
					t.Errorf("%s between two attempts", gap)
				}
			}
		})
	}
}

// TestFirstContact has hosts that cannot be reached from the beginning.
func TestFirstContact(t *testing.T) {
	t.Parallel()
	hanging := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	failing := func(err error) func(context.Context, string, string) (net.Conn, error) {
		return func(context.Context, string, string) (net.Conn, error) { return nil, err }
	}
	for name, test := range map[string]struct {
		dial func(context.Context, string, string) (net.Conn, error)
		want string
		took time.Duration // at most
	}{
		"connection refused": {failing(refused()), "connection refused by 192.0.2.7:443", 10 * time.Second},
		"no answer":          {hanging, "no connection was made in 10s", 10 * time.Second},
		"unknown name":       {failing(&net.DNSError{Err: "no such host", Name: "live.example.com", IsNotFound: true}), `the host name "live.example.com" is not known`, 0},
		"no name service":    {failing(&net.DNSError{Err: "server misbehaving", Name: "live.example.com", IsTemporary: true}), "could not be looked up", 10 * time.Second},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			c := config(nil)
			c.DialContext, c.MaxRetries = test.dial, 100
			client := newClient(t, c)
			begun := time.Now()
			err := client.create(t.Context())
			if outcome(t, err).MayHaveBeenProcessed || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s, surely not processed", err, test.want)
			}
			if took := time.Since(begun); took > test.took {
				t.Errorf("it took %s, want at most %s", took, test.took)
			}
			begun = time.Now()
			if err := client.get(t.Context()); err == nil || outcome(t, err).Requests != 1 || time.Since(begun) > time.Second {
				t.Errorf("the next call, after %s: %v", time.Since(begun), err)
			}
		})
	}
}

// TestSlowFirstAnswer: the ten seconds are for the connection, not for the answer.
func TestSlowFirstAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newPipeServer(t, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(20 * time.Second)
			_, _ = w.Write([]byte(good))
		})
		c := server.config()
		c.MaxRetries = 0
		if err := newClient(t, c).get(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestRefusalsWaitForTheirTurn: 429 and 503 do not count as retries while the operation has time.
func TestRefusalsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		limit  time.Duration // 0: none
		want   string
		min    time.Duration
		max    time.Duration
	}{
		"429":          {429, 0, "429 Too Many Requests: the service has refused every request for 5m", 5 * time.Minute, 6 * time.Minute},
		"503":          {503, 0, "503 Service Unavailable: the service has refused every request for 5m", 5 * time.Minute, 6 * time.Minute},
		"429, limited": {429, time.Hour, "429 Too Many Requests: it was not tried again: the time for the operation is over", time.Hour, time.Hour},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			service := wiretest.Always(test.status, "")
			c := config(service)
			c.MaxRetries = 0
			ctx := t.Context()
			if test.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, test.limit)
				defer cancel()
			}
			begun := time.Now()
			err := newClient(t, c).get(ctx)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if took := time.Since(begun); took < test.min || took > test.max {
				t.Errorf("it took %s, want %s to %s", took, test.min, test.max)
			}
			if test.limit > 0 && !errors.Is(err, context.DeadlineExceeded) {
				t.Error("the error is not one of a deadline")
			}
		})
	}
}
