package mediafolder_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestFolderThatTheApplyMakes is not there while planning, at the first apply and at a later one.
func TestFolderThatTheApplyMakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		if err := os.Remove(w.dir); err != nil {
			t.Fatal(err)
		}
		says(t, w.plan().Diags, "The folder cannot be uploaded", "`triggers`")
		for _, id := range []string{"1", "2"} {
			_ = os.RemoveAll(w.dir)
			w.config["triggers"] = acctest.Attrs{"made": acctest.Unknown}
			pl := w.plan()
			for _, attribute := range []string{"files", "file_count", "total_size"} {
				want(t, "planned "+attribute, pl.Attrs()[attribute], acctest.Unknown)
			}
			w.config["triggers"] = acctest.Attrs{"made": id}
			pl.Config = w.config
			w.write("a.mp4", "the same content")
			w.write("b.mp4", "content "+id)
			w.ResetJournal()
			state, diags := w.Provider(w.provider).Apply(pl)
			if diags.Failed() {
				t.Fatal(diags)
			}
			w.state = state
			want(t, "files", w.names(), []string{"a.mp4", "b.mp4"})
			want(t, "PUTs", w.Count(simulator.CallPutObject), map[string]int{"1": 2, "2": 1}[id])
			w.Provider(w.provider).AssertNoChanges(w.state, w.config)
		}
	})
}

// TestReplacementDoesNotInsistOnAFolderThatNoPlanSaw continues a creation that failed, on a runner
// without the folder, which the same apply makes.
func TestReplacementDoesNotInsistOnAFolderThatNoPlanSaw(t *testing.T) {
	t.Parallel()
	for _, unknown := range []string{"triggers", "source_dir"} {
		t.Run(unknown, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "a.mp4", "bad.mp4")
				w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
				w.apply()
				w.ClearFaults()
				known := w.config
				w.config = known.With(acctest.Attrs{"triggers": acctest.Attrs{"made": acctest.Unknown}})
				if unknown == "source_dir" {
					w.config = acctest.Attrs{"source_dir": acctest.Unknown}
				}
				if err := os.Rename(w.dir, w.dir+".away"); err != nil {
					t.Fatal(err)
				}
				pl := w.plan()
				pl.Config = known
				// Delete goes on. That nothing makes the folder is found by the plan before Create.
				gone, diags := w.Provider(w.provider).Apply(pl)
				says(t, diags, "If the same apply makes the folder")
				want(t, "exists", gone.Exists(), false)
			})
		})
	}
}

// TestMovedFiles keep their key paths: nothing is sent, and no key path is forgotten or in two
// places.
func TestMovedFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "s/a.mp4", "b.mp4", "old/c.mp4")
		w.mustApply()
		before := w.keyPath("s/a.mp4")
		for from, to := range map[string]string{"s/a.mp4": "t/u/a.mp4", "b.mp4": "renamed.mp4"} {
			content, err := os.ReadFile(w.path(from))
			if err != nil {
				t.Fatal(err)
			}
			w.write(to, string(content))
			_ = os.Remove(w.path(from))
		}
		files, _ := w.plan().Attrs()["files"].(acctest.Attrs)
		moved, _ := files["t/u/a.mp4"].(acctest.Attrs)
		want(t, "planned key path", moved["key_path"], before)
		w.ResetJournal()
		diags := w.mustApply()
		want(t, "files", w.names(), []string{"old/c.mp4", "renamed.mp4", "t/u/a.mp4"})
		want(t, "PUTs", w.Count(simulator.CallPutObject), 1) // another stored name
		want(t, "key path", w.keyPath("t/u/a.mp4"), before)
		says(t, diags, "these uploads (1)", "b.mp4: ")
		if strings.Contains(diags.String(), before) {
			t.Errorf("a file that was moved is forgotten:\n%s", diags)
		}
	})
}

