package wire_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire"
)

// failing answers with an error of the transport, after a connection was made.
func failing(err error) answer {
	return func(r *http.Request) (*http.Response, error) { return nil, err }
}

// unreached fails because no connection is made.
func unreached(err error) answer {
	return func(r *http.Request) (*http.Response, error) {
		httptrace.ContextClientTrace(r.Context()).GetConn("")
		return nil, err
	}
}

// hanging fails when the request's context ends.
func hanging(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func refused() error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 443}, Err: errors.New("connect: connection refused")}
}

// TestFailures is what a call makes of each failure that lasts: how many requests it makes, in which
// time, and whether the service may have acted on one of them. Negative: as many as fit in.
func TestFailures(t *testing.T) {
	t.Parallel()
	const secret = "https://st.example.com/k?X-Amz-Signature=hidden"
	for name, test := range map[string]struct {
		answer
		gets, creates int
		ambiguous     bool // of a create
		least, most   time.Duration
		want          string // in the text of the error; "": there is a response
	}{
		"400":                  {answer: with(400, `{}`), gets: 1, creates: 1},
		"401":                  {answer: with(401, `{}`), gets: 1, creates: 1},
		"404":                  {answer: with(404, `{}`), gets: 1, creates: 1},
		"408":                  {answer: with(408, ``), gets: 4, creates: 1, ambiguous: true, least: 1750 * time.Millisecond, most: 6 * time.Second},
		"429":                  {answer: with(429, ``), gets: -1, creates: -1, least: retry.Outage, most: retry.Outage + 23*time.Second},
		"429 with Retry-After": {answer: with(429, ``, "Retry-After", "60"), gets: 3, creates: 3, least: 120 * time.Second, most: 120 * time.Second},
		"429, too long":        {answer: with(429, ``, "Retry-After", "86400"), gets: 1, creates: 1},
		"500":                  {answer: with(500, ``), gets: 4, creates: 1, ambiguous: true, least: 1750 * time.Millisecond, most: 6 * time.Second},
		"503":                  {answer: with(503, ``), gets: 4, creates: 1, ambiguous: true, least: 1750 * time.Millisecond, most: 6 * time.Second},
		"503 with Retry-After": {answer: with(503, ``, "Retry-After", "60"), gets: 3, creates: 1, ambiguous: true, least: 120 * time.Second, most: 120 * time.Second},
		"a redirect":           {answer: with(307, ``, "Location", secret), gets: 1, creates: 1, want: "redirects to https://st.example.com/k?***"},
		"303":                  {answer: with(303, ``, "Location", "/x"), gets: 1, creates: 1, ambiguous: true, want: "redirects to /x"},
		"not JSON":             {answer: with(200, `<html>`), gets: 4, creates: 1, ambiguous: true, least: 1750 * time.Millisecond, most: 6 * time.Second, want: "not JSON"},
		"empty":                {answer: with(204, ``), gets: 4, creates: 1, ambiguous: true, least: 1750 * time.Millisecond, most: 6 * time.Second, want: "not JSON"},
		"half of it":           {answer: with(200, `{"data":`), gets: 4, creates: 1, ambiguous: true, least: 1750 * time.Millisecond, most: 6 * time.Second, want: "not JSON"},
		"17 MiB":               {answer: with(200, `"`+strings.Repeat("x", 17<<20)+`"`), gets: 1, creates: 1, ambiguous: true, want: "longer than 16 MiB"},
		"broken":               {answer: failing(io.ErrUnexpectedEOF), gets: 4, creates: 1, ambiguous: true, least: 1750 * time.Millisecond, most: 6 * time.Second, want: "no response was received: unexpected EOF"},
		"hanging":              {answer: hanging, gets: 4, creates: 1, ambiguous: true, least: 122 * time.Second, most: 126 * time.Second, want: "time-out after 30s, no response was received"},
		"refused":              {answer: unreached(refused()), gets: -1, creates: -1, least: retry.FirstContact, most: 23 * time.Second, want: "no connection was made: dial tcp 192.0.2.7:443: connect: connection refused"},
		"an unknown name":      {answer: unreached(&net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true}), gets: 1, creates: 1, want: "no such host"},
		"a wrong certificate":  {answer: unreached(&tls.CertificateVerificationError{Err: errors.New("x509: expired")}), gets: 1, creates: 1, want: "x509: expired"},
		"a secret in an error": {answer: unreached(errors.New("proxy http://joe:hidden@p: " + testSecret)), gets: -1, creates: -1, least: retry.FirstContact, most: 23 * time.Second, want: "proxy http://***@p: ***"},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			for what, call := range map[string]func(*client, context.Context) (wire.Outcome, error){"get": (*client).get, "create": (*client).create} {
				s := &service{answers: []answer{test.answer}}
				begun := time.Now()
				o, err := call(newClient(t, config(s)), t.Context())
				want, ambiguous, took := test.gets, false, time.Since(begun)
				if what == "create" {
					want, ambiguous = test.creates, test.ambiguous
				}
				if o.Requests != len(s.requests()) || want >= 0 && o.Requests != want {
					t.Errorf("%s: %d requests, want %d", what, len(s.requests()), want)
				}
				if o.MayHaveBeenProcessed != ambiguous {
					t.Errorf("%s: may have been processed: %t", what, o.MayHaveBeenProcessed)
				}
				if want != 1 && (took < test.least || took > test.most) || want == 1 && took > 35*time.Second {
					t.Errorf("%s: it took %s", what, took)
				}
				if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hidden")) {
					t.Errorf("%s: got %v, want %q", what, err, test.want)
				}
			}
		})
	}
}

