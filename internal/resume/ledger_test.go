package resume_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

const owner = "/infra\ndefault"

// ledger is that of a process of its own.
func ledger(dir string, hook regularfile.Hook) *resume.Ledger {
	return resume.New(dir, hook).Ledger(owner)
}

func madeAs(name string) resume.Made {
	return resume.Made{ID: "vod/input/c/u/" + name, At: "2026-01-02T03:04:05Z", ETag: `"e"`, Parts: 3}
}

func ledgerFiles(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, resume.Folder, "ledger-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestLedgerOfARun: what a run has made is known to the next one, unless the run ended as it
// should.
func TestLedgerOfARun(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*resume.Ledger){
		"ended as it should": func(l *resume.Ledger) { l.Close(true) },
		"did not":            func(l *resume.Ledger) { l.Close(false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ctx := t.TempDir(), t.Context()
			l := ledger(dir, nil)
			l.Begin(ctx, resume.KindJob, "unanswered")
			l.Begin(ctx, resume.KindJob, "refused").Drop(ctx)
			l.Begin(ctx, resume.KindSession, "answered").Complete(ctx, resume.Made{ID: "session-1"})
			l.Add(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4"))
			if n, ok := l.Take(ctx, resume.KindSession, "answered", nil); ok {
				t.Errorf("a run has taken its own %+v", n.Made())
			}
			end(l)
			if name == "ended as it should" {
				if files := ledgerFiles(t, dir); len(files) > 0 {
					t.Errorf("files are left: %q", files)
				}
				return
			}
			next := ledger(dir, nil)
			defer next.Close(true)
			if _, ok := next.Take(ctx, resume.KindJob, "refused", nil); ok {
				t.Error("a request that was not processed has a line")
			}
			if n, ok := next.Take(ctx, resume.KindJob, "unanswered", nil); !ok || n.Made() != nil || time.Since(n.Began()) > time.Hour {
				t.Errorf("the unanswered job is %+v", n)
			}
			if n, ok := next.Take(ctx, resume.KindSession, "answered", nil); !ok || *n.Made() != (resume.Made{ID: "session-1"}) {
				t.Errorf("the session is %+v", n)
			}
			for range 2 { // once only
				n, ok := next.Take(ctx, resume.KindFile, "a.mp4", nil)
				if ok && *n.Made() != madeAs("a.mp4") {
					t.Errorf("the file is %+v", n.Made())
				}
				if _, again := next.Take(ctx, resume.KindFile, "a.mp4", nil); again {
					t.Error("a file was taken twice")
				}
			}
		})
	}
}

// TestTakenLinesOutliveTheTaker: a run that dies after it has taken a line leaves it to the next
// one.
func TestTakenLinesOutliveTheTaker(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	l.Add(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4"))
	l.Close(false)
	for range 3 {
		l = ledger(dir, nil)
		n, ok := l.Take(ctx, resume.KindFile, "a.mp4", nil)
		if !ok || *n.Made() != madeAs("a.mp4") {
			t.Fatalf("took %+v", n)
		}
		l.Close(false)
	}
	if files := ledgerFiles(t, dir); len(files) != 2 { // a book and its lock
		t.Errorf("files are %q", files)
	}
	l = ledger(dir, nil)
	n, _ := l.Take(ctx, resume.KindFile, "a.mp4", nil)
	n.Return(ctx) // it cannot be used now
	l.Close(true)
	l = ledger(dir, nil)
	if n, ok := l.Take(ctx, resume.KindFile, "a.mp4", nil); !ok {
		t.Errorf("a line that was returned is lost: %+v", n)
	}
	l.Close(true)
	if files := ledgerFiles(t, dir); len(files) > 0 {
		t.Errorf("files are left: %q", files)
	}
}

// TestShown removes what a state has, from the books of earlier runs and from the own one.
func TestShown(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	for _, names := range [][]string{{"a.mp4", "b.mp4"}, {"c.mp4"}} {
		l := ledger(dir, nil)
		for _, name := range names {
			l.Add(ctx, resume.KindFile, name, madeAs(name))
		}
		l.Close(false)
	}
	l := ledger(dir, nil)
	l.Add(ctx, resume.KindFile, "d.mp4", madeAs("d.mp4"))
	l.Shown(ctx, madeAs("a.mp4").ID, madeAs("c.mp4").ID, madeAs("d.mp4").ID, "unknown")
	l.Close(false)
	l = ledger(dir, nil)
	for name, want := range map[string]bool{"a.mp4": false, "b.mp4": true, "c.mp4": false, "d.mp4": false} {
		if got := l.Has(ctx, resume.KindFile, name); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
	l.Shown(ctx, madeAs("b.mp4").ID)
	if l.Any(ctx) {
		t.Error("there are lines")
	}
	l.Close(true)
	if files := ledgerFiles(t, dir); len(files) > 0 {
		t.Errorf("files are left: %q", files)
	}
}

// TestLinesHaveAnOwner, a kind and arguments.
func TestLinesHaveAnOwner(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	l.Add(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4"))
	l.Close(false)
	for _, owner := range []string{"/infra\nstaging", "/other\ndefault"} {
		other := resume.New(dir, nil).Ledger(owner)
		other.Shown(ctx, madeAs("a.mp4").ID)
		if other.Has(ctx, resume.KindFile, "a.mp4") {
			t.Errorf("owner %q has the line", owner)
		}
	}
	l = ledger(dir, nil)
	if l.Has(ctx, resume.KindActionFile, "a.mp4") || l.Has(ctx, resume.KindFile, "b.mp4") {
		t.Error("the line is found by another kind, or by other arguments")
	}
	if !l.Has(ctx, resume.KindFile, "a.mp4") {
		t.Error("the line is lost")
	}
}

// TestEqualArguments: each line goes to one resource; those with a response first, and the oldest
// first.
func TestEqualArguments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		l := ledger(dir, nil)
		l.Begin(ctx, resume.KindSession, "x")
		for _, id := range []string{"first", "second"} {
			time.Sleep(time.Second)
			l.Begin(ctx, resume.KindSession, "x").Complete(ctx, resume.Made{ID: id})
		}
		l.Close(false)
		l = ledger(dir, nil)
		defer l.Close(true)
		var got []string
		for {
			n, ok := l.Take(ctx, resume.KindSession, "x", nil)
			if !ok {
				break
			}
			id := ""
			if n.Made() != nil {
				id = n.Made().ID
			}
			got = append(got, id)
		}
		if !slices.Equal(got, []string{"first", "second", ""}) {
			t.Errorf("took %q", got)
		}
	})
}

// TestArgumentsAreNotInTheFile, and cannot be compared across files.
func TestArgumentsAreNotInTheFile(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	var digests []string
	for range 2 {
		l := ledger(dir, nil)
		l.Begin(ctx, resume.KindSession, "rtmp://host/app/stream-key")
		l.Close(false)
	}
	for _, name := range ledgerFiles(t, dir) {
		content, err := os.ReadFile(name)
		if err != nil || strings.Contains(string(content), "stream-key") || strings.Contains(string(content), "infra") {
			t.Fatalf("%s: %s %v", name, content, err)
		}
		if _, after, ok := strings.Cut(string(content), `"args":"`); ok {
			digests = append(digests, after[:32])
		}
	}
	if len(digests) != 2 || digests[0] == digests[1] {
		t.Errorf("digests are %q", digests)
	}
}

// TestLinesEnd after 30 days.
func TestLinesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		l := ledger(dir, nil)
		l.Add(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4"))
		time.Sleep(2 * 24 * time.Hour)
		l.Add(ctx, resume.KindFile, "b.mp4", madeAs("b.mp4"))
		l.Close(false)
		time.Sleep(29 * 24 * time.Hour)
		l = ledger(dir, nil)
		defer l.Close(true)
		if l.Has(ctx, resume.KindFile, "a.mp4") || !l.Has(ctx, resume.KindFile, "b.mp4") {
			t.Error("the older line is found, or the younger one is not")
		}
	})
}