// TestMovedFileBesideAFailure moves a file in an apply that fails at another one.
func TestMovedFileBesideAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "s/a.mp4", "z.mp4")
		w.config["name_format"] = "flat"
		w.mustApply()
		before := w.keyPath("s/a.mp4")
		w.write("s_a.mp4", "content of s/a.mp4")
		_ = os.Remove(w.path("s/a.mp4"))
		w.write("z.mp4", "changed")
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Status: http.StatusBadRequest})
		w.apply()
		w.ClearFaults()
		want(t, "key path", w.keyPath("s_a.mp4"), before)
		want(t, "files", w.names(), []string{"s_a.mp4", "z.mp4"})
		w.sound()
	})
}

// TestDeletionProtection: the state decides, whether the block is there or not, and `false` lifts
// it.
func TestDeletionProtection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const protected = "The media folder is protected from deletion"
		w := newWorld(t, "a.mp4", "bad.mp4")
		w.config["deletion_protection"] = true
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
		w.apply()
		w.ClearFaults()
		w.mustApply() // a creation that failed is continued

		p := w.Provider(w.provider)
		state, diags := p.Destroy(w.state)
		says(t, diags, protected, "remove it from the state", "`deletion_protection = false`")
		want(t, "exists", state.Exists(), true)
		says(t, p.PlanReplace(w.state, w.config).Diags, protected, "replace it")
		tainted := w.state
		tainted.Tainted = true
		state, diags = p.Change(tainted, w.config)
		says(t, diags, protected, "terraform untaint")
		want(t, "exists after a taint", state.Exists(), true)
		state, diags = p.DestroyUnplanned(w.state)
		says(t, diags, protected, "remove it from the state")
		want(t, "exists without a plan", state.Exists(), true)
		want(t, "private state", string(state.Private), string(w.state.Private))

		w.config["deletion_protection"] = false
		w.ResetJournal()
		w.mustApply()
		want(t, "calls", w.Counts(), map[string]int{})
		if pl := p.PlanReplace(w.state, w.config); pl.Diags.Failed() {
			t.Error(pl.Diags)
		}
		state, diags = p.Destroy(w.state)
		if diags.Failed() || state.Exists() {
			t.Error(diags)
		}
	})
}

// TestFolderThatChangesInTheApply has another resource of the apply change a file of a folder whose
// creation failed, once Delete has left what is stored to the Create, whose plan Terraform would
// refuse.
func TestFolderThatChangesInTheApply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4")
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
		w.apply()
		w.ClearFaults()
		stored, pl, p := w.keyPath("a.mp4"), w.plan(), w.Provider(w.provider)
		if _, diags := p.ApplyDelete(pl); diags.Failed() {
			t.Fatal(diags)
		}
		w.write("bad.mp4", "what the apply makes")
		state, diags := p.ApplyCreate(pl)
		says(t, diags, "inconsistent final plan") // only Terraform knows what it planned
		w.state = state
		w.mustApply()
		want(t, "key path", w.keyPath("a.mp4"), stored)
	})
}

// TestTwoFoldersOfOnePath has the plan of one folder fail in the apply that continues another one
// of the same path.
func TestTwoFoldersOfOnePath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4", "other.mov")
		w.config["exclude"] = []any{"*.mov"}
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
		w.apply()
		w.ClearFaults()
		p := w.Provider(w.provider)
		stored, pl := w.keyPath("a.mp4"), w.plan()
		other := p.Plan(p.New(typeName), w.config.With(acctest.Attrs{"include": []any{"*.mov"}, "exclude": []any{}}))
		if _, diags := p.ApplyDelete(pl); diags.Failed() {
			t.Fatal(diags)
		}
		_ = os.Remove(w.path("other.mov"))
		if _, diags := p.Apply(other); !diags.Failed() || strings.Contains(diags.String(), stored) {
			t.Errorf("the other folder: %s", diags)
		}
		state, diags := p.ApplyCreate(pl)
		if w.state = state; diags.Failed() {
			t.Fatal(diags)
		}
		want(t, "key path", w.keyPath("a.mp4"), stored)
		w.sound()
	})
}

