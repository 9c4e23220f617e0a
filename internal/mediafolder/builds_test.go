package mediafolder_test

import (
	"bytes"
	"io"
	"net/http"
	slashpath "path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// keptWorld has files whose times are settled.
func keptWorld(t *testing.T, contents map[string]string) *world {
	t.Helper()
	w := newWorld(t)
	w.dir = filepath.ToSlash(w.dir)
	w.config = acctest.Attrs{"source_dir": w.dir}.With(inParts)
	w.provider = w.provider.With(acctest.Attrs{"upload_concurrency": 1})
	for name, content := range contents {
		w.write(name, content)
	}
	time.Sleep(acctest.Settling(t))
	return w
}

const keptFolder = "FOLDER" // stands for the folder in a file that a build keeps

func (w *world) keep(path string) {
	w.t.Helper()
	w.Provider(w.provider).Keep(w.state, path, w.dir, keptFolder)
}

func (w *world) readKept(path string) {
	w.t.Helper()
	w.state = w.Provider(w.provider).Kept(typeName, path, keptFolder, w.dir)
}

// onlySent fails the test unless the service has exactly one file, of a name.
func (w *world) onlySent(name string) {
	w.t.Helper()
	if objects := w.Objects(); len(objects) != 1 || slashpath.Base(objects[0].KeyPath) != name {
		w.t.Errorf("objects: %+v, want one of %s\n%s", objects, name, w.JournalText())
	}
}

// TestFolderOfEveryBuild plans nothing while the files are the stored ones.
func TestFolderOfEveryBuild(t *testing.T) {
	t.Parallel()
	acctest.Builds(t, "stored", func(t *testing.T, path string) {
		w := keptWorld(t, map[string]string{"a.mp4": "content of a", "b/c.mp4": "content of b/c"})
		w.mustApply()
		w.keep(path)
	}, func(t *testing.T, path string) {
		w := keptWorld(t, map[string]string{"a.mp4": "content of a", "b/c.mp4": "content of b/c"})
		w.readKept(path)
		if pl := w.plan(); pl.Action != acctest.NoOp || pl.Diags.String() != "" {
			t.Errorf("planned %s: %v: %s", pl.Action, pl.Attrs(), pl.Diags)
		}
		w.write("b/c.mp4", "Changed!")
		w.apply().Must(t)
		w.onlySent("c.mp4")
	})
}

// TestUnfinishedFolderOfEveryBuild has a file that is stored and an upload that is not finished.
func TestUnfinishedFolderOfEveryBuild(t *testing.T) {
	t.Parallel()
	contents := map[string]string{"a.mp4": "content of a", "b/c.mp4": large(1)}
	acctest.Builds(t, "unfinished", func(t *testing.T, path string) {
		w := keptWorld(t, contents)
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "2" }, Status: http.StatusInternalServerError})
		says(t, w.apply(), "b/c.mp4")
		want(t, "stored", len(w.files()), 1)
		w.keep(path)
	}, func(t *testing.T, path string) {
		w := keptWorld(t, contents)
		w.readKept(path)
		stored := w.files()["a.mp4"]
		left, _ := w.state.Attrs()["incomplete_uploads"].(acctest.Attrs)
		file, _ := left["b/c.mp4"].(acctest.Attrs)
		id, _ := file["upload_id"].(string)
		var asked []string
		w.Hook(simulator.CallMultipartURL, func(r *http.Request) {
			content, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(content))
			asked = append(asked, string(content))
		})
		w.apply().Must(t)
		w.onlySent("c.mp4")
		if len(asked) == 0 || id == "" || !strings.Contains(asked[0], id) {
			t.Errorf("the upload of the state is %q, parts were asked for of %q\n%s", id, asked, w.JournalText())
		}
		want(t, "stored file", w.files()["a.mp4"], stored)
	})
}
