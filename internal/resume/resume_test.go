package resume_test

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

var key = resume.Key{Address: "https://vod.example.com", SHA256: "abab", Size: 12 << 20, FileName: "a.mp4"}

func unfinished() *resume.Upload {
	parts := make([]transfer.Part, 2)
	for i := range parts {
		sum := md5.Sum([]byte{byte(i)})
		parts[i] = transfer.Part{Number: i + 1, Size: 5 << 20, MD5: sum, ETag: fmt.Sprintf("%q", fmt.Sprintf("%x", sum)), Checksum: "crc64nvme:AAAAAAAAAAA="}
	}
	return &resume.Upload{UploadID: "id", KeyPath: "vod/input/c/u/a.mp4", PartSize: 5 << 20, Parts: parts}
}

func complete() *resume.Upload {
	return &resume.Upload{KeyPath: "vod/input/c/u/a.mp4", ContentType: "video/mp4", Stored: &resume.Stored{KeyPath: "vod/input/c/u/a.mp4", ETag: `"e"`, UploadedAt: "2026-01-01T00:00:00Z"}}
}

func open(t *testing.T, s *resume.Store) *resume.Record {
	t.Helper()
	record, err := s.Open(t.Context(), key)
	must.Succeed(t, err)
	return record
}

// recorded returns what another process finds.
func recorded(t *testing.T, dir string) *resume.Upload {
	t.Helper()
	record := open(t, resume.New(dir))
	defer record.Close()
	return record.Upload()
}

func write(t *testing.T, dir string, u *resume.Upload) {
	t.Helper()
	record := open(t, resume.New(dir))
	record.Changed(func() *resume.Upload { return u })
	record.Close()
}

func TestRecordIsReadByTheNextProcess(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]*resume.Upload{"unfinished": unfinished(), "complete": complete()} {
		dir := t.TempDir()
		write(t, dir, want)
		if diff := cmp.Diff(want, recorded(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestProcessUsesARecordOnce(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), ""} {
		s := resume.New(dir)
		first := open(t, s)
		if open(t, s) != nil {
			t.Error("the record was used by a second operation")
		}
		first.Close()
		if open(t, s) != nil {
			t.Error("the record was used again")
		}
	}
}

func TestSecondProcessWaitsForTheRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		first := open(t, resume.New(dir))
		opened := make(chan *resume.Record)
		go func() {
			record, _ := resume.New(dir).Open(context.Background(), key)
			opened <- record
		}()
		select {
		case <-opened:
			t.Fatal("two processes have the record")
		case <-time.After(time.Hour):
		}
		first.Changed(complete)
		first.Close()
		second := <-opened
		defer second.Close()
		if u := second.Upload(); u == nil || u.Stored == nil {
			t.Errorf("the second process finds %+v", u)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := resume.New(dir).Open(ctx, key); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the wait ended with %v", err)
		}
	})
}

func TestRecordIsWrittenOnceASecond(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		record := open(t, resume.New(dir))
		defer record.Close()
		var snapshots atomic.Int64
		for range 100 { // ten seconds
			record.Changed(func() *resume.Upload { snapshots.Add(1); return unfinished() })
			<-time.After(100 * time.Millisecond)
		}
		if n := snapshots.Load(); n < 9 || n > 11 {
			t.Errorf("the record was written %d times in ten seconds", n)
		}
	})
}

func TestStateIsRecordedUnlessThereIsARecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := *unfinished()
	other.UploadID = "other"
	resume.New(dir).Keep(t.Context(), key, *unfinished())
	resume.New(dir).Keep(t.Context(), key, other)
	if u := recorded(t, dir); u == nil || u.UploadID != "id" {
		t.Errorf("the record is %+v", u)
	}
}

func TestShownKeyPathEndsARecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, complete())
	resume.New(dir).Shown(t.Context(), key, "vod/input/c/other/a.mp4")
	if recorded(t, dir) == nil {
		t.Error("another key path ended the record")
	}
	resume.New(dir).Shown(t.Context(), key, "vod/input/c/u/a.mp4")
	if u := recorded(t, dir); u != nil {
		t.Errorf("the record still has %+v", u)
	}
}

