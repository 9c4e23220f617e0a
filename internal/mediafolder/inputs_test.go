package mediafolder_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

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
