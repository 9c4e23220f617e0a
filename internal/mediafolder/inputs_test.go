package mediafolder_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

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

// TestStateWithoutIdentity is as a CLI without identities keeps one, finished or not.
func TestStateWithoutIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "b.mp4")
	w.NoIdentities = true
	w.Fail(simulator.Fault{Call: simulator.CallPutObject, Match: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "b.mp4") }, Status: http.StatusNotImplemented})
	says(t, w.apply(), "1 of 2 files could not be uploaded")
	w.ClearFaults()
	for range 2 {
		o, diags := w.Provider(w.provider).Read(w.state)
		if diags.Failed() || !o.State.Equal(w.state.State) {
			t.Fatal(diags)
		}
		if diags := w.apply(); diags.Failed() {
			t.Fatal(diags)
		}
	}
}
