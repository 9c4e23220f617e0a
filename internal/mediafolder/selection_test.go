package mediafolder_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// TestNullElements of a collection, as of a variable that is not set, are errors: they would select
// everything, or nothing, or leave a file unverified.
func TestNullElements(t *testing.T) {
	t.Parallel()
	for argument, tc := range map[string]struct {
		value any
		names string
	}{
		"include":       {[]any{"*.mp4", nil}, "`include` has an element that is null"},
		"exclude":       {[]any{nil}, "`exclude` has an element that is null"},
		"sha256s":       {acctest.Attrs{"a.mp4": nil}, "`sha256s[\"a.mp4\"]` is null"},
		"content_types": {acctest.Attrs{".mp4": nil}, "`content_types[\".mp4\"]` is null"},
	} {
		w := newWorld(t, "a.mp4", "secrets.env")
		w.config[argument] = tc.value
		says(t, w.plan().Diags, "error "+argument, tc.names)
		want(t, "calls", w.Counts(), map[string]int{})
	}
}

// TestOtherLetterCase: a pattern that would match more in another letter case is a warning with
// their number and one name.
func TestOtherLetterCase(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files            []string
		include, exclude []any
		says             string
	}{
		"some are left out": {[]string{"a.mp4", "CLIP0001.MP4", "x/CLIP0002.Mp4"}, []any{"**/*.mp4"}, []any{}, `"**/*.mp4" would select 2 files in another letter case, such as "CLIP0001.MP4"`},
		"all are left out":  {[]string{"CLIP0001.MP4"}, []any{"*.mp4"}, []any{}, `error source_dir: The folder cannot be uploaded`},
		"a folder":          {[]string{"a.mp4", "Clips/b.mp4"}, []any{"a.mp4", "/clips/"}, []any{}, `"/clips/" would select 1 file in another letter case, such as "Clips/b.mp4"`},
		"a class":           {[]string{"a.mp4", "B.mp4"}, []any{"[[:lower:]].mp4"}, []any{}, `"[[:lower:]].mp4" would select 1 file`},
		"not dropped":       {[]string{"a.mp4", "b.TMP"}, []any{"**"}, []any{"*.tmp"}, `"*.tmp" would drop 1 file in another letter case, such as "b.TMP"`},
		"both named":        {[]string{"a.mp4", "B.MP4"}, []any{"*.{mp4,MP4}"}, []any{}, ""},
		"excluded":          {[]string{"a.mp4", "B.MP4"}, []any{"*.mp4"}, []any{"*.MP4"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tc.files...)
			w.config = w.config.With(acctest.Attrs{"include": tc.include, "exclude": tc.exclude})
			diags := w.plan().Diags
			if tc.says == "" {
				want(t, "diagnostics", diags, "")
				return
			}
			says(t, diags, tc.says, "another letter case")
		})
	}
}

// TestClashes: the way out comes first, because a long text is cut.
func TestClashes(t *testing.T) {
	t.Parallel()
	var files []string
	for i := range 150 {
		files = append(files, fmt.Sprintf("title%03d/video.mp4", i), fmt.Sprintf("title%03d/captions.en.vtt", i))
	}
	w := newWorld(t, files...)
	diags := w.plan().Diags
	says(t, diags, `"captions.en.vtt": title000/captions.en.vtt, title001/captions.en.vtt, title002/captions.en.vtt and 147 more`, `"video.mp4": `)
	if first := diags.String()[:400]; !strings.Contains(first, "300 files would be stored under 2 names") || !strings.Contains(first, "`name_format = \"flat\"`") {
		t.Errorf("the text begins with %s", first)
	}
	want(t, "lines", strings.Count(diags.String(), "\n"), 2)
	w.config["name_format"] = "flat"
	if diags := w.plan().Diags; diags.Failed() {
		t.Error(diags)
	}
}
