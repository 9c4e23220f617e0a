package livesession_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestAdvisoryCheckHoldsNoPlan: the check of the region, which ends as a warning, takes 15 seconds
// at most, however many sessions are planned.
func TestAdvisoryCheckHoldsNoPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		w.Fail(simulator.Fault{Call: simulator.CallRegions, Status: http.StatusServiceUnavailable})
		p, began := w.Provider(nil), time.Now()
		for range 3 {
			pl := p.Plan(p.New(resourceType), base())
			if pl.Diags.Failed() || len(pl.Diags) == 0 {
				t.Errorf("diagnostics: %s", pl.Diags)
			}
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("the plan took %s", took)
		}
	})
}
