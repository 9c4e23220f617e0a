package resume_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

var testKey = resume.Key{
	Account: "alice", Address: "https://api.example.com", SHA256: strings.Repeat("ab", 32), Size: 12 << 20, PartSize: 5 << 20, FileName: "a.mp4",
}

func testUpload() *resume.Unfinished {
	u := &resume.Unfinished{UploadID: "u1", KeyPath: "vod/input/c/u/a.mp4", PartSize: testKey.PartSize}
	for number := 1; number <= 3; number++ {
		sum := md5.Sum(fmt.Append(nil, number))
		size := min(testKey.PartSize, testKey.Size-int64(number-1)*testKey.PartSize)
		u.Parts = append(u.Parts, transfer.Part{Number: number, MD5: sum, ETag: fmt.Sprintf(`"%x"`, sum), Size: size})
	}
	return u
}

// logged is a context whose log is kept.
func logged(t testing.TB) (context.Context, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	return tflogtest.RootLogger(t.Context(), &log), &log
}

// keep leaves a record of testUpload and returns the path of its file.
func keep(t testing.TB, dir string, key resume.Key) string {
	t.Helper()
	record, _ := resume.New(dir, nil).Record(t.Context(), key)
	if record == nil {
		t.Fatal("no record can be kept")
	}
	record.Changed(testUpload)
	record.Close(false)
	names, err := filepath.Glob(filepath.Join(dir, resume.Folder, "upload-*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("records: %v, %v", names, err)
	}
	return names[0]
}

// found opens the record of a key and returns what it holds.
func found(ctx context.Context, dir string, key resume.Key) *resume.Unfinished {
	record, _ := resume.New(dir, nil).Record(ctx, key)
	defer record.Close(false)
	return record.Found()
}

func TestRecordIsFoundAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	path := keep(t, dir, testKey)
	if diff := cmp.Diff(testUpload(), found(t.Context(), dir, testKey)); diff != "" {
		t.Error(diff)
	}
	content, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(content), "alice") {
		t.Errorf("the record names the account: %s, %v", content, err)
	}
	record, _ := resume.New(dir, nil).Record(t.Context(), testKey)
	record.Close(true)
	if u := found(t.Context(), dir, testKey); u != nil {
		t.Errorf("found after the upload was over: %+v", u)
	}
}

func TestRecordsAreOff(t *testing.T) {
	t.Parallel()
	store := resume.New("", nil)
	record, elsewhere := store.Record(t.Context(), testKey)
	record.Changed(testUpload)
	record.Flush()
	record.Close(false)
	store.Forget(t.Context(), "a.mp4")
	memo := store.Memo(t.Context(), "a.mp4")
	memo.Remember(t.Context(), transfer.Digest{})
	if record != nil || elsewhere != "" || record.Found() != nil || memo.SHA256() != "" || store.Usable(t.Context()) {
		t.Error("something is kept")
	}
}

func TestRecordIsOfOneUpload(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*resume.Key){
		"account":   func(k *resume.Key) { k.Account = "bob" },
		"service":   func(k *resume.Key) { k.Address = "https://other.example.com" },
		"content":   func(k *resume.Key) { k.SHA256 = strings.Repeat("cd", 32) },
		"size":      func(k *resume.Key) { k.Size++ },
		"part size": func(k *resume.Key) { k.PartSize++ },
		"file name": func(k *resume.Key) { k.FileName = "b.mp4" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := keep(t, dir, testKey)
			other := testKey
			change(&other)
			if u := found(t.Context(), dir, other); u != nil {
				t.Errorf("found: %+v", u)
			}
			// The content counts, too: here the record has the other one's name.
			elsewhere := t.TempDir()
			renamed := keep(t, elsewhere, other)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(renamed, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if u := found(t.Context(), elsewhere, other); u != nil {
				t.Errorf("found under another name: %+v", u)
			}
		})
	}
}

func TestDamagedRecordIsIgnored(t *testing.T) {
	t.Parallel()
	part := func(field string, value any) func(map[string]any) {
		return func(record map[string]any) { record["parts"].([]any)[0].(map[string]any)[field] = value }
	}
	for name, change := range map[string]func(map[string]any){
		"newer version": func(record map[string]any) { record["version"] = 2 },
		"no upload":     func(record map[string]any) { record["upload_id"] = "" },
		"hostile id":    func(record map[string]any) { record["upload_id"] = "u\x1b[2J" },
		"hostile key":   func(record map[string]any) { record["key_path"] = "k\nError: forged" },
		"long key":      func(record map[string]any) { record["key_path"] = strings.Repeat("k", 1025) },
		"part 0":        part("number", 0),
		"part too many": part("number", 4),
		"bad MD5":       part("md5", "abc"),
		"no ETag":       part("etag", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := keep(t, dir, testKey)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var record map[string]any
			if err := json.Unmarshal(content, &record); err != nil {
				t.Fatal(err)
			}
			change(record)
			if content, err = json.Marshal(record); err != nil {
				t.Fatal(err)
			}
			assertIgnored(t, dir, path, content)
		})
	}
	for name, content := range map[string]string{
		"empty": "", "not JSON": "hello", "truncated": `{"version":1,"key":{"address":"https://ap`, "huge": strings.Repeat(" ", 5<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			assertIgnored(t, dir, keep(t, dir, testKey), []byte(content))
		})
	}
}

