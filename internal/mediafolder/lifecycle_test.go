package mediafolder_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const (
	typeName = "vodlive_media_folder"
	mib      = 1 << 20
)

// world has a folder, and keeps the state of its resource.
type world struct {
	*acctest.World
	t        *testing.T
	dir      string
	config   acctest.Attrs
	provider acctest.Attrs
	state    acctest.Instance
}

func newWorld(t *testing.T, names ...string) *world {
	t.Helper()
	w := &world{World: acctest.NewWorld(t, simulator.Options{}), t: t, dir: t.TempDir(), provider: acctest.Attrs{"max_retries": 0}}
	w.config = acctest.Attrs{"source_dir": w.dir}
	for _, name := range names {
		w.write(name, "content of "+name)
	}
	w.state = w.Provider(w.provider).New(typeName)
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// write makes a file.
func (w *world) write(name, content string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// large is content that is sent in two parts.


// apply refreshes and plans in one provider process and applies in another.
func (w *world) apply() acctest.Diagnostics {
	w.t.Helper()
	p, before := w.Provider(w.provider), w.state
	if before.Exists() {
		before, _ = p.Read(before)
	}
	plan := p.Plan(before, w.config)
	if plan.Diags.Failed() {
		return plan.Diags
	}
	state, diags := w.Provider(w.provider).Apply(plan)
	w.state = state
	return append(plan.Diags, diags...)
}

// mustApply is apply without errors, after which nothing is left to do.
func (w *world) mustApply() acctest.Diagnostics {
	w.t.Helper()
	diags := w.apply()
	if diags.Failed() {
		w.t.Fatalf("%s\n%s", diags, w.JournalText())
	}
	w.Provider(w.provider).AssertNoChanges(w.state, w.config)
	w.sound()
	want(w.t, "identity", w.Provider(w.provider).IdentityOf(w.state)["id"], w.state.Text("id"))
	return diags
}

// plan plans without applying.
func (w *world) plan() *acctest.Plan {
	w.t.Helper()
	return w.Provider(w.provider).Plan(w.state, w.config)
}

// files is `files` of the state.
func (w *world) files() acctest.Attrs {
	files, _ := w.state.Attrs()["files"].(acctest.Attrs)
	return files
}

func (w *world) keyPath(name string) string {
	keyPath, _ := fileOf(w.state, name)["key_path"].(string)
	return keyPath
}

// fileOf is a file in the state of a folder.
func fileOf(o acctest.Instance, name string) acctest.Attrs {
	files, _ := o.Attrs()["files"].(acctest.Attrs)
	file, _ := files[name].(acctest.Attrs)
	return file
}

// sound fails the test unless every file in the state is stored as the state says.
func (w *world) sound() {
	w.t.Helper()
	objects := map[string]simulator.Object{}
	for _, o := range w.Objects() {
		objects[o.KeyPath] = o
	}
	used := map[string]bool{}
	for name := range w.files() {
		keyPath := w.keyPath(name)
		file, _ := w.files()[name].(acctest.Attrs)
		if o := objects[keyPath]; o.SHA256 != file["sha256"] || o.ContentType != file["content_type"] && file["etag"] != nil && !strings.Contains(o.ETag, "-") || used[keyPath] {
			w.t.Errorf("%s is %v in the state, and the service has %+v", name, file, o)
		}
		used[keyPath] = true
	}
}

func (w *world) names() []string { return slices.Sorted(maps.Keys(w.files())) }

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func says(t *testing.T, diags acctest.Diagnostics, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(diags.String(), part) {
			t.Errorf("the diagnostics lack %q:\n%s", part, diags)
		}
	}
}

// put selects the PUTs of files with this end of their name.
func put(end string) func(*http.Request) bool {
	return func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, end) }
}

