package batchjob_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestUnknownArguments has arguments that the plan does not know come out as they were, or not.
func TestUnknownArguments(t *testing.T) {
	t.Parallel()
	unknown := acctest.Unknown
	for name, tt := range map[string]struct {
		planned, applied acctest.Attrs
		before           bool // create_before_destroy
		kept             bool
	}{
		"the same path":        {planned: acctest.Attrs{"paths": []any{unknown}}, kept: true},
		"all paths":            {planned: acctest.Attrs{"paths": unknown}, kept: true},
		"modes":                {planned: acctest.Attrs{"service_modes": unknown}, kept: true},
		"a trigger":            {planned: acctest.Attrs{"triggers": acctest.Attrs{"a": unknown}}, kept: true},
		"everything":           {planned: acctest.Attrs{"paths": unknown, "service_modes": unknown, "triggers": unknown}, kept: true},
		"another trigger":      {planned: acctest.Attrs{"triggers": acctest.Attrs{"a": unknown}}, applied: acctest.Attrs{"triggers": acctest.Attrs{"a": "2"}}},
		"another known value":  {planned: acctest.Attrs{"paths": []any{unknown}, "service_modes": []string{"other"}}, applied: acctest.Attrs{"service_modes": []string{"other"}}},
		"no unknown value":     {planned: acctest.Attrs{"triggers": acctest.Attrs{"a": "2"}}, applied: acctest.Attrs{"triggers": acctest.Attrs{"a": "2"}}},
		"create before delete": {planned: acctest.Attrs{"paths": unknown}, before: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			config := on(w.Store(t)).With(acctest.Attrs{"triggers": acctest.Attrs{"a": "1"}})
			first, diags := w.Provider(nil).Create("vodlive_batch_job", config)
			diags.Must(t)
			plan := w.Provider(nil).Plan(first, config.With(tt.planned))
			plan.Diags.Must(t)
			plan.CreateBeforeDestroy = tt.before
			plan.Config = config.With(tt.applied)
			second, diags := w.Provider(nil).Apply(plan)
			diags.Must(t)
			calls := 2
			if tt.kept {
				calls = 1
			}
			w.AssertCalls(t, simulator.CallBatch, calls)
			if kept := second.State.Equal(first.State); kept != tt.kept {
				t.Errorf("the job is kept: %v, want %v: %v", kept, tt.kept, second.Attrs())
			}
			w.Provider(nil).AssertNoChanges(second, plan.Config)
		})
	}
}

// TestKeptJobsAreNotMixedUp replaces several jobs at once, of which some are equal.
func TestKeptJobsAreNotMixedUp(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := w.Store(t)
	p := w.Provider(nil)
	ids := map[string]bool{}
	for _, trigger := range []string{"1", "2", "2", "3"} {
		config := on(path).With(acctest.Attrs{"triggers": acctest.Attrs{"a": trigger}})
		o, diags := p.Create("vodlive_batch_job", config)
		diags.Must(t)
		plan := p.Plan(o, config.With(acctest.Attrs{"paths": acctest.Unknown}))
		plan.Diags.Must(t)
		plan.Config = config
		kept, diags := p.Apply(plan)
		diags.Must(t)
		if !kept.State.Equal(o.State) || ids[kept.Text("id")] {
			t.Errorf("the job with trigger %s was %v, and is %v", trigger, o.Attrs(), kept.Attrs())
		}
		ids[kept.Text("id")] = true
	}
	w.AssertCalls(t, simulator.CallBatch, 4)
}

// TestSavedPlanWithoutTheFileKeepsTheJob applies a plan where the file is not that it uploads.
func TestSavedPlanWithoutTheFileKeepsTheJob(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	path := filepath.Join(t.TempDir(), "media.mp4")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	p := w.Provider(nil)
	file, diags := p.Create("vodlive_media_upload", acctest.Attrs{"source": path})
	diags.Must(t)
	config := on(file.Text("key_path"))
	job, diags := p.Create("vodlive_batch_job", config)
	diags.Must(t)
	write("second")
	p.Plan(file, acctest.Attrs{"source": path}).Diags.Must(t)
	plan := p.Plan(job, config.With(acctest.Attrs{"paths": []any{acctest.Unknown}}))
	plan.Diags.Must(t)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	after, diags := w.Provider(nil).Apply(plan)
	if !strings.Contains(diags.String(), "so nothing was replaced") || !after.State.Equal(job.State) {
		t.Errorf("the job is %v: %s", after.Attrs(), diags)
	}
	after, diags = w.Provider(nil).Destroy(after) // needs no file
	if diags.Must(t); after.Exists() {
		t.Errorf("the job is not destroyed: %v", after.Attrs())
	}
}

// TestReplaceSubmitsAgain: with -replace or replace_triggered_by, a plan replaces a job without a change.
func TestReplaceSubmitsAgain(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	config := on(w.Store(t))
	first, diags := w.Provider(nil).Create("vodlive_batch_job", config)
	diags.Must(t)
	plan := w.Provider(nil).PlanReplace(first, config)
	plan.Diags.Must(t)
	second, diags := w.Provider(nil).Apply(plan)
	diags.Must(t)
	if second.Text("id") == first.Text("id") {
		t.Error("the job is kept")
	}
	w.AssertCalls(t, simulator.CallBatch, 2)
}
