package api_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

// TestHeaders: which call carries which credential, and what else is sent.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			service := always(200, call.good)
			if err := call.run(t.Context(), newClient(t, config(service))); err != nil {
				t.Fatal(err)
			}
			r := service.requests()[0]
			want := testToken
			if strings.HasPrefix(r.URL, liveBase) {
				want = "Basic " + base64.StdEncoding.EncodeToString([]byte(testTokenID+":"+testSecret))
			}
			if got := r.Header["Authorization"]; !slices.Equal(got, []string{want}) {
				t.Errorf("%s has authorization %q, want %q", r.URL, got, want)
			}
			if r.Header.Get("User-Agent") != "test/1" || r.Header.Get("Accept") != "application/json" {
				t.Errorf("headers %v", r.Header)
			}
			if got := r.Header.Get("Content-Type"); (got == "application/json") != call.post {
				t.Errorf("Content-Type %q", got)
			}
			if r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
				t.Errorf("headers %v", r.Header)
			}
		})
	}
}

func TestNotConfigured(t *testing.T) {
	t.Parallel()
	service := always(200, `{}`)
	for name, test := range map[string]struct {
		config api.Config
		want   map[bool]string // by whether it is a live call
	}{
		"nothing":        {api.Config{}, map[bool]string{true: "the live API is not configured: it has no base address", false: "the upload and batch API is not configured: it has no base address"}},
		"addresses only": {api.Config{LiveBaseURL: liveBase, VODBaseURL: vodBase}, map[bool]string{true: "it needs an access token id and a secret key", false: "it needs an identity token"}},
		"half a pair":    {api.Config{LiveBaseURL: liveBase, AccessTokenID: "abcd", VODBaseURL: vodBase}, map[bool]string{true: "it needs a secret key", false: "it needs an identity token"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := test.config
			c.Transport = service
			client := newClient(t, c)
			for _, call := range calls {
				err := call.run(t.Context(), client)
				live := slices.Contains([]string{"regions", "create-session", "get-session", "list-sessions"}, call.name)
				if !errors.Is(err, api.ErrNotConfigured) || !strings.Contains(err.Error(), test.want[live]) {
					t.Errorf("%s: got %v, want %s", call.name, err, test.want[live])
				}
			}
		})
	}
	if n := len(service.requests()); n != 0 {
		t.Errorf("made %d requests", n)
	}
}

// countingSource counts what is asked of it.
type countingSource struct {
	mu     sync.Mutex
	asked  []string
	tokens []string
	err    error
}

func (s *countingSource) Token(_ context.Context, rejected string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, rejected)
	if rejected != "" {
		if s.err != nil {
			return "", s.err
		}
		if len(s.tokens) > 1 {
			s.tokens = s.tokens[1:]
		}
	}
	return s.tokens[0], nil
}

// accepting answers 401 to every token but one.
func accepting(token, body string) *fakeService {
	return &fakeService{answer: func(_ int, r *http.Request) (*http.Response, error) {
		if r.Header.Get("Authorization") != token {
			return response(401, `{"message":"token expired"}`), nil
		}
		return response(200, body), nil
	}}
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		if !call.post || call.name == "create-session" {
			continue
		}
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			source := &countingSource{tokens: []string{"old-token", "new-token"}}
			service := accepting("new-token", call.good)
			c := config(service)
			c.Token, c.MaxRetries = source, 0
			if err := call.run(t.Context(), newClient(t, c)); err != nil {
				t.Fatal(err)
			}
			if n := len(service.requests()); n != 2 || !slices.Equal(source.asked, []string{"", "old-token"}) {
				t.Errorf("%d requests; asked for tokens %q", n, source.asked)
			}
		})
	}
	t.Run("for ever", func(t *testing.T) {
		t.Parallel()
		source := &countingSource{tokens: []string{"old-token", "new-token"}}
		service := accepting("another", "")
		c := config(service)
		c.Token = source
		_, err := newClient(t, c).SubmitBatch(t.Context(), []string{"k"}, []string{"m"})
		e := asError(t, err)
		if e.Status != 401 || e.Attempts != 2 || e.MayHaveBeenProcessed || !strings.Contains(err.Error(), "token expired") {
			t.Errorf("got %v", err)
		}
		if !slices.Equal(source.asked, []string{"", "old-token"}) {
			t.Errorf("asked for tokens %q", source.asked)
		}
	})
	t.Run("then unavailable", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			source := &countingSource{tokens: []string{"old-token", "new-token"}}
			service := inTurn(with(401, ""), with(503, ""), with(200, calls[4].good))
			c := config(service)
			c.Token = source
			if _, err := newClient(t, c).PresignUpload(t.Context(), "a.mp4", ""); err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("no new token", func(t *testing.T) {
		t.Parallel()
		source := &countingSource{tokens: []string{"old-token"}, err: errors.New("the vault is sealed, old-token")}
		service := accepting("another", "")
		c := config(service)
		c.Token = source
		_, err := newClient(t, c).SubmitBatch(t.Context(), []string{"k"}, []string{"m"})
		want := "submit the batch job: POST https://vod.example.com/v1/local/batch: 401 Unauthorized: token expired: the identity token: the vault is sealed, ***"
		if err == nil || err.Error() != want || !errors.Is(err, source.err) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("a token of its own is not tried twice", func(t *testing.T) {
		t.Parallel()
		service := accepting("another", "")
		if _, err := newClient(t, config(service)).SubmitBatch(t.Context(), []string{"k"}, []string{"m"}); err == nil || len(service.requests()) != 1 {
			t.Errorf("%d requests, error %v", len(service.requests()), err)
		}
	})
	t.Run("basic credentials are not tried twice", func(t *testing.T) {
		t.Parallel()
		service := always(401, "")
		if _, err := newClient(t, config(service)).Regions(t.Context()); err == nil || len(service.requests()) != 1 {
			t.Errorf("%d requests, error %v", len(service.requests()), err)
		}
	})
}

// TestTokenIsCheckedBeforeItIsSent: whatever source it comes from.
func TestTokenIsCheckedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"a\r\nX-Evil: 1", "a\nb", "a\x00b", "a\x7fb", "a\tb", "ünicode", "\ufefftoken", "", " \n"} {
		t.Run(fmt.Sprintf("%q", token), func(t *testing.T) {
			t.Parallel()
			for _, source := range []credential.TokenSource{credential.StaticToken(token), &countingSource{tokens: []string{token}}} {
				service := always(200, `{}`)
				c := config(service)
				c.Token = source
				_, err := newClient(t, c).SubmitBatch(t.Context(), []string{"k"}, []string{"m"})
				if err == nil || len(service.requests()) != 0 {
					t.Fatalf("%d requests, error %v", len(service.requests()), err)
				}
				if strings.TrimSpace(token) != "" && strings.Contains(err.Error(), token) {
					t.Errorf("the token is quoted: %v", err)
				}
			}
		})
	}
	service := always(200, `{"message":"ok"}`)
	c := config(service)
	c.Token = credential.StaticToken(" \t" + testToken + "\r\n")
	if _, err := newClient(t, c).SubmitBatch(t.Context(), []string{"k"}, []string{"m"}); err != nil {
		t.Fatal(err)
	}
	if got := service.requests()[0].Header.Get("Authorization"); got != testToken {
		t.Errorf("sent %q", got)
	}
}