func TestRecordsThatAreIgnored(t *testing.T) {
	t.Parallel()
	const valid = `{"key":{"address":"https://vod.example.com","sha256":"abab","size":12582912,"file_name":"a.mp4"},"upload_id":"id","key_path":"p","part_size":5242880,"parts":[%s]}`
	for name, content := range map[string]string{
		"cut short":                       valid[:100],
		"of another upload":               `{"key":{"sha256":"cdcd"},"upload_id":"id","key_path":"p","part_size":5242880}`,
		"no upload":                       `{"key":{"address":"https://vod.example.com","sha256":"abab","size":12582912,"file_name":"a.mp4"}}`,
		"no such part":                    fmt.Sprintf(valid, `{"number":4,"md5":"d41d8cd98f00b204e9800998ecf8427e","etag":"e"}`),
		"no MD5":                          fmt.Sprintf(valid, `{"number":1,"md5":"d41d","etag":"e"}`),
		"an ETag with an escape sequence": fmt.Sprintf(valid, `{"number":1,"md5":"d41d8cd98f00b204e9800998ecf8427e","etag":"\u001b[2J"}`),
	} {
		dir := t.TempDir()
		write(t, dir, unfinished())
		names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "upload-*.json"))
		must.Succeed(t, os.WriteFile(names[0], []byte(content), 0o600))
		if u := recorded(t, dir); u != nil {
			t.Errorf("%s: the record has %+v", name, u)
		}
	}
}

func TestOldFilesAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, unfinished())
	foreign := filepath.Join(dir, resume.Folder, "notes.txt")
	must.Succeed(t, os.WriteFile(foreign, nil, 0o600))
	names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "*"))
	for days, want := range map[int]int{6: 3, 8: 1} { // in any order: what is removed is written again
		write(t, dir, unfinished())
		old := time.Now().AddDate(0, 0, -days)
		for _, name := range names {
			must.Succeed(t, os.Chtimes(name, old, old))
		}
		must.Succeed(t, resume.New(dir).Check())
		if left, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "*")); len(left) != want {
			t.Errorf("after %d days, there are %q", days, left)
		}
	}
}

func TestFoldersThatAreNotUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must.Succeed(t, os.WriteFile(file, nil, 0o600))
	writable := t.TempDir()
	must.Succeed(t, os.Chmod(writable, 0o777))
	owned := t.TempDir()
	must.Succeed(t, os.Mkdir(filepath.Join(owned, resume.Folder), 0o700))
	must.Succeed(t, os.Chmod(filepath.Join(owned, resume.Folder), 0o770))
	for _, dir := range []string{file, writable, owned} {
		s := resume.New(dir)
		if s.Check() == nil {
			t.Errorf("%s is used", dir)
		}
		s.Keep(t.Context(), key, *unfinished())
		if record := open(t, s); record.Upload() == nil {
			t.Error("the record is not in memory either")
		}
		if recorded(t, dir) != nil {
			t.Errorf("%s has a record", dir)
		}
	}
}

// media makes a file that was last changed long enough ago, and returns what a plan reads of it.
func media(t *testing.T, path, content string) transfer.Digest {
	t.Helper()
	must.Succeed(t, os.WriteFile(path, []byte(content), 0o600))
	old := time.Now().Add(-time.Hour).Round(time.Second)
	must.Succeed(t, os.Chtimes(path, old, old))
	sums := transfer.Sums{PartSize: 5 << 20, CRC: 9, Parts: []transfer.PartSum{{MD5: md5.Sum([]byte(content)), CRC: 7}}}
	return transfer.Digest{Size: int64(len(content)), SHA256: sha256.Sum256([]byte(content)), ModTime: old, Sums: sums}
}

// TestHashesAreRememberedByStamp sleeps in a bubble, whose clock reaches the change times of files.
func TestHashesAreRememberedByStamp(t *testing.T) {
	t.Parallel()
	dir, folder := t.TempDir(), t.TempDir()
	one, two := filepath.Join(folder, "one.mp4"), filepath.Join(folder, "two.mp4")
	readOne, readTwo := media(t, one, "one"), media(t, two, "two")
	if resume.LookAt(one).Stamp != "" {
		t.Error("a file that was just changed has a stamp")
	}
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(readOne.ModTime.Add(2 * time.Hour)))
		first, second := resume.New(dir), resume.New(dir)
		first.Content(t.Context(), resume.LookAt(one))
		second.Content(t.Context(), resume.LookAt(two)) // both have read that nothing is remembered
		first.Remember(t.Context(), resume.LookAt(one), readOne)
		second.Remember(t.Context(), resume.LookAt(two), readTwo)
		first.Flush(t.Context())
		second.Flush(t.Context())
		for path, read := range map[string]transfer.Digest{one: readOne, two: readTwo} {
			got := resume.New(dir).Content(t.Context(), resume.LookAt(path))
			if diff := cmp.Diff(resume.Content{SHA256: fmt.Sprintf("%x", read.SHA256), Sums: read.Sums}, got); diff != "" {
				t.Errorf("%s: %s", path, diff)
			}
		}
		media(t, two, "owt")
		<-time.After(time.Hour)
		if got := resume.New(dir).Content(t.Context(), resume.LookAt(two)); got.SHA256 != "" {
			t.Error("the hash of a touched file is remembered")
		}
	})
}
