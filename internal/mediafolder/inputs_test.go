package mediafolder_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestEmptiedFileOfAFolder stays as it is stored, with a warning, beside one that is sent.
func TestEmptiedFileOfAFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "b.mp4", "c.mp4")
	w.mustApply()
	before := w.keyPath("a.mp4")
	w.write("a.mp4", "")
	w.write("b.mp4", "changed")
	diags := w.apply()
	if diags.Failed() {
		t.Fatal(diags)
	}
	says(t, diags, "warning source_dir: Uploaded files are empty here", "  - a.mp4")
	want(t, "key path", w.keyPath("a.mp4"), before)
	want(t, "PUTs", w.Count(simulator.CallPutObject), 4)
	for _, name := range []string{"b.mp4", "c.mp4"} {
		w.write(name, "")
	}
	want(t, "action", w.plan().Action, acctest.NoOp)
	if gone, diags := w.Provider(w.provider).Destroy(w.state); diags.Failed() || gone.Exists() {
		t.Error(diags)
	}
}

// TestProtectedFolder keeps its key paths when `source_dir` changes, and warns of a file that
// changed. Lifting the protection always works, and so does moving the folder.
func TestProtectedFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "b.mp4")
	w.config["deletion_protection"] = true
	w.mustApply()
	other := newWorld(t, "c.mp4")
	moved := w.config.With(acctest.Attrs{"source_dir": other.dir})
	says(t, w.Provider(w.provider).Plan(w.state, moved).Diags, "The media folder is protected from deletion", "remove 2 files from the state")
	lifted := w.Provider(w.provider).Plan(w.state, moved.With(acctest.Attrs{"deletion_protection": false}))
	if lifted.Diags.Failed() {
		t.Error(lifted.Diags)
	}
	later := w.Provider(w.provider).Plan(w.state, moved.With(acctest.Attrs{"deletion_protection": acctest.Unknown}))
	later.Diags.Must(t)
	later.Config = moved
	kept, diags := w.Provider(w.provider).Apply(later)
	says(t, diags, "The media folder is protected from deletion")
	if kept.Attrs()["source_dir"] != w.dir {
		t.Errorf("the state has %v", kept.Attrs()["source_dir"])
	}
	for name, missing := range map[string]string{"gone": "which does not exist on this machine", "emptied": "which has none of its files any more"} {
		dir := filepath.Join(t.TempDir(), name)
		if name == "emptied" {
			_ = os.Mkdir(dir, 0o700)
		}
		says(t, w.Provider(w.provider).Plan(w.state, moved.With(acctest.Attrs{"source_dir": dir})).Diags, "The media folder is protected from deletion", dir, missing)
	}
	w.write("b.mp4", "changed")
	pl := w.plan()
	says(t, pl.Diags, "warning : Uploaded files stay at the service", w.keyPath("b.mp4"))
	if pl.Diags.Failed() {
		t.Error(pl.Diags)
	}
	w.write("b.mp4", "content of b.mp4")
	if err := os.Rename(w.dir, w.dir+".moved"); err != nil {
		t.Fatal(err)
	}
	w.dir += ".moved"
	w.config["source_dir"] = w.dir
	w.mustApply()
}

// TestFolderOfAnotherCustomer is an error of every plan but a destroy.
func TestFolderOfAnotherCustomer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4")
	w.mustApply()
	w.write("b.mp4", "new")
	w.provider = w.provider.With(acctest.Attrs{"allowed_customer_ids": []any{"other"}})
	says(t, w.plan().Diags, "The key path is not allowed", "a.mp4: "+w.keyPath("a.mp4"), "that are not allowed (1)")
	if gone, diags := w.Provider(w.provider).Destroy(w.state); diags.Failed() || gone.Exists() {
		t.Error(diags)
	}
}

// TestNamesThatAreNotSelected in `sha256s` get advice that helps.
func TestNamesThatAreNotSelected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "b.mov", "C.MP4")
	w.config = w.config.With(acctest.Attrs{"include": []any{"*.{mp4,MP4}"}, "sha256s": acctest.Attrs{
		"b.mov": strings.Repeat("0", 64), "c.mp4": strings.Repeat("0", 64), "gone.mp4": strings.Repeat("0", 64),
	}})
	says(t, w.plan().Diags, "error sha256s", "b.mov: it is there, but `include` and `exclude` do not select it", `c.mp4: there is "C.MP4"`,
		"gone.mp4: there is no such file", "Remove these names from `sha256s`")
}