// TestTwoTaintedFoldersOfOnePath have a file in common. Each one gets one of those that are stored.
func TestTwoTaintedFoldersOfOnePath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4", "other.mov")
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
		p, first := w.Provider(w.provider), w.config.With(acctest.Attrs{"exclude": []any{"*.mov"}})
		one, _ := p.Create(typeName, first)
		two, _ := p.Create(typeName, w.config)
		w.ClearFaults()
		plans := []*acctest.Plan{p.Plan(one, first), p.Plan(two, w.config)}
		stored := []any{fileOf(one, "a.mp4")["key_path"], fileOf(two, "a.mp4")["key_path"]}
		p = w.Provider(w.provider)
		for _, pl := range plans {
			if _, diags := p.ApplyDelete(pl); diags.Failed() {
				t.Fatal(diags)
			}
		}
		for _, pl := range slices.Backward(plans) {
			state, diags := p.ApplyCreate(pl)
			if diags.Failed() {
				t.Fatal(diags)
			}
			keyPath := fileOf(state, "a.mp4")["key_path"]
			if !slices.Contains(stored, keyPath) {
				t.Errorf("the file was sent again: %s", keyPath)
			}
			stored = slices.DeleteFunc(stored, func(k any) bool { return k == keyPath })
		}
	})
}

// TestDeletionWithoutAPlanAfterAnUpdate: what the plan of an update noted does not hold back a
// client that deletes without a plan, as Pulumi does, where the files are not.
func TestDeletionWithoutAPlanAfterAnUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4")
		w.config["deletion_protection"] = true
		w.mustApply()
		w.config["deletion_protection"] = false
		w.mustApply()
		_ = os.RemoveAll(w.dir)
		after, diags := w.Provider(w.provider).DestroyUnplanned(w.state)
		if diags.Failed() || after.Exists() {
			t.Error(diags)
		}
	})
}

// TestProtectionBeginsWithSuccess: a folder whose creation failed can be destroyed.
func TestProtectionBeginsWithSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4")
		w.config["deletion_protection"] = true
		w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: put("bad.mp4"), Status: http.StatusBadRequest})
		w.apply()
		state, diags := w.Provider(w.provider).Destroy(w.state)
		if diags.Failed() || state.Exists() {
			t.Error(diags)
		}
	})
}

// TestRefusedDeleteKeepsTheStamps: the plan of a tainted folder has those of the new content. Kept
// with the old content, they would hide the change for ever.
func TestRefusedDeleteKeepsTheStamps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4")
	w.config["deletion_protection"] = true
	w.mustApply()
	w.write("a.mp4", "other content")
	tainted := w.state
	tainted.Tainted = true
	kept, diags := w.Provider(w.provider).Change(tainted, w.config)
	says(t, diags, "The media folder is protected from deletion")
	kept.Tainted = false
	want(t, "action", w.Provider(w.provider).Plan(kept, w.config).Action, acctest.Update)
}

// TestStateOfAnEarlierBuild lacks the newer attributes, and has unfinished uploads that cannot be
// read.
func TestStateOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "small.mp4")
	w.provider = w.provider.With(acctest.Attrs{"upload_concurrency": 1})
	w.mustApply()
	want(t, "protection", w.state.Attrs()["deletion_protection"], nil) // as Terraform reads the state of an earlier build
	w.write("large.mp4", large(1))
	w.config = w.config.With(inParts)
	w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "2" }, Status: http.StatusBadRequest})
	w.apply()
	w.ClearFaults()
	w.Env["VODLIVE_RESUME_DIR"] = t.TempDir()
	w.state = w.state.Edited(func(a acctest.Attrs) {
		left := a["incomplete_uploads"].(acctest.Attrs)["large.mp4"].(acctest.Attrs)
		left["completing"], left["part_size"], left["sha256"] = nil, nil, nil
	})
	if state, diags := w.Provider(w.provider).Destroy(w.state); diags.Failed() || state.Exists() {
		t.Errorf("destroy: %s", diags)
	}
	says(t, w.mustApply(), "An unfinished upload cannot be continued")
	want(t, "files", w.names(), []string{"large.mp4", "small.mp4"})
}
