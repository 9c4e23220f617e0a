package livesession_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestPrivateState refreshes sessions of which only the private state knows that nothing has changed.
func TestPrivateState(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, w *acctest.World, o acctest.Instance, c config) {
		t.Helper()
		p := w.Provider(once)
		for range 2 {
			var diags acctest.Diagnostics
			if o, diags = p.Read(o); len(diags) > 0 {
				t.Fatal(diags)
			}
			if planned := p.Plan(o, c); planned.Action != acctest.NoOp {
				t.Fatalf("%s because of %v", planned.Action, planned.Replaces)
			}
		}
	}
	t.Run("spellings", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			shows(w, map[string]string{`"match"`: `"match (1)"`})
			o, diags := w.Provider(once).Create(resourceType, base())
			diags.Must(t)
			read(t, w, o, base())
		})
	})
	t.Run("not read by the listing", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			edit(t, w, simulator.CallListSessions, `"match"`, `"match (1)"`)
			c := base().With(config{"wait_for_status": []any{}})
			o, diags := w.Provider(once).Create(resourceType, c)
			diags.Must(t)
			read(t, w, o, c)
			w.AssertCalls(t, simulator.CallListSessions, 1)
		})
	})
	t.Run("unconfirmed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
			unreadable(w, 20*time.Second)
			p, cancel := w.Provider(once).WithCancel()
			defer cancel()
			time.AfterFunc(3*time.Second, cancel)
			o, diags := p.Create(resourceType, base())
			if !strings.Contains(diags.String(), "Waiting for the live session was interrupted") {
				t.Fatal(diags)
			}
			read(t, w, o.Untainted(), base())
		})
	})
	t.Run("listed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			edit(t, w, simulator.CallListSessions, `"elastic_ip_a"`, `"no_address"`)
			o, diags := w.Provider(once).Create(resourceType, base())
			diags.Must(t)
			pages := w.Count(simulator.CallListSessions)
			read(t, w, o, base())
			w.AssertCalls(t, simulator.CallListSessions, pages)
		})
	})
}