func TestFolderProblems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare func(w *world)
		config  acctest.Attrs
		says    []string
	}{
		"no folder":      {func(w *world) { _ = os.RemoveAll(w.dir) }, nil, []string{"The folder cannot be uploaded", "no such file"}},
		"a file":         {func(w *world) { _ = os.RemoveAll(w.dir); _ = os.WriteFile(w.dir, []byte("x"), 0o600) }, nil, []string{"is no folder. A single file is the `source` of `vodlive_media_upload`, or of the action"}},
		"nothing in it":  {func(w *world) { _ = os.Remove(w.path("a.mp4")) }, nil, []string{"has no files"}},
		"nothing chosen": {func(*world) {}, acctest.Attrs{"include": []string{"*.mov"}}, []string{"has 1 file, such as \"a.mp4\"", "select none of them"}},
		"empty files":    {func(w *world) { w.write("e1.mp4", ""); w.write("s/e2.mp4", "") }, nil, []string{"e1.mp4 is empty", "e2.mp4 is empty"}},
		"one name twice": {func(w *world) { w.write("x/a.mp4", "1") }, nil, []string{`2 files would be stored under 1 name. Set ` + "`name_format = \"flat\"`", `"a.mp4": a.mp4, x/a.mp4`}},
		"one flat name": {
			func(w *world) { w.write("x/b.mp4", "1"); w.write("x_b.mp4", "2") },
			acctest.Attrs{"name_format": "flat"},
			[]string{`2 files would be stored under 1 name.`, `"x_b.mp4": x/b.mp4, x_b.mp4`},
		},
		"a link to nothing":  {func(w *world) { _ = os.Symlink("nowhere", w.path("l.mp4")) }, nil, []string{"l.mp4 does not exist"}},
		"two encodings":      {func(w *world) { w.write("é.mp4", "1"); w.write("e\u0301.mp4", "2") }, nil, []string{"is the name of two files"}},
		"adopts nothing":     {func(*world) {}, acctest.Attrs{"adopt": acctest.Attrs{"b.mp4": "vod/input/c/u/b.mp4"}}, []string{"`adopt` names what is not among the files to upload", "b.mp4: there is no such file"}},
		"adopts one for two": {func(w *world) { w.write("c.mp4", "c") }, acctest.Attrs{"adopt": acctest.Attrs{"a.mp4": "vod/input/c/u/a.mp4", "c.mp4": "vod/input/c/u/a.mp4"}}, []string{"a.mp4 and c.mp4 have different content, and with `adopt` one key path, vod/input/c/u/a.mp4"}},
		"part size":          {func(*world) {}, acctest.Attrs{"adopt": acctest.Attrs{"a.mp4": "nonsense"}}, []string{"must be a key path"}},
		"pattern":            {func(*world) {}, acctest.Attrs{"include": []string{"[a"}}, []string{"Invalid pattern"}},
		"media type":         {func(*world) {}, acctest.Attrs{"content_types": acctest.Attrs{".x": "nonsense"}}, []string{"Invalid media type"}},
		"extension twice":    {func(*world) {}, acctest.Attrs{"content_types": acctest.Attrs{"mp4": "video/mp4", ".MP4": "video/x"}}, []string{"Invalid value: `content_types`", `".MP4" and "mp4" are both the extension ".mp4"`}},
		"extension":          {func(*world) {}, acctest.Attrs{"content_types": acctest.Attrs{"a/b": "video/mp4"}}, []string{"must be an extension"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "a.mp4")
			tc.prepare(w)
			w.config = w.config.With(tc.config)
			pl := w.plan()
			if !pl.Diags.Failed() {
				t.Errorf("a plan without an error: %v", pl.Attrs())
			}
			says(t, pl.Diags, tc.says...)
			want(t, "calls", w.Counts(), map[string]int{})
		})
	}
}

// TestAFileThatChangesDuringTheApply is an error for that file alone.
func TestAFileThatChangesDuringTheApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "b.mp4", "c.mp4")
	w.provider = w.provider.With(acctest.Attrs{"upload_concurrency": 1})
	w.write("a.mp4", strings.Repeat("largest first ", 10))
	change := sync.OnceFunc(func() { w.write("b.mp4", "not as planned") }) // writing again would truncate the file while it is read
	remove := w.Hook(simulator.CallPresignURL, func(*http.Request) { change() })
	diags := w.apply()
	remove()
	says(t, diags, "b.mp4 has changed")
	want(t, "files", w.names(), []string{"a.mp4", "c.mp4"})
	w.mustApply()
	want(t, "objects", len(w.Objects()), 3)
}

func TestAnOutageEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for i := range 300 {
			w.write(fmt.Sprintf("%d.mp4", i), fmt.Sprint(i))
		}
		w.Fail(simulator.Fault{Call: simulator.CallPresignURL, Status: http.StatusForbidden})
		diags := w.apply()
		says(t, diags, "300 of 300 files could not be uploaded", "Files that were not tried, because too many in a row failed: ")
		if calls := w.Count(simulator.CallPresignURL); calls > 100 {
			t.Errorf("%d calls", calls)
		}
		want(t, "exists", w.state.Exists(), false)
	})
}

// TestSizeOfTheState compares what a state file has for each file, without Terraform's indentation,
// with what is allowed. Terraform writes private data in base64.
func TestSizeOfTheState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const files, most = 200, 400
		w := newWorld(t)
		for i := range files {
			w.write(fmt.Sprintf("clip-%05d.mp4", i), fmt.Sprintf("content %d", i))
		}
		w.mustApply()
		attributes, err := json.Marshal(w.state.Attrs())
		if err != nil {
			t.Fatal(err)
		}
		size := len(attributes) + base64.StdEncoding.EncodedLen(len(w.state.Private))
		t.Logf("%d bytes a file, of these %d private", size/files, base64.StdEncoding.EncodedLen(len(w.state.Private))/files)
		if size > most*files {
			t.Errorf("the state has %d bytes a file, at most %d are allowed", size/files, most)
		}
	})
}

func TestInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a.mp4", "b.mp4")
	p, cancel := w.Provider(w.provider).WithCancel()
	cancel()
	diags := p.Plan(w.state, w.config).Diags
	says(t, diags, "The run was interrupted while the files were read.")
	if strings.Contains(diags.String(), "exclude") {
		t.Error(diags)
	}
}

// TestFolderWaitsForStorage: while storage cannot be reached, the progress file and the log say
// what a file waits for.
func TestFolderWaitsForStorage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "b.mp4", "c.mp4", "d.mp4")
		progress := filepath.Join(t.TempDir(), "progress")
		w.Env["VODLIVE_PROGRESS"] = progress
		w.provider = w.provider.With(acctest.Attrs{"upload_concurrency": 2})
		// Two files begin after the first PUT: a host that was never reached is tried for ten
		// seconds only.
		var lost sync.Once
		w.Hook(simulator.CallPutObject, func(*http.Request) { lost.Do(func() { w.Storage.Refuse(20) }) })
		w.mustApply()
		written, err := os.ReadFile(progress)
		if err != nil {
			t.Fatal(err)
		}
		for where, text := range map[string]string{"progress": string(written), "log": w.Log.String()} {
			if want := ".mp4 waiting for " + w.Storage.Addr().String(); !strings.Contains(text, want) {
				t.Errorf("the %s lacks %q:\n%s", where, want, text)
			}
		}
	})
}
