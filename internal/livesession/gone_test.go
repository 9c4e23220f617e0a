package livesession_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// gateway answers 404 to each GET of a session, as one does whose routes are being changed.
var gateway = simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusNotFound, Body: "<html><h1>404 Not Found</h1></html>"}

// TestGatewayHidesSessions: a 404 takes no session out of the state that the listing shows, and the
// listing is read once for all. Where it cannot be read, the 404 is an error.
func TestGatewayHidesSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		var states []acctest.Instance
		for range 6 {
			states = append(states, imported(t, w, w.Provider(once), matchRecord))
		}
		w.RemoveSession(states[5].Text("id"))
		w.Fail(gateway)
		w.ResetJournal()
		p := w.Provider(once)
		for i, o := range states {
			after, diags := p.Read(o)
			switch text := diags.String(); {
			case i == 5:
				if after.Exists() || !strings.Contains(text, "was not found") {
					t.Errorf("the session that is gone: %s", text)
				}
			case diags.Failed(), !after.State.Equal(o.State), i == 0 && !strings.Contains(text, "Live session "+o.Text("id")+" is listed, but was not found"):
				t.Errorf("%v: %s", after.Attrs(), text)
			}
		}
		w.AssertCalls(t, simulator.CallListSessions, 1)

		w.Fail(simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden})
		after, diags := w.Provider(once).Read(states[0])
		if !diags.Failed() || !after.State.Equal(states[0].State) || !strings.Contains(diags.String(), "It is not known whether the live session is gone") {
			t.Errorf("without a listing: %v: %s", after.Attrs(), diags)
		}
	})
}

// TestImportOfNoID: the error is about the id, whatever would be wrong with a request for it.
func TestImportOfNoID(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	for _, id := range []string{"", " ", ".", "..", "abc\n", "\tabc", "a\u202eb"} {
		_, diags := w.Provider(once).Import(resourceType, id)
		if text := diags.String(); !diags.Failed() || !strings.Contains(text, "The id to import is not that of a session") || strings.Contains(text, "proxy") {
			t.Errorf("%q: %s", id, text)
		}
		if id == "" {
			continue // the data source takes the name then
		}
		_, diags = w.Provider(once).DataSource("vodlive_live_session", config{"id": id})
		if !strings.Contains(diags.String(), "Invalid value: `id` is") {
			t.Errorf("data source, %q: %s", id, diags)
		}
	}
	if calls := w.Journal(); len(calls) > 0 {
		t.Errorf("%d calls", len(calls))
	}
}