// TestFileTooLargeForItsMethod is found before anything is read.
func TestFileTooLargeForItsMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "large.mp4")
	if err := os.Truncate(w.path("large.mp4"), 100<<30); err != nil {
		t.Skip(err)
	}
	for text, arguments := range map[string]acctest.Attrs{
		"Leave `method` out": {"method": "single"}, "Raise `part_size`": {"part_size": 5 * mib},
	} {
		says(t, w.Provider(w.provider).Plan(w.state, w.config.With(arguments)).Diags, filepath.Join(w.dir, "large.mp4"), text)
	}
}

// TestPatternThatIsAName: brackets and braces of a name are taken for wildcards, so the file would
// be left out, or uploaded, without a word. The pattern that the warning shows matches it.
func TestPatternThatIsAName(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files            []string
		include, exclude []any
		says             string
	}{
		"not dropped":        {[]string{"a.mp4", "cut [final].mp4"}, []any{"**"}, []any{"cut [final].mp4"}, `"cut [final].mp4" does not match "cut [final].mp4". Write "cut [[]final].mp4"`},
		"folder not dropped": {[]string{"a.mp4", "x/take [1]/b.mp4", "x/take [1]/c.mp4"}, []any{"**"}, []any{"/x/take [1]/"}, `"/x/take [1]/" does not match "x/take [1]". Write "/x/take [[]1]/"`},
		"not selected":       {[]string{"a.mp4", "{draft}.mp4"}, []any{"a.mp4", "{draft}.mp4"}, nil, `Write "[{]draft[}].mp4"`},
		"none":               {[]string{"a[1].mp4"}, []any{"a[1].mp4"}, nil, `error source_dir: The folder cannot be uploaded`},
		"another folder":     {[]string{"a.mp4", "x/a[1].mp4"}, []any{"**"}, []any{"/a[1].mp4"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.files...)
			w.config = w.config.With(acctest.Attrs{"include": tc.include, "exclude": tc.exclude})
			diags := w.plan().Diags.String()
			if tc.says == "" {
				want(t, "diagnostics", diags, "")
				return
			}
			says(t, w.plan().Diags, tc.says)
			_, written, _ := strings.Cut(diags, "Write \"")
			written, _, _ = strings.Cut(written, "\"")
			if tc.exclude != nil {
				w.config["exclude"] = []any{written}
			} else {
				w.config["include"] = append(tc.include[:len(tc.include)-1], written)
			}
			w.mustApply()
			want(t, "diagnostics", w.plan().Diags.String(), "")
			want(t, "files", len(w.files()), len(tc.include))
		})
	}
}

// TestNamesFromAListOfSums: what a name in a list of sums, or in one of another system, has besides
// the path hides no file.
func TestNamesFromAListOfSums(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "x/b.mp4")
	sums := acctest.Attrs{}
	for _, name := range []string{"*a.mp4", "a.mp4\r", `x\b.mp4`, "/x/b.mp4", "media/A.mp4"} {
		sums[name] = strings.Repeat("ab", 32)
	}
	w.config["sha256s"] = sums
	says(t, w.plan().Diags, `*a.mp4: there is "a.mp4"`, `a.mp4\u000d: there is "a.mp4"`, `x\b.mp4: there is "x/b.mp4"`, `/x/b.mp4: there is "x/b.mp4"`, `media/A.mp4: there is "a.mp4"`)
}

// TestOtherSumsOfAFolderThatIsNotHere: another content is asked for, so "nothing is changed" would
// be wrong.
func TestOtherSumsOfAFolderThatIsNotHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "b.mp4")
	w.mustApply()
	stored, _ := w.files()["a.mp4"].(acctest.Attrs)["sha256"].(string)
	if err := os.RemoveAll(w.dir); err != nil {
		t.Fatal(err)
	}
	w.config["sha256s"] = acctest.Attrs{"a.mp4": strings.ToUpper(stored)}
	says(t, w.plan().Diags, "The uploaded folder is not here")
	for _, name := range []string{"a.mp4", "new.mp4"} {
		w.config["sha256s"] = acctest.Attrs{name: strings.Repeat("ab", 32)}
		says(t, w.plan().Diags, "error source_dir: The folder cannot be uploaded", "asks for another "+name)
	}
}

// TestStateWithoutIdentity is as a CLI without identities keeps one, finished or not.
func TestStateWithoutIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "b.mp4")
	w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "b.mp4") }, Status: http.StatusNotImplemented})
	says(t, w.apply(), "1 of 2 files could not be uploaded")
	w.ClearFaults()
	for range 2 {
		w.state.Identity = nil
		o, diags := w.Provider(w.provider).Read(w.state)
		if diags.Failed() || !o.State.Equal(w.state.State) {
			t.Fatal(diags)
		}
		if diags := w.apply(); diags.Failed() {
			t.Fatal(diags)
		}
	}
}