// TestPassingFailures: a call succeeds once a failure has passed, with one request more.
func TestPassingFailures(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]answer{
		"429": with(429, ``), "500": with(500, ``), "not JSON": with(200, `<`), "unreached": unreached(refused()), "broken": failing(io.EOF),
	} {
		bubble.Run(t, name, func(t *testing.T) {
			s := &service{answers: []answer{first, with(200, "\ufeff"+good)}}
			o, err := newClient(t, config(s)).presign(t.Context())
			if err != nil || o.Status != 200 || string(o.Body) != good || o.Requests != 2 {
				t.Errorf("got %+v, %v", o, err)
			}
			for _, r := range s.requests() {
				if r.content != `{"name":"n"}` || r.URL.Path != "/edge/urls" || r.Header.Get("Authorization") != testToken || r.Header.Get("User-Agent") != "test/1" {
					t.Errorf("the request was %+v", r)
				}
			}
		})
	}
}

// TestOutage: a host that was reached may be away for two minutes, whatever the number of retries.
func TestOutage(t *testing.T) {
	t.Parallel()
	for lasts, works := range map[time.Duration]bool{100 * time.Second: true, time.Hour: false} {
		bubble.Run(t, lasts.String(), func(t *testing.T) {
			back := time.Now().Add(lasts)
			s := &service{answers: []answer{with(200, good), func(r *http.Request) (*http.Response, error) {
				if time.Now().Before(back) {
					return unreached(refused())(r)
				}
				return with(200, good)(r)
			}}}
			c := config(s)
			c.MaxRetries = 0
			client := newClient(t, c)
			_, err := client.get(t.Context())
			if err == nil {
				_, err = client.get(t.Context())
			}
			if took := time.Since(back.Add(-lasts)); (err == nil) != works || took > retry.Outage+25*time.Second {
				t.Errorf("after %s: %v", took, err)
			}
		})
	}
}

// TestTheOperationsTime: no call outlives the time of its operation, and Ctrl-C ends waits at once.
func TestTheOperationsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		begun := time.Now()
		o, err := newClient(t, config(always(429, ``))).get(limited)
		if took := time.Since(begun); took < 9*time.Minute || took > 10*time.Minute || o.Status != 429 {
			t.Errorf("after %s: %+v, %v", took, o, err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begun = time.Now()
		_, err = newClient(t, config(always(429, ``, "Retry-After", "60"))).get(cancelled)
		if took := time.Since(begun); took != time.Second || !errors.Is(err, context.Canceled) {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

// tokens gives another token after each one that was refused.
type tokens struct {
	mu    sync.Mutex
	given []string
}

func (s *tokens) Token(_ context.Context, rejected string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rejected == "token-2" {
		return "", errors.New("the vault is sealed: token-2")
	}
	s.given = append(s.given, rejected)
	return "token-" + string(rune('0'+len(s.given))), nil
}

// TestRenewal: after a 401 there is one new token in a call.
func TestRenewal(t *testing.T) {
	t.Parallel()
	c := config(&service{answers: []answer{with(401, ``), with(200, good)}})
	c.token = &tokens{}
	client := newClient(t, c)
	if o, err := client.presign(t.Context()); err != nil || o.Requests != 2 {
		t.Errorf("got %+v, %v", o, err)
	}
	c = config(always(401, ``))
	c.token = &tokens{}
	client = newClient(t, c)
	if o, err := client.presign(t.Context()); err != nil || o.Requests != 2 || o.Status != 401 || o.MayHaveBeenProcessed {
		t.Errorf("got %+v, %v", o, err)
	}
}

// TestUndone: what says that nothing was done is final, whatever the status is.
func TestUndone(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 404, 500} {
		client := newClient(t, config(always(status, `<Code>NoSuchUpload</Code>`)))
		o, err := client.Do(t.Context(), wire.Call{Endpoint: client.vod, Method: http.MethodPost, Path: "/x", Undone: func(body []byte) bool {
			return strings.Contains(string(body), "NoSuchUpload")
		}})
		if err != nil || !o.Undone || o.Requests != 1 || o.MayHaveBeenProcessed {
			t.Errorf("%d: got %+v, %v", status, o, err)
		}
	}
}
