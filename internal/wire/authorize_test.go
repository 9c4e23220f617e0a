package wire_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	t.Run("for ever", func(t *testing.T) {
		t.Parallel()
		source := &wiretest.TokenSource{Tokens: []string{"old-token", "new-token"}}
		service := wiretest.Accepting("another", "")
		c := config(service)
		c.Token = source
		err := newClient(t, c).presign(t.Context())
		e := outcome(t, err)
		if e.Status != 401 || e.Requests != 2 || e.MayHaveBeenProcessed || !strings.Contains(err.Error(), "token expired") {
			t.Errorf("got %v", err)
		}
		if !slices.Equal(source.Asked, []string{"", "old-token"}) {
			t.Errorf("asked for tokens %q", source.Asked)
		}
	})
	t.Run("then unavailable", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			source := &wiretest.TokenSource{Tokens: []string{"old-token", "new-token"}}
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
		source := &wiretest.TokenSource{Tokens: []string{"old-token"}, Err: errors.New("the vault is sealed, old-token")}
		service := wiretest.Accepting("another", "")
		c := config(service)
		c.Token = source
		err := newClient(t, c).presign(t.Context())
		want := "401 Unauthorized: token expired: the identity token: the vault is sealed, ***"
		if err == nil || err.Error() != want || !errors.Is(err, source.Err) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("a token of its own is not tried twice", func(t *testing.T) {
		t.Parallel()
		service := wiretest.Accepting("another", "")
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
