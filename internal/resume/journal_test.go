package resume_test

import (
	"os"
	"path/filepath"
	"slices"
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
		j := resume.New(dir, nil).Journal(t.Context(), testJournal)
		j.Add(as("a.mp4"))
		// A line is there at once, for a process that is killed.
		names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "folder-*.jsonl"))
		content, err := os.ReadFile(names[0])
		if err != nil || !strings.Contains(string(content), `"a.mp4"`) || strings.Contains(string(content), "alice") {
			t.Fatalf("the journal is %s, %v", content, err)
		}
		if other := resume.New(dir, nil).Journal(t.Context(), testJournal); other != nil {
			t.Error("two operations have one journal")
		}
		time.Sleep(2 * time.Second) // over the sync
		j.Add(as("b.mp4"))
		j.Close(false)

		j = resume.New(dir, nil).Journal(t.Context(), testJournal)
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
		j = resume.New(dir, nil).Journal(t.Context(), testJournal)
		defer j.Close(true)
		if got, ok := j.Found(asked("a.mp4")); ok {
			t.Errorf("found after the end: %+v", got)
		}
	})
}

func TestJournalIsOfOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := resume.New(dir, nil).Journal(t.Context(), testJournal)
	j.Add(as("a.mp4"))
	j.Close(false)
	for _, key := range []resume.JournalKey{
		{Account: "bob", Address: testJournal.Address, Folder: testJournal.Folder},
		{Account: testJournal.Account, Address: "https://other.example.com", Folder: testJournal.Folder},
		{Account: testJournal.Account, Address: testJournal.Address, Folder: "/other"},
	} {
		j := resume.New(dir, nil).Journal(t.Context(), key)
		if got, ok := j.Found(asked("a.mp4")); ok {
			t.Errorf("%+v found %+v", key, got)
		}
		j.Close(true)
	}
}

// TestBadLineCostsOneLine has lines that were cut short, are no JSON, have a key path of another form, or
// are far too long.
func TestBadLineCostsOneLine(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]string{
		"cut short": `{"sha256":"abab`, "no JSON": "\x00\xff\n", "too long": strings.Repeat("x", 200<<10) + "\n",
		"other form": `{"sha256":"ab","key_path":"/vod/input/c/u/a.mp4"}` + "\n", "nothing": "\n\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			j := resume.New(dir, nil).Journal(t.Context(), testJournal)
			names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "folder-*.jsonl"))
			j.Add(as("a.mp4"))
			before, err := os.ReadFile(names[0])
			if err != nil {
				t.Fatal(err)
			}
			j.Add(as("b.mp4"))
			j.Add(as("c.mp4"))
			j.Close(false)
			content, err := os.ReadFile(names[0])
			if err == nil {
				err = os.WriteFile(names[0], slices.Concat(content[:len(before)], []byte(bad), content[len(before):]), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			j = resume.New(dir, nil).Journal(t.Context(), testJournal)
			defer j.Close(true)
			for _, wanted := range []string{"a.mp4", "b.mp4", "c.mp4"} {
				if got, ok := j.Found(asked(wanted)); !ok || got != as(wanted) {
					t.Errorf("%s is lost: %+v", wanted, got)
				}
			}
		})
	}
}

// TestLineOfUnusableTexts: a file is found without an ETag that no storage makes, or a time that is none. Both would
// come into the state.
func TestLineOfUnusableTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := resume.New(dir, nil).Journal(t.Context(), testJournal)
	s := as("a.mp4")
	s.ETag, s.UploadedAt = "\x1b[2J", "\u202eyesterday"
	j.Add(s)
	j.Close(false)
	j = resume.New(dir, nil).Journal(t.Context(), testJournal)
	defer j.Close(true)
	s.ETag, s.UploadedAt = "", ""
	if got, ok := j.Found(asked("a.mp4")); !ok || got != s {
		t.Errorf("found %+v, %v", got, ok)
	}
}

// TestLargeJournal: no line is left out, whatever the size of the journal.
func TestLargeJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := resume.New(dir, nil).Journal(t.Context(), testJournal)
	const lines = 70
	padding := strings.Repeat("x", 1<<20-1) + "\n"
	j.Add(as("0.mp4"))
	j.Close(false)
	names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "folder-*.jsonl"))
	file, err := os.OpenFile(names[0], os.O_APPEND|os.O_WRONLY, 0)
	for range lines {
		if err == nil {
			_, err = file.WriteString(padding)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	j = resume.New(dir, nil).Journal(t.Context(), testJournal)
	j.Add(as("last.mp4"))
	j.Close(false)
	j = resume.New(dir, nil).Journal(t.Context(), testJournal)
	defer j.Close(true)
	for _, wanted := range []string{"0.mp4", "last.mp4"} {
		if _, ok := j.Found(asked(wanted)); !ok {
			t.Errorf("%s is lost", wanted)
		}
	}
}

// TestLinesThatAreRemoved are in no later journal. The others are.
func TestLinesThatAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := resume.New(dir, nil).Journal(t.Context(), testJournal)
	j.Add(as("a.mp4"))
	j.Add(as("b.mp4"))
	j.Remove([]string{as("a.mp4").KeyPath})
	j.Add(as("c.mp4"))
	j.Close(false)
	j = resume.New(dir, nil).Journal(t.Context(), testJournal)
	for wanted, there := range map[string]bool{"a.mp4": false, "b.mp4": true, "c.mp4": true} {
		if _, ok := j.Found(asked(wanted)); ok != there {
			t.Errorf("%s is found: %t", wanted, ok)
		}
	}
	j.Remove([]string{as("b.mp4").KeyPath, as("c.mp4").KeyPath})
	j.Close(false)
	if names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "folder-*.jsonl")); len(names) > 0 {
		t.Errorf("a journal without lines stays: %s", names)
	}
}

// TestTwoFilesOfOneContent never share an object.
func TestTwoFilesOfOneContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := resume.New(dir, nil).Journal(t.Context(), testJournal)
	twin := as("a.mp4")
	twin.KeyPath = "vod/input/c/other/a.mp4"
	j.Add(as("a.mp4"))
	j.Add(twin)
	j.Close(false)
	j = resume.New(dir, nil).Journal(t.Context(), testJournal)
	defer j.Close(true)
	first, ok := j.Found(asked("a.mp4"))
	second, twice := j.Found(asked("a.mp4"))
	_, thrice := j.Found(asked("a.mp4"))
	if !ok || !twice || thrice || first.KeyPath == second.KeyPath {
		t.Errorf("%+v and %+v, %t %t %t", first, second, ok, twice, thrice)
	}
}

// FuzzJournal opens what a crash or another program may have left.
func FuzzJournal(f *testing.F) {
	dir := f.TempDir()
	j := resume.New(dir, nil).Journal(f.Context(), testJournal)
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
		j := resume.New(dir, nil).Journal(t.Context(), testJournal)
		j.Close(false)
		path := filepath.Join(dir, resume.Folder, filepath.Base(names[0]))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		j = resume.New(dir, nil).Journal(t.Context(), testJournal)
		if got, ok := j.Found(asked("a.mp4")); ok && (!strings.HasPrefix(got.KeyPath, "vod/input/") || got.SHA256 != testFile.SHA256) {
			t.Errorf("found %+v", got)
		}
		j.Add(as("new.mp4"))
		j.Close(false)
		j = resume.New(dir, nil).Journal(t.Context(), testJournal)
		defer j.Close(true)
		if _, ok := j.Found(asked("new.mp4")); !ok {
			t.Error("what was added is lost")
		}
	})
}
