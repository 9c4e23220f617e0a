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
		"a path twice": {config: acctest.Attrs{"paths": []string{"a", "a"}}, text: []string{"duplicate"}},
		"a blank path": {config: acctest.Attrs{"paths": []string{" "}}, text: []string{"must not be blank"}},
		"a blank mode": {config: acctest.Attrs{"service_modes": []string{""}}, text: []string{"must not be blank"}},
		"unknown file": {config: acctest.Attrs{"paths": []string{"vod/input/c/u/none.mp4"}}, text: []string{"Submitting the batch job failed", "400"}, calls: 1},
		"answer lost":  {fault: simulator.Fault{Call: simulator.CallBatch, BreakAfter: true}, text: []string{"The batch job may have been submitted", "vod/input/", "did not send the request again", "invoking the action again submits a second job"}, calls: 1},
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
