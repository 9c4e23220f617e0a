package batchjob_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const address = "vodlive_batch_job.job"

// job is the configuration of a batch job, arguments a line each.
func job(arguments ...string) string {
	return fmt.Sprintf("resource \"vodlive_batch_job\" \"job\" {\n  %s\n}\n", strings.Join(arguments, "\n  "))
}

func paths(p ...string) string { return "paths = " + hclList(p) }
func modes(m ...string) string { return "service_modes = " + hclList(m) }

func hclList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = fmt.Sprintf("%q", item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func TestLifeCycle(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	first, second := server.Store(t), server.Store(t)
	cli := acctest.NewCLI(t, server)
	submitted := map[string]string{} // what was configured when an id appeared
	apply := func(what string, batches int, wantPaths, wantModes []string, arguments ...string) {
		t.Helper()
		cli.Config(job(arguments...))
		if r := cli.Must("apply", "-auto-approve"); batches > 1 && !strings.Contains(r.Output, "will be updated in-place") {
			t.Errorf("%s: no update in place:\n%s", what, r.Output)
		}
		cli.AssertNoChanges()
		values := cli.State()[address].Values
		id, _ := values["id"].(string)
		if before, known := submitted[id]; known || len(id) < 20 {
			t.Errorf("%s: the id %q is that of %q", what, id, before)
		}
		submitted[id] = what
		if message, _ := values["message"].(string); !strings.HasPrefix(message, "batch job submitted for ") {
			t.Errorf("%s: message %q", what, message)
		}
		if at, _ := values["submitted_at"].(string); len(at) != len("2026-01-02T03:04:05Z") || !strings.HasSuffix(at, "Z") {
			t.Errorf("%s: submitted_at %q", what, at)
		}
		jobs := server.Batches()
		if len(jobs) != batches {
			t.Fatalf("%s: %d jobs, want %d\n%s", what, len(jobs), batches, server.JournalText())
		}
		last := jobs[len(jobs)-1]
		if !slices.Equal(last.Paths, wantPaths) || !slices.Equal(last.ServiceModes, wantModes) {
			t.Errorf("%s: submitted %+v", what, last)
		}
	}
	one := []string{"video_optimizer"}
	apply("create", 1, []string{first}, one, paths(first), modes(one...))
	apply("paths", 2, []string{first, second}, one, paths(first, second), modes(one...))
	apply("order of paths", 3, []string{second, first}, one, paths(second, first), modes(one...))
	apply("modes", 4, []string{second, first}, []string{"video_optimizer", "preview"}, paths(second, first), modes("video_optimizer", "preview"))
	apply("trigger added", 5, []string{second, first}, one, paths(second, first), modes(one...), `triggers = { version = "1" }`)
	apply("trigger changed", 6, []string{second, first}, one, paths(second, first), modes(one...), `triggers = { version = "2" }`)
	apply("trigger removed", 7, []string{second, first}, one, paths(second, first), modes(one...))

	server.ResetJournal()
	cli.Must("destroy", "-auto-approve")
	if made := server.Journal(); len(made) > 0 || len(server.Batches()) != 7 {
		t.Errorf("destroying called the service:\n%s", server.JournalText())
	}
	if state := cli.State(); len(state) > 0 {
		t.Errorf("the state still has %v", state)
	}
}

// TestPathsOfAnUpload: key paths that are not known while planning.
func TestPathsOfAnUpload(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	cli.Write("a.mp4", "first")
	cli.Write("b.mp4", "second")
	const upload = "resource \"vodlive_media_upload\" \"file\" {\n  for_each = toset([\"a.mp4\", \"b.mp4\"])\n  source   = each.key\n}\n"
	cli.Config(upload + job(`paths = [for f in vodlive_media_upload.file : f.key_path]`, modes("video_optimizer")))
	cli.Must("apply", "-auto-approve")
	cli.AssertNoChanges()
	objects := server.Objects()
	var keys []string
	for _, o := range objects {
		keys = append(keys, o.KeyPath)
	}
	batches := server.Batches()
	if len(batches) != 1 || len(keys) != 2 || !slices.Equal(slices.Sorted(slices.Values(batches[0].Paths)), slices.Sorted(slices.Values(keys))) {
		t.Errorf("submitted %+v, stored %v", batches, keys)
	}
	// New content is a new file with a new key path, and so a new job.
	cli.Write("b.mp4", "third, and longer")
	cli.Must("apply", "-auto-approve")
	if batches := server.Batches(); len(batches) != 2 {
		t.Errorf("%d jobs after a file has changed, want 2", len(batches))
	}
}

func TestCreateFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault   simulator.Fault
		path    string // instead of that of a stored file
		text    []string
		calls   int
		batches int
	}{
		"answer lost": {
			fault: simulator.Fault{Times: 1, BreakAfter: true}, calls: 1, batches: 1,
			text: []string{"The batch job may have been submitted", "connection broken", "- {path}", "The provider did not send the request again.", "applying again submits a second job"},
		},
		"request lost": {
			fault: simulator.Fault{Times: 1, BreakBefore: true}, calls: 1,
			text: []string{"The batch job may have been submitted", "- {path}"},
		},
		"unavailable": {
			fault: simulator.Fault{Times: 1, Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"1"}}}, calls: 1,
			text: []string{"The batch job may have been submitted", "503 Service Unavailable", "- {path}"},
		},
		"failed after processing": {
			fault: simulator.Fault{Times: 1, Status: http.StatusInternalServerError, Processed: true}, calls: 1, batches: 1,
			text: []string{"The batch job may have been submitted", "500 Internal Server Error", "- {path}"},
		},
		"refused": {
			fault: simulator.Fault{Times: 1, Status: http.StatusUnprocessableEntity, Body: `{"message":"no such mode"}`}, calls: 1,
			text: []string{"Submitting the batch job failed", "422 Unprocessable Entity: no such mode"},
		},
		"no such file": {
			path: "vod/input/c/u/none.mp4", calls: 1,
			text: []string{"Submitting the batch job failed", `there is no file at "vod/input/c/u/none.mp4"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			stored := w.Store(t)
			if tc.fault.Times > 0 {
				tc.fault.Call = simulator.CallBatch
				w.Fail(tc.fault)
			}
			path := cmp.Or(tc.path, stored)
			o, diags := w.Provider(nil).Create("vodlive_batch_job", on(path))
			for _, text := range tc.text {
				if text = strings.ReplaceAll(text, "{path}", path); !diags.Failed() || !strings.Contains(diags.String(), text) {
					t.Errorf("the diagnostics lack %q: %s", text, diags)
				}
			}
			if text := diags.String(); strings.Contains(text, "may have been submitted") && strings.Contains(text, "Apply again") {
				t.Errorf("the error advises to apply again: %s", text)
			}
			w.AssertCalls(t, simulator.CallBatch, tc.calls)
			if n := len(w.Batches()); n != tc.batches {
				t.Errorf("%d jobs, want %d", n, tc.batches)
			}
			if o.Exists() {
				t.Errorf("the state has %v", o.Attrs())
			}
			// Applying again is the user's decision, and submits.
			_, diags = w.Provider(nil).Change(o, on(stored))
			diags.Must(t)
			w.AssertCalls(t, simulator.CallBatch, tc.calls+1)
		})
	}
}

// on is a job on one file.
func on(path string) acctest.Attrs {
	return acctest.Attrs{"paths": []string{path}, "service_modes": []string{"video_optimizer"}}
}

// TestSurelyNotProcessedIsRepeated: a 429 refuses before anything is done.
func TestSurelyNotProcessedIsRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		path := w.Store(t)
		w.Fail(simulator.Fault{Call: simulator.CallBatch, Times: 2, Status: http.StatusTooManyRequests})
		_, diags := w.Provider(nil).Create("vodlive_batch_job", on(path))
		diags.Must(t)
		w.AssertCalls(t, simulator.CallBatch, 3)
		if n := len(w.Batches()); n != 1 {
			t.Errorf("%d jobs, want 1", n)
		}
	})
}

func TestImportIsRefused(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	_, diags := w.Provider(nil).Import("vodlive_batch_job", "some-id")
	if !diags.Failed() || !strings.Contains(diags.String(), "A batch job cannot be imported") {
		t.Error(diags)
	}
	if n := len(w.Journal()); n > 0 {
		t.Errorf("%d requests were made", n)
	}
}

// TestInvalidConfigurations leaves out what Terraform finds by the schema: missing arguments and
// those of another type.
func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	const path, mode = "vod/input/c/u/f.mp4", "video_optimizer"
	p := acctest.NewProvider(t, nil)
	for name, tc := range map[string]struct {
		change acctest.Attrs
		want   []string
	}{
		"no paths":             {acctest.Attrs{"paths": []string{}}, []string{"error paths: ", "must contain at least 1 elements"}},
		"no modes":             {acctest.Attrs{"service_modes": []string{}}, []string{"error service_modes: ", "must contain at least 1 elements"}},
		"a path twice":         {acctest.Attrs{"paths": []string{path, path}}, []string{"error paths: ", "duplicate", path}},
		"a mode twice":         {acctest.Attrs{"service_modes": []string{mode, mode}}, []string{"error service_modes: ", "duplicate", mode}},
		"a blank path":         {acctest.Attrs{"paths": []string{path, " \t"}}, []string{"error paths.[]: ", "paths[1]", "must be a key path"}},
		"a local path":         {acctest.Attrs{"paths": []string{"promo.mp4"}}, []string{"error paths.[]: Invalid key path: `paths[0]` is \"promo.mp4\"", "must be a key path, vod/input/<customer id>", "`key_path`"}},
		"a mode in capitals":   {acctest.Attrs{"service_modes": []string{"VIDEO_OPTIMIZER"}}, []string{"warning service_modes.[]: Unknown mode in service_modes: \"VIDEO_OPTIMIZER\" is not", "Did you mean \"video_optimizer\"?"}},
		"a mode with a hyphen": {acctest.Attrs{"service_modes": []string{"video-optimizer"}}, []string{"warning service_modes.[]: "}},
		"a letter too many":    {acctest.Attrs{"service_modes": []string{"video_optimizers"}}, []string{"warning service_modes.[]: "}},
		"exchanged letters":    {acctest.Attrs{"service_modes": []string{"vidoe_optimizer"}}, []string{"warning service_modes.[]: "}},
		"British":              {acctest.Attrs{"service_modes": []string{"video_optimiser"}}, []string{"warning service_modes.[]: "}},

		"a blank mode": {acctest.Attrs{"service_modes": []string{""}}, []string{"error service_modes.[]: ", "service_modes[0]", "must not be blank"}},
		"a null path":  {acctest.Attrs{"paths": []any{path, nil}}, []string{"This attribute contains a null value"}},
		"another mode": {acctest.Attrs{"service_modes": []string{"audio_optimizer", mode}}, nil},
		"an id":        {acctest.Attrs{"id": "mine"}, []string{"error id: ", "Invalid Configuration for Read-Only Attribute"}},
	} {
		text := p.Validate("vodlive_batch_job", on(path).With(tc.change)).String()
		if tc.want == nil && text != "" {
			t.Errorf("%s: %s", name, text)
		}
		for _, want := range tc.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the diagnostics lack %q: %s", name, want, text)
			}
		}
	}
}

// TestUploadHalfIsNeeded: found by the plan, not by a 401.
func TestUploadHalfIsNeeded(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	w.Env["VODLIVE_ID_TOKEN"] = ""
	p := w.Provider(nil)
	text := p.Plan(p.New("vodlive_batch_job"), on("vod/input/c/u/f.mp4")).Diags.String()
	if !strings.Contains(text, "needed by vodlive_batch_job, which calls the upload and batch API") || !strings.Contains(text, "`id_token`") {
		t.Error(text)
	}
	if n := len(w.Journal()); n > 0 {
		t.Errorf("%d requests were made", n)
	}
}
