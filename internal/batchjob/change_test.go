package batchjob_test

import (
	"net/http"
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
		kept             bool
	}{
		"the same path":       {planned: acctest.Attrs{"paths": []any{unknown}}, kept: true},
		"all paths":           {planned: acctest.Attrs{"paths": unknown}, kept: true},
		"modes":               {planned: acctest.Attrs{"service_modes": unknown}, kept: true},
		"a trigger":           {planned: acctest.Attrs{"triggers": acctest.Attrs{"a": unknown}}, kept: true},
		"everything":          {planned: acctest.Attrs{"paths": unknown, "service_modes": unknown, "triggers": unknown}, kept: true},
		"another trigger":     {planned: acctest.Attrs{"triggers": acctest.Attrs{"a": unknown}}, applied: acctest.Attrs{"triggers": acctest.Attrs{"a": "2"}}},
		"another known value": {planned: acctest.Attrs{"paths": []any{unknown}, "service_modes": []string{"other"}}, applied: acctest.Attrs{"service_modes": []string{"other"}}},
		"no unknown value":    {planned: acctest.Attrs{"triggers": acctest.Attrs{"a": "2"}}, applied: acctest.Attrs{"triggers": acctest.Attrs{"a": "2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			config := on(w.Store(t)).With(acctest.Attrs{"triggers": acctest.Attrs{"a": "1"}})
			first, diags := w.Provider(nil).Create("vodlive_batch_job", config)
			diags.Must(t)
			plan := w.Provider(nil).Plan(first, config.With(tt.planned))
			plan.Diags.Must(t)
			if plan.Action != acctest.Update {
				t.Errorf("the plan is to %s", plan.Action)
			}
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

// TestSameTriggers: spellings of no triggers submit nothing.
func TestSameTriggers(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	config := on(w.Store(t))
	o, diags := w.Provider(nil).Create("vodlive_batch_job", config)
	diags.Must(t)
	id := o.Text("id")
	for _, triggers := range []any{acctest.Attrs{}, acctest.Attrs{"a": nil}, acctest.Attrs{"a": nil, "b": nil}, nil} {
		given := config.With(acctest.Attrs{"triggers": triggers})
		o, diags = w.Provider(nil).Change(o, given)
		diags.Must(t)
		if o.Text("id") != id {
			t.Errorf("triggers %v: the job was submitted again", triggers)
		}
		w.Provider(nil).AssertNoChanges(o, given)
	}
	w.AssertCalls(t, simulator.CallBatch, 1)
}

// TestRefusedChangeKeepsTheJob: the state has the job that was submitted until the service has
// accepted another one.
func TestRefusedChangeKeepsTheJob(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]simulator.Fault{
		"refused":     {Status: http.StatusBadRequest, Body: `{"message":"no such mode"}`},
		"answer lost": {BreakAfter: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			config := on(w.Store(t))
			o, diags := w.Provider(nil).Create("vodlive_batch_job", config)
			diags.Must(t)
			fault.Call = simulator.CallBatch
			w.Fail(fault)
			now, diags := w.Provider(nil).Change(o, config.With(acctest.Attrs{"service_modes": []string{"other"}}))
			if !diags.Failed() || !now.State.Equal(o.State) || now.Tainted {
				t.Errorf("the job is %v: %s", now.Attrs(), diags)
			}
			w.ClearFaults()
			w.Provider(nil).AssertNoChanges(now, config)
		})
	}
}

// TestFailedUploadKeepsTheJob: a job is not submitted again, nor forgotten, where the file that it
// depends on cannot be uploaded.
func TestFailedUploadKeepsTheJob(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	cli.Write("a.mp4", "first")
	const upload = "resource \"vodlive_media_upload\" \"file\" {\n  source = \"a.mp4\"\n}\n"
	cli.Config(upload + job(`paths = [vodlive_media_upload.file.key_path]`, modes("video_optimizer")))
	cli.Must("apply", "-auto-approve")
	before := cli.State()
	cli.Write("a.mp4", "second, and longer")
	cli.Must("plan", "-out=saved.plan")
	server.Fail(simulator.Fault{Call: simulator.CallPresignURL, Status: http.StatusForbidden})
	r := cli.Run("apply", "saved.plan")
	after := cli.State()
	if r.Code == 0 || after[address].Values["id"] != before[address].Values["id"] || after["vodlive_media_upload.file"].Values["key_path"] != before["vodlive_media_upload.file"].Values["key_path"] {
		t.Errorf("exit code %d, %v\n%s", r.Code, after, r.Output)
	}
	server.ClearFaults()
	cli.Write("a.mp4", "first")
	cli.AssertNoChanges()
	if n := len(server.Batches()); n != 1 {
		t.Errorf("%d jobs were submitted", n)
	}
}

// TestReplaceSubmitsAgain: with -replace or replace_triggered_by, a plan replaces a job without a
// change, and the job that leaves the state is named.
func TestReplaceSubmitsAgain(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	config := on(w.Store(t))
	first, diags := w.Provider(nil).Create("vodlive_batch_job", config)
	diags.Must(t)
	for name, planned := range map[string]acctest.Attrs{"known": config, "not known": config.With(acctest.Attrs{"paths": acctest.Unknown})} {
		plan := w.Provider(nil).PlanReplace(first, planned)
		plan.Diags.Must(t)
		plan.Config = config
		second, diags := w.Provider(nil).Apply(plan)
		diags.Must(t)
		if second.Text("id") == first.Text("id") {
			t.Errorf("%s: the job is kept", name)
		}
		for _, want := range []string{"The batch job is not stopped", first.Text("submitted_at"), config["paths"].([]string)[0]} {
			if !strings.Contains(diags.String(), want) {
				t.Errorf("%s: the diagnostics lack %q: %s", name, want, diags)
			}
		}
	}
	w.AssertCalls(t, simulator.CallBatch, 3)
}
