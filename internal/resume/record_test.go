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
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

var testKey = resume.Key{
	Account: "alice", Address: "https://api.example.com", SHA256: strings.Repeat("ab", 32), Size: 12 << 20, FileName: "a.mp4",
}

const testPartSize = 5 << 20

func testUpload() *resume.Unfinished {
	u := &resume.Unfinished{UploadID: "u1", KeyPath: "vod/input/c/u/a.mp4", PartSize: testPartSize}
	for number := 1; number <= 3; number++ {
		sum := md5.Sum(fmt.Append(nil, number))
		size := min(testPartSize, testKey.Size-int64(number-1)*testPartSize)
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
	record := resume.New(dir, nil).Begin(t.Context(), key, testUpload().UploadID)
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
	record := resume.New(dir, nil).Take(ctx, key, fitsAny)
	defer record.Close(false)
	return record.Found()
}

func fitsAny(*resume.Unfinished) bool { return true }

// trusted is an upload as a record has it.
func trusted(u *resume.Unfinished) *resume.Unfinished {
	for i := range u.Parts {
		u.Parts[i].Trusted = true
	}
	return u
}

func TestRecordIsFoundAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	path := keep(t, dir, testKey)
	if diff := cmp.Diff(trusted(testUpload()), found(t.Context(), dir, testKey)); diff != "" {
		t.Error(diff)
	}
	content, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(content), "alice") {
		t.Errorf("the record names the account: %s, %v", content, err)
	}
	resume.New(dir, nil).Take(t.Context(), testKey, fitsAny).Close(true)
	if u := found(t.Context(), dir, testKey); u != nil {
		t.Errorf("found after the upload was over: %+v", u)
	}
}

// TestUnfinishedUploadOfAState has a state give up an upload, of which there may be a record, and
// takes it for the same content.
func TestUnfinishedUploadOfAState(t *testing.T) {
	t.Parallel()
	upload := func(id string, numbers ...int) *resume.Unfinished {
		u := testUpload()
		u.UploadID = id
		u.Parts = nil
		for _, n := range numbers {
			u.Parts = append(u.Parts, testUpload().Parts[n-1])
		}
		return u
	}
	change := func(u *resume.Unfinished, change func(*resume.Unfinished)) *resume.Unfinished {
		change(u)
		return u
	}
	stale := func(u *resume.Unfinished) { u.Parts[0].MD5[0]++ }
	summed := func(u *resume.Unfinished) { u.Parts[0].Checksum = "crc32c:AAAAAA==" }
	completing := func(u *resume.Unfinished) { u.Completing = true }
	both := upload("a", 1, 1)
	both.Parts[1].MD5[0]++
	for name, tc := range map[string]struct {
		recorded, left, want *resume.Unfinished
		recordedAs           func(*resume.Key)
	}{
		"not recorded":                     {left: upload("a", 1), want: upload("a", 1)},
		"recorded":                         {recorded: upload("a", 2, 3), left: upload("a", 1, 2), want: upload("a", 2, 3, 1)},
		"checksum in the record":           {recorded: change(upload("a", 1), summed), left: upload("a", 1), want: change(upload("a", 1), summed)},
		"two accounts of a part":           {recorded: upload("a", 1), left: change(upload("a", 1), stale), want: both},
		"record of a later time":           {recorded: change(upload("a", 1), completing), left: upload("a", 1), want: change(upload("a", 1), completing)},
		"state of a later time":            {recorded: upload("a", 1), left: change(upload("a", 1), completing), want: change(upload("a", 1), completing)},
		"another one recorded":             {recorded: upload("b", 2, 3), left: upload("a", 1), want: upload("a", 1)},
		"another key path recorded":        {recorded: change(upload("a", 2), func(u *resume.Unfinished) { u.KeyPath += "2" }), left: upload("a", 1), want: upload("a", 1)},
		"another part size recorded":       {recorded: change(upload("a", 2), func(u *resume.Unfinished) { u.PartSize++ }), left: upload("a", 1), want: upload("a", 1)},
		"recorded for other content":       {recorded: upload("a", 2), left: upload("a", 1), want: upload("a", 2, 1), recordedAs: func(k *resume.Key) { k.SHA256 = strings.Repeat("cd", 32) }},
		"recorded by another account":      {recorded: upload("a", 2), left: upload("a", 1), want: upload("a", 2, 1), recordedAs: func(k *resume.Key) { k.Account = "bob" }},
		"another one for other content":    {recorded: upload("b", 2), left: upload("a", 1), want: upload("a", 1), recordedAs: func(k *resume.Key) { k.SHA256 = strings.Repeat("cd", 32) }},
		"nothing of what is recorded fits": {recorded: upload("z", 2)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ctx := t.TempDir(), t.Context()
			if tc.recorded != nil {
				key := testKey
				if tc.recordedAs != nil {
					tc.recordedAs(&key)
				}
				record := resume.New(dir, nil).Begin(ctx, key, tc.recorded.UploadID)
				record.Changed(func() *resume.Unfinished { return tc.recorded })
				record.Close(false)
			}
			store := resume.New(dir, nil)
			if tc.left != nil {
				store.Leave(ctx, testKey, *tc.left)
			}
			fits := func(u *resume.Unfinished) bool { return u.UploadID != "z" }
			record := store.Take(ctx, testKey, fits)
			if tc.want != nil {
				trusted(tc.want)
			}
			if diff := cmp.Diff(tc.want, record.Found()); diff != "" || record.Left() != (tc.left != nil) {
				t.Errorf("left %v: %s", record.Left(), diff)
			}
			if again := store.Take(ctx, testKey, func(u *resume.Unfinished) bool { return u.UploadID == "a" }); again != nil {
				t.Errorf("it is taken twice: %+v", again.Found())
			}
			record.Close(true)
			if u := found(ctx, dir, testKey); u != nil && u.UploadID == "a" {
				t.Errorf("it is recorded after it was over: %+v", u)
			}
			if tc.left != nil {
				if store.Leave(ctx, testKey, *tc.left); !store.Taken("a") || store.TakeLeft(ctx, testKey, fits) != nil {
					t.Error("it is taken once more after it was over")
				}
			}
		})
	}
}

