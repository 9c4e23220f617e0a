package wire_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

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
func accepting(token, body string) *wiretest.Service {
	return &wiretest.Service{Answer: func(_ int, r *http.Request) (*http.Response, error) {
		if r.Header.Get("Authorization") != token {
			return wiretest.Response(401, "token expired"), nil
		}
		return wiretest.Response(200, body), nil
	}}
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	t.Run("for ever", func(t *testing.T) {
		t.Parallel()
		source := &countingSource{tokens: []string{"old-token", "new-token"}}
		service := accepting("another", "")
		c := config(service)
		c.Token = source
		err := newClient(t, c).presign(t.Context())
		e := outcome(t, err)
		if e.Status != 401 || e.Requests != 2 || e.MayHaveBeenProcessed || !strings.Contains(err.Error(), "token expired") {
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
			service := wiretest.InTurn(wiretest.With(401, ""), wiretest.With(503, ""), wiretest.With(200, good))
			c := config(service)
			c.Token = source
			if err := newClient(t, c).presign(t.Context()); err != nil {
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
		err := newClient(t, c).presign(t.Context())
		want := "401 Unauthorized: token expired: the identity token: the vault is sealed, ***"
		if err == nil || err.Error() != want || !errors.Is(err, source.err) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("a token of its own is not tried twice", func(t *testing.T) {
		t.Parallel()
		service := accepting("another", "")
		if err := newClient(t, config(service)).presign(t.Context()); err == nil || len(service.Requests()) != 1 {
			t.Errorf("%d requests, error %v", len(service.Requests()), err)
		}
	})
	t.Run("basic credentials are not tried twice", func(t *testing.T) {
		t.Parallel()
		service := wiretest.Always(401, "")
		if err := newClient(t, config(service)).get(t.Context()); err == nil || len(service.Requests()) != 1 {
			t.Errorf("%d requests, error %v", len(service.Requests()), err)
		}
	})
}