// TestAnEndingProcessIsAwaited: a process whose CLI has ended has its lines for seconds more. One
// that runs beside this one keeps them, and lines that it began later are awaited by nobody.
func TestAnEndingProcessIsAwaited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		ending := ledger(dir, nil)
		ending.Add(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4"))
		time.Sleep(time.Second)
		next := ledger(dir, nil)
		ending.Add(ctx, resume.KindFile, "b.mp4", madeAs("b.mp4"))
		start := time.Now()
		if next.Has(ctx, resume.KindFile, "b.mp4") || next.Has(ctx, resume.KindFile, "c.mp4") || time.Since(start) > 0 {
			t.Errorf("waited for %s", time.Since(start))
		}
		time.AfterFunc(3*time.Second, func() { ending.Close(false) })
		if _, ok := next.Take(ctx, resume.KindFile, "a.mp4", nil); !ok || time.Since(start) > 4*time.Second {
			t.Errorf("taken: %t, after %s", ok, time.Since(start))
		}
		next.Close(true)

		running := ledger(dir, nil)
		running.Add(ctx, resume.KindFile, "d.mp4", madeAs("d.mp4"))
		time.Sleep(time.Second)
		beside, start := ledger(dir, nil), time.Now()
		if beside.Has(ctx, resume.KindFile, "d.mp4") || time.Since(start) > 11*time.Second {
			t.Errorf("found, or waited for %s", time.Since(start))
		}
		running.Close(true)
	})
}

