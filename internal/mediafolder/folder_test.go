package mediafolder_test

import (
	"archive/zip"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// folder is a folder with a resource that has no state yet.
type folder struct {
	*acctest.World
	t   *testing.T
	dir string
}

func newFolder(t *testing.T, names ...string) folder {
	t.Helper()
	f := folder{acctest.NewWorld(t, simulator.Options{}), t, t.TempDir()}
	for _, name := range names {
		f.write(name, "content of "+name)
	}
	return f
}

func (f folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f folder) write(name, content string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) link(name, target string) {
	f.t.Helper()
	if err := os.Symlink(target, f.path(name)); err != nil {
		f.t.Skip(err)
	}
}

// plan plans the creation of the resource, with further arguments.
func (f folder) plan(arguments acctest.Attrs) *acctest.Plan {
	f.t.Helper()
	p := f.Provider(nil)
	return p.Plan(p.New("vodlive_media_folder"), acctest.Attrs{"source_dir": f.dir}.With(arguments))
}

func plannedFiles(p *acctest.Plan) []string {
	files, _ := p.Attrs()["files"].(acctest.Attrs)
	return slices.Sorted(maps.Keys(files))
}

// TestPatterns mean what they mean in fileset(), but for hidden files.
func TestPatterns(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "a.mp4", "b.MP4", "c.mov", "clips/d.mp4", "clips/e/f.mp4", ".hidden.mp4", ".well-known/g.mp4")
	for _, tc := range []struct {
		include, exclude []string
		want             string
	}{
		{nil, nil, "a.mp4 b.MP4 c.mov clips/d.mp4 clips/e/f.mp4"},
		{[]string{"*.mp4"}, nil, "a.mp4"},
		{[]string{"/*.mp4", "./c.mov"}, nil, "a.mp4 c.mov"},
		{[]string{"*.{mp4,mov}"}, nil, "a.mp4 c.mov"},
		{[]string{"*{.mp4,.mov}"}, nil, "a.mp4 c.mov"},
		{[]string{"**/*.mp4"}, nil, "a.mp4 clips/d.mp4 clips/e/f.mp4"},
		{[]string{"clips/*"}, nil, "clips/d.mp4"},
		{[]string{"clips/**"}, nil, "clips/d.mp4 clips/e/f.mp4"},
		{[]string{"*/e/?.mp4"}, nil, "clips/e/f.mp4"},
		{[]string{"{clips/e,x}/*.mp4"}, nil, "clips/e/f.mp4"},
		{[]string{"[ab].*"}, nil, "a.mp4 b.MP4"},
		{[]string{"**"}, []string{"clips/**", "*.mov"}, "a.mp4 b.MP4"},
		{[]string{".well-known/*", "a.mp4"}, nil, ".well-known/g.mp4 a.mp4"},
		{[]string{"**", "**/.*"}, []string{"**/*.mp4"}, "b.MP4 c.mov"},
	} {
		arguments := acctest.Attrs{}
		if tc.include != nil {
			arguments["include"] = tc.include
		}
		if tc.exclude != nil {
			arguments["exclude"] = tc.exclude
		}
		if got := strings.Join(plannedFiles(f.plan(arguments)), " "); got != tc.want {
			t.Errorf("include %q, exclude %q select %q, want %q", tc.include, tc.exclude, got, tc.want)
		}
	}
}

func TestInvalidPatterns(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for _, include := range [][]any{{}, {nil}, {""}, {"/"}, {"[a"}, {"../*.mp4"}} {
		if diags := p.Validate("vodlive_media_folder", acctest.Attrs{"source_dir": ".", "include": include}); !strings.Contains(diags.String(), "error include") {
			t.Errorf("include = %v: %q", include, diags)
		}
	}
}

// TestPatternThatSelectsNothing is a warning, which says if the pattern would in another letter case.
func TestPatternThatSelectsNothing(t *testing.T) {
	t.Parallel()
	const inOtherCase = "In another letter case, it would select "
	for given, want := range map[string]string{
		"*.MOV":       inOtherCase + "b.mov",
		"CLIPS/*.mp4": inOtherCase + "clips.",
		"*.mkv":       `"*.mkv" selects no file`,
		"*.tmp":       `"*.tmp" selects no file`,
	} {
		f := newFolder(t, "a.mp4", "b.mov", "c.tmp", "clips/d.mp4")
		diags := f.plan(acctest.Attrs{"include": []string{"a.mp4", given}, "exclude": []string{"*.tmp"}}).Diags
		if text := diags.String(); diags.Failed() || !strings.Contains(text, want) || strings.Contains(text, inOtherCase) != strings.Contains(want, inOtherCase) {
			t.Errorf("%s: %q, want %q", given, text, want)
		}
	}
}

