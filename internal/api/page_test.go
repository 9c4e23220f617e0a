package api_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

func listSessions(t testing.TB, body string) (*api.SessionPage, error) {
	t.Helper()
	c := config(wiretest.Always(200, body))
	c.MaxRetries = 0
	return newClient(t, c).ListSessions(t.Context(), nil)
}

// TestCursorGoesBack expects a cursor in the query under the names that it came with.
func TestCursorGoesBack(t *testing.T) {
	t.Parallel()
	service := wiretest.Always(200, `{"Sessions":[]}`)
	client := newClient(t, config(service))
	for _, test := range []struct {
		cursor api.Cursor
		want   string
	}{
		{nil, ""},
		{api.Cursor{}, ""},
		{api.Cursor{"id": "i"}, "?id=i"},
		{api.Cursor{"id": "a&b=c#d", "user_id": "ü/ü", "created_at_user_id": "2026-01-01 00:00+1"}, "?created_at_user_id=2026-01-01+00%3A00%2B1&id=a%26b%3Dc%23d&user_id=%C3%BC%2F%C3%BC"},
		{api.Cursor{"id": "i", "user_id": "", "pk": "p"}, "?id=i&pk=p"},
	} {
		if _, err := client.ListSessions(t.Context(), test.cursor); err != nil {
			t.Fatal(err)
		}
		requests := service.Requests()
		if got := requests[len(requests)-1].URL; got != liveBase+"/live/v1/live-streams/session"+test.want {
			t.Errorf("%v: asked %s", test.cursor, got)
		}
	}
}