func assertIgnored(t *testing.T, dir, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, log := logged(t)
	if u := found(ctx, dir, testKey); u != nil || !strings.Contains(log.String(), "is ignored") {
		t.Errorf("found %+v, log %s", u, log)
	}
}

func FuzzRecord(f *testing.F) {
	dir := f.TempDir()
	path := keep(f, dir, testKey)
	content, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add([]byte(`{"version":1,"parts":[{"number":-1}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		u := found(t.Context(), dir, testKey)
		if u == nil {
			return
		}
		for _, p := range u.Parts {
			if p.Number < 1 || p.Number > 3 || p.Size < 1 || p.Size > testKey.PartSize {
				t.Errorf("part %+v", p)
			}
		}
	})
}

// TestRecordHasOneHolder opens a record twice, as two processes do.
func TestRecordHasOneHolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep(t, dir, testKey)
	first, _ := resume.New(dir, nil).Record(t.Context(), testKey)
	second, elsewhere := resume.New(dir, nil).Record(t.Context(), testKey)
	if second != nil || elsewhere != "u1" {
		t.Errorf("second holder %v, elsewhere %q", second, elsewhere)
	}
	first.Close(false)
	if u := found(t.Context(), dir, testKey); u == nil {
		t.Error("not found after the first holder closed it")
	}
}

// TestRecordIsWrittenOnceASecond counts snapshots in virtual time.
func TestRecordIsWrittenOnceASecond(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		record, _ := resume.New(dir, nil).Record(t.Context(), testKey)
		defer record.Close(true)
		writes := 0
		snapshot := func() *resume.Unfinished { writes++; return testUpload() }
		for range 30 {
			record.Changed(snapshot)
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if writes < 3 || writes > 4 {
			t.Errorf("%d writes in three seconds", writes)
		}
		record.Changed(snapshot)
		record.Flush()
		if now := writes; now < 4 {
			t.Errorf("Flush did not write: %d writes", now)
		}
	})
}

// TestOldFilesAreRemoved holds which names count as the provider's own.
func TestOldFilesAreRemoved(t *testing.T) {
	t.Parallel()
	const (
		digest = "0123456789abcdef0123456789abcdef"
		line   = "session-0123456789abcdef-0123456789abcdef-" + digest + "-0123456789abcdef.json"
		book   = "ledger-" + digest + "-0123456789abcdef.jsonl" // of an earlier build
	)
	removed := []string{
		"upload-" + digest + ".json", "upload-" + digest + ".json.lock", "hash-" + digest + ".json", book, book + ".lock",
		"process-0123456789abcdef-0123456789abcdef.lock", line + ".0123456789abcdef.tmp",
		"upload-" + digest + ".json.0123456789abcdef.tmp", "hash-" + digest + ".json.0123456789abcdef.tmp",
	}
	kept := []string{
		"upload-final.mov", "hash-list.txt", "ledger-" + digest + ".jsonl", "ledger-" + digest + "-0123.jsonl", line + ".bak", "other" + line, "process-0123456789abcdef.lock", "upload-notes.tmp", "upload-" + digest + ".json.bak", "my-upload-" + digest + ".json",
		"upload-" + digest + "0.json", "upload-" + digest[1:] + ".json", "upload-" + strings.ToUpper(digest) + ".json", "hash-" + digest + ".json.lock",
		"upload-" + digest + ".json\n", "upload-" + digest + ".json.0123.tmp",
	}
	old, recent := time.Now().Add(-8*24*time.Hour), time.Now().Add(-6*24*time.Hour)
	for name, tc := range map[string]struct {
		below string // folder of the files
		names []string
		age   time.Time
		stay  bool
	}{
		"its own":               {resume.Folder, removed, old, false},
		"its own, not old":      {resume.Folder, removed, recent, true},
		"lines, not old":        {resume.Folder, []string{line}, time.Now().Add(-29 * 24 * time.Hour), true},
		"old lines":             {resume.Folder, []string{line}, time.Now().Add(-31 * 24 * time.Hour), false},
		"others'":               {resume.Folder, kept, old, true},
		"outside of its folder": {".", removed, old, true},
		"below its folder":      {filepath.Join(resume.Folder, "below"), removed, old, true},
		"others' in resume_dir": {".", kept, old, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, tc.below), 0o700); err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, name := range tc.names {
				path := filepath.Join(dir, tc.below, name)
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					if strings.Contains(name, "\n") { // no name on Windows
						continue
					}
					t.Fatal(err)
				}
				if err := os.Chtimes(path, tc.age, tc.age); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			if !resume.New(dir, nil).Usable(t.Context()) {
				t.Fatal("the folder is not used")
			}
			for _, path := range paths {
				if _, err := os.Stat(path); os.IsNotExist(err) == tc.stay {
					t.Errorf("%s: %v", filepath.Base(path), err)
				}
			}
		})
	}
}

// TestLockInUseIsKept makes the lock of a running upload look old.
func TestLockInUseIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record, _ := resume.New(dir, nil).Record(t.Context(), testKey)
	defer record.Close(true)
	locks, err := filepath.Glob(filepath.Join(dir, resume.Folder, "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks: %v, %v", locks, err)
	}
	old := time.Now().Add(-8 * 24 * time.Hour)
	if err := os.Chtimes(locks[0], old, old); err != nil {
		t.Fatal(err)
	}
	resume.New(dir, nil).Usable(t.Context())
	if _, err := os.Stat(locks[0]); err != nil {
		t.Error(err)
	}
}