// TestRecordsInMemory leaves an upload where nothing can be written, or only until the record is.
func TestRecordsInMemory(t *testing.T) {
	t.Parallel()
	full := func(op disk.Op, path string, _ int) (int, error) {
		if op == disk.OpWrite && strings.Contains(path, ".tmp") {
			return 0, syscall.ENOSPC
		}
		return 0, nil
	}
	noLocks := func(op disk.Op, path string, n int) (int, error) {
		if strings.HasSuffix(path, ".lock") {
			return 0, syscall.EIO
		}
		return n, nil
	}
	for name, store := range map[string]*resume.Store{
		"no folder": resume.New("", nil), "full disk": resume.New(t.TempDir(), full), "no locks": resume.New(t.TempDir(), noLocks),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			begun := store.Begin(ctx, testKey, "u0")
			begun.Changed(testUpload)
			begun.Flush()
			begun.Close(false)
			if store.Take(ctx, testKey, fitsAny) != nil {
				t.Error("something is kept that no state has left")
			}
			store.Leave(ctx, testKey, *testUpload())
			record := store.TakeLeft(ctx, testKey, fitsAny)
			if record.Found() == nil || !record.Left() || store.Take(ctx, testKey, fitsAny) != nil {
				t.Errorf("found %+v", record.Found())
			}
			record.Close(true)
		})
	}
}

// TestCompletedUploadIsNotContinued: a state may still have an upload that another run has
// completed. One that ended in any other way meets what ended it again.
func TestCompletedUploadIsNotContinued(t *testing.T) {
	t.Parallel()
	for _, complete := range []bool{true, false} {
		dir, ctx := t.TempDir(), t.Context()
		keep(t, dir, testKey)
		record := resume.New(dir, nil).Take(ctx, testKey, fitsAny)
		if complete {
			record.Complete()
		}
		record.Close(true)
		store := resume.New(dir, nil)
		store.Leave(ctx, testKey, *testUpload())
		again := store.Take(ctx, testKey, fitsAny)
		if (again == nil) != complete {
			t.Errorf("complete %t: found %+v", complete, again.Found())
		}
		again.Close(false)
	}
}

