package batchjob_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestKilledSubmission: a job of a run whose response reached nobody is taken over if the service
// had answered. Otherwise it is reported once.
func TestKilledSubmission(t *testing.T) {
	t.Parallel()
	const typeName = "vodlive_batch_job"
	for name, tc := range map[string]struct {
		fault simulator.Fault
		then  acctest.Attrs // what is asked for after the kill, over what was asked for before
		jobs  []int         // submitted by the applies that follow
		says  []string
	}{
		"answered":          {jobs: []int{0}, says: []string{"The batch job of an earlier run was taken over", "no other job was submitted"}},
		"no trigger is set": {then: acctest.Attrs{"triggers": acctest.Attrs{"none": nil}}, jobs: []int{0}, says: []string{"was taken over"}},
		"other arguments":   {then: acctest.Attrs{"triggers": acctest.Attrs{"run": "2"}}, jobs: []int{1}},
		"not answered": {
			fault: simulator.Fault{Call: simulator.CallBatch, Times: 1, BreakAfter: true}, jobs: []int{0, 1},
			says: []string{"The batch job may have been submitted", "A run that Terraform could not finish submitted a job", "vod/input/customer-4821/", "Find out at the service"},
		},
		"surely not processed": {fault: simulator.Fault{Call: simulator.CallBatch, Times: 1, Status: 400}, jobs: []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				config := acctest.Attrs{"paths": []string{w.Store(t)}, "service_modes": []string{"video_optimizer"}}
				provider := acctest.Attrs{"max_retries": 0}
				if tc.fault.Call != "" {
					w.Fail(tc.fault)
				}
				p := w.Provider(provider)
				killed, _ := p.Create(typeName, config)
				p.Kill()
				for i, jobs := range tc.jobs {
					w.ResetJournal()
					o, diags := w.Provider(provider).Create(typeName, config.With(tc.then))
					w.AssertCalls(t, simulator.CallBatch, jobs)
					if said := len(tc.says) > 0 && i == 0; !said && diags.String() != "" {
						t.Errorf("the diagnostics are %s", diags)
					} else if said {
						for _, part := range tc.says {
							if !strings.Contains(diags.String(), part) {
								t.Errorf("the diagnostics lack %q: %s", part, diags)
							}
						}
					}
					if i == len(tc.jobs)-1 && !o.Exists() {
						t.Error("there is no state")
					}
					for _, name := range []string{"id", "message", "submitted_at"} {
						if taken := jobs == 0 && killed.Exists(); taken && o.Text(name) != killed.Text(name) {
							t.Errorf("%s is %q, want %q", name, o.Text(name), killed.Text(name))
						}
					}
				}
			})
		})
	}
}
