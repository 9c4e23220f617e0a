package batchjob_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestActionSubmitsEachTime(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(nil)
	config := acctest.Attrs{"paths": []string{w.Store(t)}, "service_modes": []string{"video_optimizer"}}
	for range 2 {
		progress, diags := p.Invoke("vodlive_submit_batch_job", config)
		if len(diags) > 0 || len(progress) != 2 || !strings.HasPrefix(progress[1], "submitted: ") {
			t.Fatalf("progress %q: %s", progress, diags)
		}
	}
	w.AssertCalls(t, simulator.CallBatch, 2)
}

func TestActionFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config acctest.Attrs
		fault  simulator.Fault
		text   []string
		calls  int
	}{
		"no paths":     {config: acctest.Attrs{"paths": []string{}}, text: []string{"at least 1"}},
		"a path twice": {config: acctest.Attrs{"paths": []string{"vod/input/c/u/a", "vod/input/c/u/a"}}, text: []string{"duplicate"}},
		"a blank path": {config: acctest.Attrs{"paths": []string{" "}}, text: []string{"must be a key path"}},
		"a blank mode": {config: acctest.Attrs{"service_modes": []string{""}}, text: []string{"must not be blank"}},
		"unknown file": {config: acctest.Attrs{"paths": []string{"vod/input/c/u/none.mp4"}}, text: []string{"Submitting the batch job failed", "400"}, calls: 1},
		"answer lost":  {fault: simulator.Fault{Call: simulator.CallBatch, BreakAfter: true}, text: []string{"The batch job may have been submitted", "vod/input/", "did not send the request again", "remove the file "}, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			config := acctest.Attrs{"paths": []string{w.Store(t)}, "service_modes": []string{"video_optimizer"}}.With(tc.config)
			if tc.fault.Call != "" {
				w.Fail(tc.fault)
			}
			_, diags := w.Provider(nil).Invoke("vodlive_submit_batch_job", config)
			for _, part := range tc.text {
				if !strings.Contains(diags.String(), part) {
					t.Errorf("the diagnostics lack %q: %s", part, diags)
				}
			}
			w.AssertCalls(t, simulator.CallBatch, tc.calls)
		})
	}
}

// TestCustomerThatIsNotAllowed refuses a key path that the plan knows in the plan, and another one
// when it is known.
func TestCustomerThatIsNotAllowed(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(acctest.Attrs{"allowed_customer_ids": []string{"customer-1"}})
	config := acctest.Attrs{"paths": []string{"vod/input/customer-1/u/a.mp4", w.Store(t)}, "service_modes": []string{"video_optimizer"}}
	refused := func(what string, diags acctest.Diagnostics) {
		t.Helper()
		for _, part := range []string{"error paths", "The key path is not allowed", `customer "customer-4821"`, `only ["customer-1"]`} {
			if !strings.Contains(diags.String(), part) {
				t.Errorf("%s: the diagnostics lack %q: %s", what, part, diags)
			}
		}
		if strings.Contains(diags.String(), `customer "customer-1"`) {
			t.Errorf("%s: the allowed key path is refused: %s", what, diags)
		}
	}
	_, diags := p.Invoke("vodlive_submit_batch_job", config)
	refused("action", diags)
	refused("plan", p.Plan(p.New("vodlive_batch_job"), config).Diags)

	later := p.Plan(p.New("vodlive_batch_job"), config.With(acctest.Attrs{"paths": acctest.Unknown}))
	later.Diags.Must(t)
	later.Config = config
	_, diags = p.Apply(later)
	refused("apply", diags)
	w.AssertCalls(t, simulator.CallBatch, 0)

	p = w.Provider(acctest.Attrs{"allowed_customer_ids": []string{"customer-1", simulator.DefaultCustomerID}})
	config["paths"] = []string{w.Store(t)}
	_, diags = p.Create("vodlive_batch_job", config)
	diags.Must(t)
}
