package livesession_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestKilledBetweenDeleteAndCreate: the next run is told of the session, because a state may still
// have it.
func TestKilledBetweenDeleteAndCreate(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{"killed": false, "refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				w.Fail(notReady)
				given := base().With(config{"timeouts": config{"create": "1m"}})
				o, _ := w.Provider(once).Create(resourceType, given)
				w.ClearFaults()
				p := w.Provider(once)
				if refused {
					w.Fail(simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusForbidden})
					_, diags := p.Apply(p.Plan(o, base()))
					w.ClearFaults()
					if !strings.Contains(diags.String(), "The live session of an earlier run cannot be read") {
						t.Errorf("got %s", diags)
					}
				} else {
					p.ApplyDelete(p.Plan(o, base()))
				}
				p.End()
				for range 2 {
					now, diags := w.Provider(once).Create(resourceType, base())
					if !strings.Contains(diags.String(), "An earlier run has created this live session") || !strings.Contains(diags.String(), o.Text("id")) || now.Exists() {
						t.Errorf("%v: %s", now.Attrs(), diags)
					}
				}
				o, diags := w.Provider(once).Import(resourceType, o.Text("id"))
				diags.Must(t)
				w.Provider(once).AssertNoChanges(o, base())
				w.AssertCalls(t, simulator.CallCreateSession, 1)
			})
		})
	}
}
