package mediafolder_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
)

// TestPatterns mean what they mean in .gitignore.
func TestPatterns(t *testing.T) {
	t.Parallel()
	files := []string{
		".env", ".git/config", "clips/.DS_Store", "clips/.keep/a.mp4", "clips/x.mp4", "clips/x.tmp", "clips/sub/y.mp4",
		"drafts/secret.mp4", "drafts/sub/deep.mp4", "old/drafts/z.mp4", "promo.mp4",
	}
	for name, tc := range map[string]struct {
		include, exclude []any
		want             string
	}{
		"nothing configured":           {nil, nil, "clips/sub/y.mp4 clips/x.mp4 clips/x.tmp drafts/secret.mp4 drafts/sub/deep.mp4 old/drafts/z.mp4 promo.mp4"},
		"a folder and an extension":    {nil, []any{"drafts/", "*.tmp"}, "clips/sub/y.mp4 clips/x.mp4 promo.mp4"},
		"a folder without slash":       {nil, []any{"drafts", "clips"}, "promo.mp4"},
		"a leading slash anchors":      {nil, []any{"/drafts/", "/clips"}, "old/drafts/z.mp4 promo.mp4"},
		"an anchored subtree":          {nil, []any{"/drafts/**", "clips/*"}, "old/drafts/z.mp4 promo.mp4"},
		"a leading dot and slash":      {nil, []any{"./drafts/**", "./clips/sub/../"}, ""},
		"only a leading dot":           {nil, []any{"./drafts/**", "./clips/", "./promo.mp4"}, "old/drafts/z.mp4"},
		"folders only":                 {nil, []any{"promo.mp4/", "drafts/", "clips/"}, "promo.mp4"},
		"any folder between":           {nil, []any{"clips/**/*.mp4", "**/drafts"}, "clips/x.tmp promo.mp4"},
		"a middle slash anchors":       {nil, []any{"sub/y.mp4", "drafts", "x.*"}, "clips/sub/y.mp4 promo.mp4"},
		"folders and files":            {[]any{"clips/", "./drafts/*", "promo.mp4"}, nil, "clips/sub/y.mp4 clips/x.mp4 clips/x.tmp drafts/secret.mp4 drafts/sub/deep.mp4 promo.mp4"},
		"an extension at any depth":    {[]any{"*.tmp"}, nil, "clips/x.tmp"},
		"alternatives":                 {[]any{"{clips,old}/**/*.{mp4,mov}"}, nil, "clips/sub/y.mp4 clips/x.mp4 old/drafts/z.mp4"},
		"a name with ranges":           {[]any{"[xy].???"}, nil, "clips/sub/y.mp4 clips/x.mp4 clips/x.tmp"},
		"the whole folder":             {[]any{"./"}, []any{"drafts", "clips"}, "promo.mp4"},
		"a hidden file by its name":    {[]any{".env", "promo.mp4"}, nil, ".env promo.mp4"},
		"hidden files of visible":      {[]any{"clips/.*"}, nil, "clips/.DS_Store clips/.keep/a.mp4"},
		"a hidden folder":              {[]any{"**/.keep/"}, nil, "clips/.keep/a.mp4"},
		"hidden, excluded":             {[]any{".*"}, []any{".git", ".keep/", ".DS_*"}, ".env"},
		"no hidden files by wildcards": {[]any{"**/*", "*", "?env", "[.]env", "clips/**"}, []any{"drafts", "*.tmp"}, "clips/sub/y.mp4 clips/x.mp4 promo.mp4"},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			w := newWorld(t, files...)
			w.config = w.config.With(acctest.Attrs{"include": tc.include, "exclude": tc.exclude, "name_format": "flat"})
			if tc.include == nil {
				delete(w.config, "include")
			}
			if tc.exclude == nil {
				delete(w.config, "exclude")
			}
			if tc.want == "" {
				if !w.plan().Diags.Failed() {
					t.Error("a plan without an error")
				}
				return
			}
			if diags := w.apply(); diags.Failed() {
				t.Fatal(diags)
			}
			want(t, "files", strings.Join(w.names(), " "), tc.want)
		})
	}
}

// TestPatternsThatSelectNothing are a warning that names files which are there.
func TestPatternsThatSelectNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		include, exclude []any
		says             []string
	}{
		"a typo":            {[]any{"promo.mp4", "clip/*.mp4"}, []any{}, []string{`warning include: A pattern selects no file: "clip/*.mp4" selects no file of `, `Files that are there: "clips/a.mp4", "clips/b.mp4", "drafts/c.mp4", "promo.mp4", ".env".`}},
		"a name":            {[]any{"promo.mp4", "B.mp4"}, []any{}, []string{`"B.mp4" would select 1 file in another letter case, such as "clips/b.mp4"`}},
		"a folder":          {[]any{"promo.mp4", "Drafts/"}, []any{}, []string{`"Drafts/" would select 1 file in another letter case, such as "drafts/c.mp4"`}},
		"excluded":          {[]any{"promo.mp4", "drafts/"}, []any{"drafts"}, []string{`"drafts/" selects no file of `, "`exclude` drops what it matches, such as \"drafts/c.mp4\"."}},
		"a hidden file":     {[]any{"promo.mp4", "?env"}, []any{}, []string{`"?env" selects no file of `, `It matches hidden files only, such as ".env"`}},
		"an absolute path":  {[]any{"promo.mp4", "/home/me/clips/*"}, []any{}, []string{`Files that are there: "clips/a.mp4"`}},
		"excludes the rest": {[]any{"*.tmp"}, []any{}, []string{"has 5 files, such as \"clips/a.mp4\"", "`include` and `exclude` select none of them"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, ".env", "clips/a.mp4", "clips/b.mp4", "drafts/c.mp4", "promo.mp4")
			w.config = w.config.With(acctest.Attrs{"include": tc.include, "exclude": tc.exclude})
			says(t, w.plan().Diags, tc.says...)
		})
	}
	w := newWorld(t, "a.mp4")
	_ = os.Remove(w.path("a.mp4"))
	says(t, w.plan().Diags, "has no files")
}

// TestPatternsThatCannotMeanAnything are errors, which say what to write.
func TestPatternsThatCannotMeanAnything(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2]string{
		{`drafts\**`, "has a backslash. Write slashes: \"drafts/**\""},
		{"../other/*", `has the segment ".."`},
		{"!keep.mp4", `begins with "!"`},
		{"drafts ", "begins or ends with a blank"},
		{"{a/b,c}/*", "has a slash inside of braces"},
		{"[a", "has a bracket that is not closed"},
		{"a[]", "has a bracket that is not closed"},
		{"[[:digits:]].mp4", `names the character class "[:digits:]", which does not exist`},
		{"[a/b]", "has a slash inside of braces or brackets"},
		{"", "must be a pattern such as"},
		{"clips/{a,b/*", "must be a pattern such as"},
	} {
		given, part := tc[0], tc[1]
		for _, argument := range []string{"include", "exclude"} {
			t.Run(argument+" "+given, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "a.mp4")
				w.config[argument] = []any{given}
				says(t, w.plan().Diags, fmt.Sprintf("Invalid pattern: `%s` has %q, which %s", argument, given, part))
			})
		}
	}
}