// TestFilesThatCannotBeUploaded are errors of the plan, with the name as it is.
func TestFilesThatCannotBeUploaded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		make func(f folder)
		want string
	}{
		"empty":              {func(f folder) { f.write("holiday video.mp4", "") }, "- holiday video.mp4 is empty"},
		"a dangling link":    {func(f folder) { f.link("c.mp4", "away.mp4") }, "- c.mp4 is a link to away.mp4, which cannot be read"},
		"a name not UTF-8":   {func(f folder) { f.write("\xff.mp4", "x") }, `- "\xff.mp4" has a name that is not UTF-8`},
		"a name to escape":   {func(f folder) { f.write("a\nb.mp4", "x") }, `the name of "a\nb.mp4"`},
		"one stored name":    {func(f folder) { f.write("x/a.mp4", "x"); f.write("x_a.mp4", "x") }, `- x/a.mp4 and x_a.mp4 as "x_a.mp4"`},
		"two encodings":      {func(f folder) { f.write("\u00fc.mp4", "x"); f.write("u\u0308.mp4", "x") }, "is the name of two files"},
		"a folder of no use": {func(f folder) { f.write("deep/a.mp4", "x"); deepen(f) }, "deep cannot be read: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" {
				t.Skip("other systems refuse some of the names")
			}
			f := newFolder(t, "good.mp4")
			tc.make(f)
			p := f.plan(nil)
			if !p.Diags.Failed() || !strings.Contains(p.Diags.String(), tc.want) {
				t.Errorf("%s, want %q", p.Diags, tc.want)
			}
			if p := f.plan(acctest.Attrs{"include": []string{"good.mp4"}}); p.Diags.String() != "" {
				t.Errorf("the file is not selected, but: %s", p.Diags)
			}
			if calls := f.Counts(); len(calls) > 0 {
				t.Errorf("calls %v", calls)
			}
		})
	}
}

// deepen makes a folder that the system cannot open, because its path is too long.
func deepen(f folder) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	defer root.Close()
	if err := root.MkdirAll(strings.Repeat("deep/", 4096/len("deep/")), 0o700); err != nil {
		f.t.Fatal(err)
	}
}

// TestFoldersThatNoPatternReaches are not opened.
func TestFoldersThatNoPatternReaches(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "a.mp4", "clips/b.mp4")
	deepen(f)
	for _, arguments := range []acctest.Attrs{
		{"include": []string{"/*.mp4"}},
		{"include": []string{"clips/**", "*"}},
		{"exclude": []string{"deep/**"}},
	} {
		if diags := f.plan(arguments).Diags; diags.String() != "" {
			t.Errorf("%v: %s", arguments, diags)
		}
	}
}

// TestLinks to files are followed. Links to folders are not, with a warning if a pattern reaches
// them.
func TestLinks(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "a.mp4", "clips/b.mp4")
	f.link("c.mp4", "a.mp4")
	f.link("elsewhere", t.TempDir())
	p := f.plan(nil)
	if text := p.Diags.String(); p.Diags.Failed() || !strings.Contains(text, "Linked folders are left out") || !strings.Contains(text, "- elsewhere") {
		t.Error(p.Diags)
	}
	if got := fmt.Sprint(plannedFiles(p)); got != "[a.mp4 c.mp4 clips/b.mp4]" {
		t.Errorf("files %s", got)
	}
	for _, pattern := range []string{"elsewhere", "elsewhere/**"} {
		if diags := f.plan(acctest.Attrs{"exclude": []string{pattern}}).Diags; diags.String() != "" {
			t.Errorf("%s: %s", pattern, diags)
		}
	}
}

// TestSourceDir that is no folder with files is an error that says what it is.
func TestSourceDir(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "a.mp4")
	for dir, want := range map[string]string{
		f.path("a.mp4"): "is no folder",
		f.path("none"):  "does not exist",
		t.TempDir():     "has no file that `include` and `exclude` select",
	} {
		if diags := f.plan(acctest.Attrs{"source_dir": dir}).Diags; !diags.Failed() || !strings.Contains(diags.String(), want) {
			t.Errorf("%s: %s", dir, diags)
		}
	}
}

// TestSavedPlan is found by its form. Other archives are uploaded.
func TestSavedPlan(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for name, entry := range map[string]string{"plan.out": "tfplan", "archive.zip": "a.mp4"} {
		file, err := os.Create(f.path(name))
		if err != nil {
			t.Fatal(err)
		}
		archive := zip.NewWriter(file)
		if _, err := archive.Create(entry); err != nil {
			t.Fatal(err)
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	if got := fmt.Sprint(plannedFiles(f.plan(nil))); got != "[archive.zip]" {
		t.Errorf("files %s", got)
	}
}

// TestFileThatChangesDuringTheApply is an error for that file alone.
func TestFileThatChangesDuringTheApply(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "b.mp4", "c.mp4")
	f.write("a.mp4", strings.Repeat("the largest file is sent first ", 10))
	plan := f.plan(nil)
	change := sync.OnceFunc(func() { f.write("b.mp4", "not as planned") })
	remove := f.Hook(simulator.CallPresignURL, func(*http.Request) { change() })
	state, diags := f.Provider(acctest.Attrs{"upload_concurrency": 1}).Apply(plan)
	remove()
	files, _ := state.Attrs()["files"].(acctest.Attrs)
	if got := fmt.Sprint(slices.Sorted(maps.Keys(files))); got != "[a.mp4 c.mp4]" || !strings.Contains(diags.String(), "b.mp4") {
		t.Errorf("files %s: %s", got, diags)
	}
}
