package batchjob_test

import (
	"net/http"
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
