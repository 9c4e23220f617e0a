package resume_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

var write = flag.Bool("write-build", false, "write what this build writes into testdata/build-NEW, which every later build must read")

// TestFilesOfEveryBuild reads what each build so far has written: an upgrade between two runs must
// lose nothing. A build that writes another format adds a folder. The folders that are there never
// change.
func TestFilesOfEveryBuild(t *testing.T) {
	t.Parallel()
	if *write {
		synctest.Test(t, func(t *testing.T) { writeBuild(t, filepath.Join("testdata", "build-NEW")) }) // at a fixed time
	}
	builds, err := filepath.Glob(filepath.Join("testdata", "build-*"))
	if err != nil || len(builds) == 0 {
		t.Fatalf("there are %q: %v", builds, err)
	}
	for _, build := range builds {
		t.Run(filepath.Base(build), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { readBuild(t, build) })
		})
	}
}

func readBuild(t *testing.T, build string) {
	t.Helper()
	dir, ctx := t.TempDir(), t.Context()
	must.Succeed(t, os.CopyFS(filepath.Join(dir, resume.Folder), os.DirFS(build)))
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, _ error) error { // as the provider makes them
		mode := os.FileMode(0o600)
		if e.IsDir() {
			mode = 0o700
		}
		return os.Chmod(path, mode)
	})
	l := ledger(dir, nil)
	defer l.Close()
	for r, want := range map[resume.Request]*resume.Made{
		request(resume.KindSession, "a session"):                    {ID: "session-1"},
		request(resume.KindSession, "a session without a response"): nil,
		request(resume.KindJob, "a job"):                            {ID: "job-1", At: "2026-01-02T03:04:05Z", Message: "submitted"},
		request(resume.KindFile, "a file"):                          new(madeAs("a.mp4")),
	} {
		found := l.Find(ctx, r)
		if len(found) != 1 || !reflect.DeepEqual(found[0].Made(), want) || found[0].Began().IsZero() {
			t.Errorf("%s is %+v", r.Body, found)
		}
	}
	record := resume.New(dir, nil).Take(ctx, testKey, fitsAny)
	defer record.Close(true)
	if u := record.Found(); u == nil || u.UploadID != "upload-1" || u.KeyPath != "vod/input/c/u/a.mp4" || u.StoredParts() != 1 || u.Parts[0].ETag != `"etag"` {
		t.Errorf("the unfinished upload is %+v", u)
	}
}

func writeBuild(t *testing.T, build string) {
	t.Helper()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	l.Begin(ctx, request(resume.KindSession, "a session")).Complete(ctx, resume.Made{ID: "session-1"})
	l.Begin(ctx, request(resume.KindSession, "a session without a response"))
	l.Begin(ctx, request(resume.KindJob, "a job")).Complete(ctx, resume.Made{ID: "job-1", At: "2026-01-02T03:04:05Z", Message: "submitted"})
	add(ctx, l, request(resume.KindFile, "a file"), madeAs("a.mp4"))
	l.Close()
	record := resume.New(dir, nil).Begin(ctx, testKey, "upload-1")
	record.Changed(func() *resume.Unfinished {
		return &resume.Unfinished{UploadID: "upload-1", KeyPath: "vod/input/c/u/a.mp4", PartSize: testPartSize, Parts: []transfer.Part{{Number: 1, ETag: `"etag"`, Size: testPartSize}}}
	})
	record.Close(false)
	for _, pattern := range []string{"*-*-*-*-*.json*", "upload-*.json"} {
		names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, pattern))
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err == nil {
				err = os.MkdirAll(build, 0o755)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(build, filepath.Base(name)), content, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