// TestTwoProcessesTakeFromOneBook: no line is taken twice.
func TestTwoProcessesTakeFromOneBook(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	const lines = 60
	l := ledger(dir, nil)
	for i := range lines {
		l.Add(ctx, resume.KindFile, "x", madeAs(fmt.Sprint(i)))
	}
	l.Close(false)
	var mu sync.Mutex
	taken := map[string]int{}
	var all sync.WaitGroup
	for range 3 {
		l := ledger(dir, nil)
		l.Any(ctx)
		all.Go(func() {
			defer l.Close(true)
			for {
				n, ok := l.Take(ctx, resume.KindFile, "x", nil)
				if !ok {
					return
				}
				mu.Lock()
				taken[n.Made().ID]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for id, n := range taken {
		if n > 1 {
			t.Errorf("%s was taken %d times", id, n)
		}
	}
	if len(taken) != lines {
		t.Errorf("%d of %d lines were taken", len(taken), lines)
	}
	if files := ledgerFiles(t, dir); len(files) > 0 {
		t.Errorf("files are left: %q", files)
	}
}

// TestBookThatIsRemovedBeforeItIsLocked leaves no lock: the process that finds the book makes one
// again.
func TestBookThatIsRemovedBeforeItIsLocked(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	l.Add(ctx, resume.KindFile, "x", madeAs("a.mp4"))
	l.Close(false)
	removed := false
	l = ledger(dir, func(op regularfile.Op, path string, n int) (int, error) {
		if op == regularfile.OpCreate && strings.HasSuffix(path, ".jsonl.lock") && !removed {
			removed = true
			for _, name := range ledgerFiles(t, dir) { // as another process does
				if err := os.Remove(name); err != nil {
					t.Error(err)
				}
			}
		}
		return n, nil
	})
	if l.Any(ctx) {
		t.Error("a line of a book that was removed is known")
	}
	l.Close(true)
	if files := ledgerFiles(t, dir); !removed || len(files) > 0 {
		t.Errorf("removed: %v, files are left: %q", removed, files)
	}
}

// TestKilledAtAnyOperation of the disk: no line is lost, and none is found twice.
func TestKilledAtAnyOperation(t *testing.T) {
	t.Parallel()
	for killed := range 60 {
		dir, ctx, left := t.TempDir(), t.Context(), 1<<30
		hook := func(_ regularfile.Op, _ string, n int) (int, error) {
			if left--; left < 0 {
				return n / 2, syscall.EIO // of a process that is no more
			}
			return n, nil
		}
		l := ledger(dir, nil)
		l.Add(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4"))
		l.Add(ctx, resume.KindFile, "b.mp4", madeAs("b.mp4"))
		l.Add(ctx, resume.KindFile, "c.mp4", madeAs("c.mp4"))
		l.Close(false)
		left = killed
		l = ledger(dir, hook)
		l.Shown(ctx, madeAs("a.mp4").ID)
		l.Take(ctx, resume.KindFile, "b.mp4", nil)
		l.Close(false)

		after := ledger(dir, nil)
		for _, name := range []string{"b.mp4", "c.mp4"} {
			if !after.Has(ctx, resume.KindFile, name) {
				t.Errorf("killed before operation %d: %s is lost", killed, name)
			}
		}
		after.Close(true)
	}
}

// TestFullDisk: a line that cannot be written costs itself alone, and what comes back is written
// when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir, ctx, full := t.TempDir(), t.Context(), true
	hook := func(op regularfile.Op, _ string, n int) (int, error) {
		if full && op == regularfile.OpWrite {
			return n / 2, syscall.ENOSPC
		}
		return n, nil
	}
	l := ledger(dir, hook)
	early := l.Begin(ctx, resume.KindSession, "early")
	full = false
	if l.Add(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4")); early.Written() {
		t.Error("a line on a full disk is reported as written")
	}
	full = true
	if l.Add(ctx, resume.KindFile, "b.mp4", madeAs("b.mp4")).Written() {
		t.Error("a line on a full disk is reported as written")
	}
	full = false
	l.Add(ctx, resume.KindFile, "c.mp4", madeAs("c.mp4"))
	early.Complete(ctx, resume.Made{ID: "session-1"})
	l.Close(false)
	after := ledger(dir, nil)
	defer after.Close(true)
	for name, want := range map[string]bool{"a.mp4": true, "b.mp4": false, "c.mp4": true} {
		if got := after.Has(ctx, resume.KindFile, name); got != want {
			t.Errorf("%s: found %t, want %t", name, got, want)
		}
	}
	if n, ok := after.Take(ctx, resume.KindSession, "early", nil); !ok || n.Made().ID != "session-1" {
		t.Errorf("the session is %+v", n)
	}
}

// TestLineOutlivesAPowerCut: it is on the disk when Begin returns, and so is the name of the file.
func TestLineOutlivesAPowerCut(t *testing.T) {
	t.Parallel()
	var ops []string
	hook := func(op regularfile.Op, path string, n int) (int, error) {
		if name := filepath.Base(filepath.Clean(path)); op != regularfile.OpOpen && op != regularfile.OpRead && !strings.HasSuffix(name, ".lock") {
			name, _, _ = strings.Cut(name, "-")
			ops = append(ops, string(op)+" "+name)
		}
		return n, nil
	}
	l := ledger(t.TempDir(), hook)
	defer l.Close(true)
	n := l.Begin(t.Context(), resume.KindSession, "x")
	n.Complete(t.Context(), resume.Made{ID: "session-1"})
	want := []string{"create ledger", "write ledger", "sync ledger", "rename ledger", "sync terraform", "write ledger", "sync ledger", "write ledger", "sync ledger"}
	if !slices.Equal(ops, want) {
		t.Errorf("a line is written by %q, want %q", ops, want)
	}
}

// TestBadLineCostsOneLine has lines that were cut short, are no JSON, have a key path of another
// form, or are far too long.
func TestBadLineCostsOneLine(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]string{
		"cut short": `{"id":"abab`, "no JSON": "\x00\xff\n", "too long": strings.Repeat("x", 200<<10) + "\n",
		"other form": `{"id":"ab","kind":"file","made":{"id":"/vod/input/c/u/a.mp4"}}` + "\n", "nothing": "\n\n\n",
		"control characters": `{"id":"ab","kind":"session","began":"2026-01-02T03:04:05Z","made":{"id":"\u001b[2J"}}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ctx := t.TempDir(), t.Context()
			l := ledger(dir, nil)
			l.Add(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4"))
			path := book(t, dir)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			l.Add(ctx, resume.KindFile, "b.mp4", madeAs("b.mp4"))
			l.Close(false)
			content, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, slices.Concat(content[:len(before)], []byte(bad), content[len(before):]), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			l = ledger(dir, nil)
			defer l.Close(true)
			for _, wanted := range []string{"a.mp4", "b.mp4"} {
				if n, ok := l.Take(ctx, resume.KindFile, wanted, nil); !ok || *n.Made() != madeAs(wanted) {
					t.Errorf("%s is lost: %+v", wanted, n)
				}
			}
		})
	}
}

// book is the path of the only file of lines.
func book(t *testing.T, dir string) string {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "ledger-*.jsonl"))
	if len(names) != 1 {
		t.Fatalf("there are %q", names)
	}
	return names[0]
}

// TestLineOfUnusableTexts: a file is found without an ETag that no storage makes, or a time that is
// none. Both would come into the state.
func TestLineOfUnusableTexts(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	made := madeAs("a.mp4")
	made.ETag, made.At = "\x1b[2J", "\u202eyesterday"
	l := ledger(dir, nil)
	l.Add(ctx, resume.KindFile, "a.mp4", made)
	l.Close(false)
	l = ledger(dir, nil)
	defer l.Close(true)
	made.ETag, made.At = "", ""
	if n, ok := l.Take(ctx, resume.KindFile, "a.mp4", nil); !ok || *n.Made() != made {
		t.Errorf("found %+v, %v", n, ok)
	}
}

// TestFilesOfActions stay after a run that ended as it should, until they are dropped.
func TestFilesOfActions(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	l.Add(ctx, resume.KindActionFile, "a.mp4", madeAs("a.mp4"))
	l.Add(ctx, resume.KindFile, "b.mp4", madeAs("b.mp4"))
	l.Close(true)
	l = ledger(dir, nil)
	n, ok := l.Take(ctx, resume.KindActionFile, "a.mp4", nil)
	if !ok || l.Has(ctx, resume.KindFile, "b.mp4") {
		t.Errorf("the file of the action is found: %t", ok)
	}
	n.Drop(ctx)
	l.Close(true)
	if files := ledgerFiles(t, dir); len(files) > 0 {
		t.Errorf("files are left: %q", files)
	}
}

// TestWhatAStateGivesUp stays after a run that ended as it should, unless another state got it. No
// other resource of the run takes it.
func TestWhatAStateGivesUp(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	l.Keep(ctx, resume.KindFile, "a.mp4", madeAs("a.mp4"))
	l.Keep(ctx, resume.KindFile, "b.mp4", madeAs("b.mp4")).Use(ctx)
	if l.Has(ctx, resume.KindFile, "a.mp4") {
		t.Error("another resource of the run can take the file")
	}
	l.Close(true)
	l = ledger(dir, nil)
	if !l.Has(ctx, resume.KindFile, "a.mp4") || l.Has(ctx, resume.KindFile, "b.mp4") {
		t.Error("what no state got is lost, or what a state got is found")
	}
}

// TestNoLedger: without resume_dir nothing is recorded, and nothing fails.
func TestNoLedger(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	l := resume.New("", nil).Ledger(owner)
	n := l.Begin(ctx, resume.KindJob, "x")
	n.Complete(ctx, resume.Made{ID: "1"})
	n.Drop(ctx)
	l.Add(ctx, resume.KindFile, "x", madeAs("a.mp4"))
	l.Shown(ctx, "1")
	if _, ok := l.Take(ctx, resume.KindJob, "x", nil); ok || n.Written() || l.Any(ctx) {
		t.Error("there is a line")
	}
	l.Close(true)
}

// FuzzLedger opens what a crash or another program may have left.
func FuzzLedger(f *testing.F) {
	dir := f.TempDir()
	l := ledger(dir, nil)
	l.Add(f.Context(), resume.KindFile, "a.mp4", madeAs("a.mp4"))
	l.Close(false)
	names, _ := filepath.Glob(filepath.Join(dir, resume.Folder, "ledger-*.jsonl"))
	content, err := os.ReadFile(names[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(content[:len(content)-5])
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir, ctx := t.TempDir(), t.Context()
		l := ledger(dir, nil)
		l.Begin(ctx, resume.KindJob, "x")
		l.Close(false)
		if err := os.WriteFile(filepath.Join(dir, resume.Folder, filepath.Base(names[0])), content, 0o600); err != nil {
			t.Fatal(err)
		}
		l = ledger(dir, nil)
		if n, ok := l.Take(ctx, resume.KindFile, "a.mp4", nil); ok && n.Made() != nil && !strings.HasPrefix(n.Made().ID, "vod/input/") {
			t.Errorf("found %+v", n.Made())
		}
		if !l.Has(ctx, resume.KindJob, "x") {
			t.Error("the line of another file is lost")
		}
		l.Close(true)
	})
}
