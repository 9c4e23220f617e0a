package resume_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

var (
	testJournal = resume.JournalKey{Account: "alice", Address: "https://api.example.com", Folder: "/media"}
	testFile    = resume.Stored{SHA256: strings.Repeat("ab", 32), Size: 1000, FileName: "a.mp4", ContentType: "video/mp4"}
)

// as is a file with another name, stored.
func as(name string) resume.Stored {
	s := testFile
	s.FileName, s.KeyPath, s.ETag, s.UploadedAt = name, "vod/input/c/u/"+name, `"e"`, "2026-01-02T03:04:05Z"
	return s
}

func asked(name string) resume.Stored {
	s := testFile
	s.FileName = name
	return s
}

func TestJournalKeepsStoredFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		j := resume.New(dir).Journal(t.Context(), testJournal)
		j.Add(as("a.mp4"))
		// A line is there at once, for a process that is killed.
		names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "folder-*.jsonl"))
		content, err := os.ReadFile(names[0])
		if err != nil || !strings.Contains(string(content), `"a.mp4"`) || strings.Contains(string(content), "alice") {
			t.Fatalf("the journal is %s, %v", content, err)
		}
		if other := resume.New(dir).Journal(t.Context(), testJournal); other != nil {
			t.Error("two operations have one journal")
		}
		time.Sleep(2 * time.Second) // over the sync
		j.Add(as("b.mp4"))
		j.Close(false)

		j = resume.New(dir).Journal(t.Context(), testJournal)
		if got, ok := j.Found(asked("b.mp4")); !ok || got != as("b.mp4") {
			t.Errorf("found %+v, %v", got, ok)
		}
		if got, ok := j.Found(asked("b.mp4")); ok {
			t.Errorf("found twice: %+v", got)
		}
		if got, ok := j.Found(asked("c.mp4")); ok {
			t.Errorf("found %+v", got)
		}
		j.Close(true)
		j = resume.New(dir).Journal(t.Context(), testJournal)
		defer j.Close(true)
		if got, ok := j.Found(asked("a.mp4")); ok {
			t.Errorf("found after the end: %+v", got)
		}
	})
}

func TestJournalIsOfOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := resume.New(dir).Journal(t.Context(), testJournal)
	j.Add(as("a.mp4"))
	j.Close(false)
	for _, key := range []resume.JournalKey{
		{Account: "bob", Address: testJournal.Address, Folder: testJournal.Folder},
		{Account: testJournal.Account, Address: "https://other.example.com", Folder: testJournal.Folder},
		{Account: testJournal.Account, Address: testJournal.Address, Folder: "/other"},
	} {
		j := resume.New(dir).Journal(t.Context(), key)
		if got, ok := j.Found(asked("a.mp4")); ok {
			t.Errorf("%+v found %+v", key, got)
		}
		j.Close(true)
	}
}

// FuzzJournal opens what a crash or another program may have left.
func FuzzJournal(f *testing.F) {
	dir := f.TempDir()
	j := resume.New(dir).Journal(f.Context(), testJournal)
	j.Add(as("a.mp4"))
	j.Close(false)
	names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "folder-*.jsonl"))
	content, err := os.ReadFile(names[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(content[:len(content)-5])
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		j := resume.New(dir).Journal(t.Context(), testJournal)
		j.Close(false)
		path := filepath.Join(dir, resume.Folder, filepath.Base(names[0]))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		j = resume.New(dir).Journal(t.Context(), testJournal)
		if got, ok := j.Found(asked("a.mp4")); ok && (!strings.HasPrefix(got.KeyPath, "vod/input/") || got.SHA256 != testFile.SHA256) {
			t.Errorf("found %+v", got)
		}
		j.Add(as("new.mp4"))
		j.Close(false)
		j = resume.New(dir).Journal(t.Context(), testJournal)
		defer j.Close(true)
		if _, ok := j.Found(asked("new.mp4")); !ok {
			t.Error("what was added is lost")
		}
	})
}
