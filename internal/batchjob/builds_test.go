package batchjob_test

import (
	"net/http"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestJobOfEveryBuild: a job that is not recognised would be submitted again.
func TestJobOfEveryBuild(t *testing.T) {
	t.Parallel()
	const keyPath = "vod/input/customer-4821/7d1f1c9c-96a5-4f0e-8d11-6d1d9f0f2a11/match.mp4"
	config := on(keyPath).With(acctest.Attrs{"triggers": acctest.Attrs{"version": "1"}})
	acctest.Builds(t, "job", func(t *testing.T, path string) {
		w := acctest.NewWorld(t, simulator.Options{})
		w.Fail(simulator.Fault{Call: simulator.CallBatch, Status: http.StatusOK, Body: `{"message":"batch job submitted"}`})
		p := w.Provider(nil)
		o, diags := p.Create("vodlive_batch_job", config)
		diags.Must(t)
		p.Keep(o, path)
	}, func(t *testing.T, path string) {
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(nil)
		o := p.Kept("vodlive_batch_job", path)
		if pl := p.Plan(o, config); pl.Action != acctest.NoOp || pl.Diags.String() != "" {
			t.Errorf("planned %s: %v: %s", pl.Action, pl.Attrs(), pl.Diags)
		}
		if pl := p.Plan(o, config.With(acctest.Attrs{"triggers": acctest.Attrs{"version": "2"}})); pl.Action != acctest.Update {
			t.Errorf("another trigger: planned %s: %s", pl.Action, pl.Diags)
		}
		w.AssertCalls(t, simulator.CallBatch, 0)
	})
}
