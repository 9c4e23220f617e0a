package api_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// TestPaths tries base addresses with a prefix, a slash or a port, and ids that would change the
// path.
func TestPaths(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://h.example.com":             "https://h.example.com/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
		"https://h.example.com/":            "https://h.example.com/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
		"https://h.example.com:8443/p%2Fq/": "https://h.example.com:8443/p%2Fq/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
	} {
		service := wiretest.Always(200, `{"id":"a/b?c#d%","name":"n"}`)
		c := config(service)
		c.LiveBaseURL = base
		if _, err := newClient(t, c).GetSession(t.Context(), "a/b?c#d%"); err != nil {
			t.Fatal(err)
		}
		if got := service.Requests()[0].URL; got != want {
			t.Errorf("%s: asked %s, want %s", base, got, want)
		}
	}
	for _, id := range []string{"", " ", ".", "..", "a\nb", "\x00"} {
		service := wiretest.Always(200, sessionJSON)
		if _, err := newClient(t, config(service)).GetSession(t.Context(), id); err == nil || len(service.Requests()) != 0 {
			t.Errorf("id %q: %d requests, error %v", id, len(service.Requests()), err)
		}
	}
}
