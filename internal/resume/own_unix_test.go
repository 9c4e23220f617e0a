//go:build unix

package resume_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

const noFolder = "resume_dir is not used"

// TestFolderOfOthersIsNotUsed leaves a record and makes its folder one that others could have
// written to.
func TestFolderOfOthersIsNotUsed(t *testing.T) {
	t.Parallel()
	chmod := func(below string, mode os.FileMode) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			must.Succeed(t, os.Chmod(filepath.Join(dir, below), mode))
		}
	}
	for name, tc := range map[string]struct {
		change func(t *testing.T, dir string)
		used   bool
	}{
		"private":                      {chmod(".", 0o700), true},
		"readable":                     {chmod(resume.Folder, 0o755), true},
		"resume_dir of the group":      {chmod(".", 0o775), true},
		"resume_dir as /tmp":           {chmod(".", 0o777|os.ModeSticky), true},
		"resume_dir of everybody":      {chmod(".", 0o777), false},
		"own folder of the group":      {chmod(resume.Folder, 0o770), false},
		"own folder of everybody":      {chmod(resume.Folder, 0o777), false},
		"own folder sticky, everybody": {chmod(resume.Folder, 0o777|os.ModeSticky), false},
		"own folder is a link": {func(t *testing.T, dir string) {
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			must.Succeed(t, os.Rename(filepath.Join(dir, resume.Folder), elsewhere))
			must.Succeed(t, os.Symlink(elsewhere, filepath.Join(dir, resume.Folder)))
		}, false},
		"own folder is a file": {func(t *testing.T, dir string) {
			must.Succeed(t, os.Rename(filepath.Join(dir, resume.Folder), filepath.Join(dir, "elsewhere")))
			must.Succeed(t, os.WriteFile(filepath.Join(dir, resume.Folder), nil, 0o600))
		}, false},
		"resume_dir is a link": {func(t *testing.T, dir string) {
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			must.Succeed(t, os.Rename(dir, elsewhere))
			must.Succeed(t, os.Symlink(elsewhere, dir))
		}, true},
		"resume_dir is a pipe": {func(t *testing.T, dir string) {
			must.Succeed(t, os.Rename(dir, dir+".elsewhere"))
			must.Succeed(t, syscall.Mkfifo(dir, 0o600))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "resume")
			keep(t, dir, testKey)
			tc.change(t, dir)
			ctx, log := logged(t)
			store := resume.New(dir, nil)
			record := store.Take(ctx, testKey, fitsAny)
			defer record.Close(false)
			if (record.Found() != nil) != tc.used || strings.Contains(log.String(), noFolder) == tc.used {
				t.Errorf("found %+v, log %s", record.Found(), log)
			}
			store.Content(ctx, resume.LookAt(filepath.Join(dir, "media.mp4")))
			if store.Usable(ctx) != tc.used || strings.Count(log.String(), noFolder) > 1 {
				t.Errorf("used: %v, log %s", !tc.used, log)
			}
		})
	}
}

// TestFolderOfAnotherUserIsNotUsed needs the rights to give a folder away.
func TestFolderOfAnotherUserIsNotUsed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	for _, below := range []string{".", resume.Folder} {
		dir := filepath.Join(t.TempDir(), "resume")
		keep(t, dir, testKey)
		must.Succeed(t, os.Chown(filepath.Join(dir, below), 12345, 12345))
		ctx, log := logged(t)
		if resume.New(dir, nil).Usable(ctx) || !strings.Contains(log.String(), "belongs to another user") {
			t.Errorf("%s: used, log %s", below, log)
		}
	}
}