func TestRecordIsOfOneUpload(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*resume.Key){
		"account":   func(k *resume.Key) { k.Account = "bob" },
		"service":   func(k *resume.Key) { k.Address = "https://other.example.com" },
		"content":   func(k *resume.Key) { k.SHA256 = strings.Repeat("cd", 32) },
		"size":      func(k *resume.Key) { k.Size++ },
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
			must.Succeed(t, err)
			must.Succeed(t, os.WriteFile(renamed, content, 0o600))
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
		"newer version": func(record map[string]any) { record["version"] = 3 },
		"no upload":     func(record map[string]any) { record["upload_id"] = "" },
		"hostile id":    func(record map[string]any) { record["upload_id"] = "u\x1b[2J" },
		"hostile key":   func(record map[string]any) { record["key_path"] = "k\nError: forged" },
		"long key":      func(record map[string]any) { record["key_path"] = strings.Repeat("k", 1025) },
		"another's id":  func(record map[string]any) { record["upload_id"] = "u2" },
		"no part size":  func(record map[string]any) { record["part_size"] = 0 },
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
			must.Succeed(t, err)
			var record map[string]any
			must.Succeed(t, json.Unmarshal(content, &record))
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
	must.Succeed(t, os.WriteFile(path, content, 0o600))
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
		must.Succeed(t, os.WriteFile(path, content, 0o600))
		u := found(t.Context(), dir, testKey)
		if u == nil {
			return
		}
		for _, p := range u.Parts {
			if p.Number < 1 || p.Number > 3 || p.Size < 1 || p.Size > testPartSize {
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
	other := resume.New(dir, nil)
	first := resume.New(dir, nil).Take(t.Context(), testKey, fitsAny)
	other.Leave(t.Context(), testKey, *testUpload()) // of a state
	if second := other.Take(t.Context(), testKey, fitsAny); first.Found() == nil || second != nil {
		t.Errorf("the first holder has %v, the second one %v", first.Found(), second.Found())
	}
	first.Close(false)
	if u := found(t.Context(), dir, testKey); u == nil {
		t.Error("not found after the first holder closed it")
	}
}

// TestRecordOfARunningProcess: a record that another process had before is awaited for as long as
// that process may be about to end.
func TestRecordOfARunningProcess(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ends time.Duration // of the process with the record; 0: it goes on
		late bool          // it has the record only after the other process has started
		want bool
		wait time.Duration
	}{
		"it ends":         {ends: 3 * time.Second, want: true, wait: 3 * time.Second},
		"it goes on":      {wait: 10 * time.Second},
		"of the same run": {late: true, ends: 3 * time.Second},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			dir := t.TempDir()
			var first *resume.Record
			begin := func() {
				first = resume.New(dir, nil).Begin(t.Context(), testKey, testUpload().UploadID)
				first.Changed(testUpload)
				time.Sleep(time.Millisecond)
			}
			if !tc.late {
				begin()
			}
			second := resume.New(dir, nil)
			time.Sleep(time.Millisecond)
			if tc.late {
				begin()
			}
			if tc.ends > 0 {
				time.AfterFunc(tc.ends, func() { first.Close(false) })
			}
			start := time.Now()
			record := second.Take(t.Context(), testKey, fitsAny)
			defer record.Close(false)
			if waited := time.Since(start); (record != nil) != tc.want || waited < tc.wait || waited > tc.wait+time.Second {
				t.Errorf("found %v after %s", record.Found(), waited)
			}
			if tc.ends == 0 {
				first.Close(false)
			}
		})
	}
}

// TestRecordIsWrittenOnceASecond counts snapshots in virtual time.
func TestRecordIsWrittenOnceASecond(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		record := resume.New(dir, nil).Begin(t.Context(), testKey, "u1")
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
		id     = "0123456789abcdef"
		line   = "session-" + id + "-" + id + "-" + id + "-" + id + ".json"
		list   = "file-" + id + "-" + id + "-" + id + "-" + id + ".jsonl"
		before = "session-" + id + "-" + id + "-" + digest + "-" + id + ".json" // of an earlier build
		record = "upload-" + digest + "-0123456789abcdef.json"
		book   = "ledger-" + digest + "-0123456789abcdef.jsonl" // of an earlier build
	)
	removed := []string{
		record, "completed-0123456789abcdef.json", "upload-0123456789abcdef.json.lock", record + ".0123456789abcdef.tmp", "hash-" + digest + ".json", "hashes-" + digest + ".jsonl", book, book + ".lock", before,
		"process-0123456789abcdef-0123456789abcdef.lock", line + ".0123456789abcdef.tmp",
		"upload-" + digest + ".json", "upload-" + digest + ".json.lock", // of an earlier build
		"upload-" + digest + ".json.0123456789abcdef.tmp", "hash-" + digest + ".json.0123456789abcdef.tmp",
	}
	kept := []string{
		"upload-final.mov", "hash-list.txt", "ledger-" + digest + ".jsonl", "ledger-" + digest + "-0123.jsonl", line + ".bak", "other" + line, list + "l", "process-0123456789abcdef.lock", "upload-notes.tmp", "upload-" + digest + ".json.bak", "my-upload-" + digest + ".json",
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
		"lines, not old":        {resume.Folder, []string{line, list}, time.Now().Add(-29 * 24 * time.Hour), true},
		"old lines":             {resume.Folder, []string{line, list}, time.Now().Add(-31 * 24 * time.Hour), false},
		"others'":               {resume.Folder, kept, old, true},
		"outside of its folder": {".", removed, old, true},
		"below its folder":      {filepath.Join(resume.Folder, "below"), removed, old, true},
		"others' in resume_dir": {".", kept, old, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must.Succeed(t, os.MkdirAll(filepath.Join(dir, tc.below), 0o700))
			var paths []string
			for _, name := range tc.names {
				path := filepath.Join(dir, tc.below, name)
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					if strings.Contains(name, "\n") { // no name on Windows
						continue
					}
					t.Fatal(err)
				}
				must.Succeed(t, os.Chtimes(path, tc.age, tc.age))
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
	defer resume.New(dir, nil).Begin(t.Context(), testKey, "u1").Close(true)
	locks, err := filepath.Glob(filepath.Join(dir, resume.Folder, "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks: %v, %v", locks, err)
	}
	old := time.Now().Add(-8 * 24 * time.Hour)
	must.Succeed(t, os.Chtimes(locks[0], old, old))
	resume.New(dir, nil).Usable(t.Context())
	if _, err := os.Stat(locks[0]); err != nil {
		t.Error(err)
	}
}