// spoil is what a file can be made into that must not be used.
var spoil = map[string]func(t *testing.T, path string){
	"writable by everybody": func(t *testing.T, path string) { must.Succeed(t, os.Chmod(path, 0o666)) },
	"writable by the group": func(t *testing.T, path string) { must.Succeed(t, os.Chmod(path, 0o660)) },
	"link": func(t *testing.T, path string) {
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		must.Succeed(t, os.Rename(path, elsewhere))
		must.Succeed(t, os.Symlink(elsewhere, path))
	},
	"link in the same folder": func(t *testing.T, path string) {
		must.Succeed(t, os.Rename(path, path+".other"))
		must.Succeed(t, os.Symlink(filepath.Base(path)+".other", path))
	},
	"link to nothing": func(t *testing.T, path string) {
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		must.Succeed(t, os.Remove(path))
		must.Succeed(t, os.Symlink(elsewhere, path))
		t.Cleanup(func() {
			if _, err := os.Lstat(elsewhere); err == nil {
				t.Error("a file was made elsewhere")
			}
		})
	},
	"pipe": func(t *testing.T, path string) {
		must.Succeed(t, os.Remove(path))
		must.Succeed(t, syscall.Mkfifo(path, 0o600))
	},
	"folder": func(t *testing.T, path string) {
		must.Succeed(t, os.Remove(path))
		must.Succeed(t, os.Mkdir(path, 0o700))
	},
}

// TestSpoiltFilesAreNotUsed spoils a record, its lock, remembered hashes and a list of the ledger.
func TestSpoiltFilesAreNotUsed(t *testing.T) {
	t.Parallel()
	for name, change := range spoil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			change(t, keep(t, dir, testKey))
			ctx, log := logged(t)
			if u := found(ctx, dir, testKey); u != nil || !strings.Contains(log.String(), "is ignored") {
				t.Errorf("found %+v, log %s", u, log)
			}
			synctest.Test(t, func(t *testing.T) {
				r := remember(t, large)
				change(t, r.file(t))
				if got := r.known(t).SHA256; got != "" {
					t.Errorf("used: %q", got)
				}
			})
			path := lock(t, dir)
			before := time.Now().Add(-time.Hour)
			must.Succeed(t, os.Chtimes(path, before, before))
			change(t, path)
			ctx, log = logged(t)
			if record := resume.New(dir, nil).Take(ctx, testKey, fitsAny); record != nil || !strings.Contains(log.String(), "its lock cannot be used") {
				t.Errorf("record %+v, log %s", record, log)
			}
			if info, err := os.Stat(path); err == nil && strings.HasPrefix(name, "link") && info.ModTime().After(before.Add(time.Minute)) {
				t.Error("the file behind the link was touched")
			}
			dir = t.TempDir()
			l := ledger(dir, nil)
			add(ctx, l, request(resume.KindFile, "a.mp4"), madeAs("a.mp4"))
			l.Close()
			lists, err := filepath.Glob(filepath.Join(dir, resume.Folder, "file-*"))
			if err != nil || len(lists) != 1 {
				t.Fatalf("lists: %v, %v", lists, err)
			}
			change(t, lists[0])
			l = ledger(dir, nil)
			defer l.Close()
			if n, ok := l.Take(ctx, request(resume.KindFile, "a.mp4"), nil); ok {
				t.Errorf("took %+v", n.Made())
			}
		})
	}
}

// TestSpoiltRecordIsReplaced writes a new record in the place of one that is not used: nothing
// outside is touched.
func TestSpoiltRecordIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := keep(t, dir, testKey)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	must.Succeed(t, os.WriteFile(elsewhere, []byte("mine"), 0o600))
	must.Succeed(t, os.Remove(path))
	must.Succeed(t, os.Symlink(elsewhere, path))
	keep(t, dir, testKey)
	if found(t.Context(), dir, testKey) == nil {
		t.Error("the new record is not found")
	}
	if content, err := os.ReadFile(elsewhere); err != nil || string(content) != "mine" {
		t.Errorf("the file behind the link: %q, %v", content, err)
	}
}

// lock is the file of the only lock of an upload.
func lock(t *testing.T, dir string) string {
	t.Helper()
	locks, err := filepath.Glob(filepath.Join(dir, resume.Folder, "upload-*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks: %v, %v", locks, err)
	}
	return locks[0]
}
