package resume_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

var owner = resume.Owner{Folder: "/infra", Workspace: "default"}

// ledger is that of a process of its own.
func ledger(dir string, hook disk.Hook) *resume.Ledger {
	return resume.New(dir, hook).Ledger(owner)
}

// add records a stored file.
func add(ctx context.Context, l *resume.Ledger, r resume.Request, made resume.Made) *resume.Line {
	list := l.List()
	defer list.Close()
	return list.Add(ctx, r, made)
}

func request(kind resume.Kind, body any) resume.Request {
	return resume.Request{Kind: kind, Service: "https://service.example", Body: body, Name: "the name"}
}

func madeAs(name string) resume.Made {
	return resume.Made{ID: "vod/input/c/u/" + name, At: "2026-01-02T03:04:05Z", ETag: `"e"`}
}

// ledgerFiles are the files of lines and of processes.
func ledgerFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, _ := os.ReadDir(filepath.Join(dir, resume.Folder))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "upload-") && !strings.HasPrefix(e.Name(), "hash-") {
			files = append(files, e.Name())
		}
	}
	return files
}

// TestLinesOutliveEveryEnd: no end of a process says that Terraform has saved anything.
func TestLinesOutliveEveryEnd(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	session, job, file := request(resume.KindSession, "a"), request(resume.KindJob, "b"), request(resume.KindFile, "c")
	l.Begin(ctx, session).Complete(ctx, resume.Made{ID: "session-1"})
	l.Begin(ctx, job)
	resume.Drop(ctx, l.Begin(ctx, request(resume.KindJob, "refused")))
	add(ctx, l, file, madeAs("a.mp4"))
	if found := l.Find(ctx, session); len(found) > 0 {
		t.Errorf("a run finds its own %+v", found[0].Made())
	}
	l.Close()

	next := ledger(dir, nil)
	defer next.Close()
	if found := next.Find(ctx, request(resume.KindJob, "refused")); len(found) > 0 {
		t.Error("a request that was not processed has a line")
	}
	if found := next.Find(ctx, job); len(found) != 1 || found[0].Made() != nil || time.Since(found[0].Began()) > time.Hour {
		t.Errorf("the unanswered job is %+v", found)
	}
	for range 2 { // Find takes nothing
		if found := next.Find(ctx, session); len(found) != 1 || found[0].Made().ID != "session-1" || found[0].Name() != "the name" {
			t.Errorf("the session is %+v", found)
		}
	}
	if n, ok := next.Take(ctx, file, nil); !ok || *n.Made() != madeAs("a.mp4") {
		t.Errorf("the file is %+v", n)
	}
	if _, again := next.Take(ctx, file, nil); again {
		t.Error("a file was taken twice")
	}
	names := []string{}
	for _, n := range next.Unshown(ctx) {
		names = append(names, string(n.Kind()))
	}
	if !slices.Equal(names, []string{"session", "job"}) {
		t.Errorf("not shown: %q", names)
	}
}

// TestShown: only a state that Terraform has saved ends a line.
func TestShown(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	session := request(resume.KindSession, "a")
	l.Begin(ctx, session).Complete(ctx, resume.Made{ID: "session-1"})
	list := l.List()
	for _, name := range []string{"a.mp4", "b.mp4"} {
		list.Add(ctx, request(resume.KindFile, name), madeAs(name))
	}
	list.Close()
	l.Close()

	plan := ledger(dir, nil) // of a plan that imports the session
	plan.Import(ctx, "session-1")
	plan.Shown(ctx, false, "session-1")
	plan.Shown(ctx, true, "session-1", madeAs("a.mp4").ID, "unknown")
	if len(plan.Find(ctx, session)) != 1 {
		t.Error("the state of an import counts as saved")
	}
	if len(plan.Find(ctx, request(resume.KindFile, "a.mp4"))) > 0 || len(plan.Find(ctx, request(resume.KindFile, "b.mp4"))) != 1 {
		t.Error("the wrong file was removed")
	}
	plan.Close()

	apply := ledger(dir, nil) // its prior state has what the plan imports
	apply.Shown(ctx, true, "session-1")
	if len(apply.Find(ctx, session)) != 1 {
		t.Error("the prior state of the apply of an import counts as saved")
	}
	apply.Close()

	next := ledger(dir, nil)
	next.Shown(ctx, false, "session-1", madeAs("b.mp4").ID)
	if next.Any(ctx) {
		t.Error("there are lines")
	}
	next.Close()
	ledger(dir, nil).Any(ctx) // removes the locks of processes that have ended without lines
	if files := ledgerFiles(t, dir); len(files) > 0 {
		t.Errorf("files are left: %q", files)
	}
}

// TestLinesHaveAnOwner, a kind and a request: each field tells two apart.
func TestLinesHaveAnOwner(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	r := request(resume.KindFile, map[string]string{"a": "b"})
	add(ctx, l, r, madeAs("a.mp4"))
	l.Close()
	for _, other := range []resume.Owner{
		{Folder: "/infra", Workspace: "staging"}, {Folder: "/other", Workspace: "default"}, {Folder: "/infra", Workspace: "default", Backend: "s3"},
	} {
		l := resume.New(dir, nil).Ledger(other)
		l.Shown(ctx, false, madeAs("a.mp4").ID)
		if len(l.Find(ctx, r)) > 0 {
			t.Errorf("owner %+v has the line", other)
		}
	}
	l = ledger(dir, nil)
	for _, other := range []resume.Request{
		{Kind: resume.KindActionFile, Service: r.Service, Body: r.Body},
		{Kind: r.Kind, Service: "https://other.example", Body: r.Body},
		{Kind: r.Kind, Service: r.Service, Body: map[string]string{"a": "c"}},
	} {
		if len(l.Find(ctx, other)) > 0 {
			t.Errorf("the line is found by %+v", other)
		}
	}
	r.Name = "another"
	if len(l.Find(ctx, r)) != 1 {
		t.Error("the line is lost")
	}
}

// TestEqualRequests: lines with a response come first, then the oldest.
func TestEqualRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		l := ledger(dir, nil)
		r := request(resume.KindSession, "x")
		l.Begin(ctx, r)
		for _, id := range []string{"first", "second"} {
			time.Sleep(time.Second)
			l.Begin(ctx, r).Complete(ctx, resume.Made{ID: id})
		}
		l.Close()
		l = ledger(dir, nil)
		defer l.Close()
		var got []string
		for _, n := range l.Find(ctx, r) {
			id := ""
			if n.Made() != nil {
				id = n.Made().ID
			}
			got = append(got, id)
		}
		if !slices.Equal(got, []string{"first", "second", ""}) {
			t.Errorf("found %q", got)
		}
	})
}

// TestLeft: a Create of this process, or of a later one, takes what a Delete has left.
func TestLeft(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), ""} { // in memory, too
		ctx := t.Context()
		l := ledger(dir, nil)
		list := l.List()
		for _, name := range []string{"a.mp4", "b.mp4", "c.mp4"} {
			list.Leave(ctx, request(resume.KindFile, name), madeAs(name), "folder")
		}
		list.Close()
		if n, ok := l.Take(ctx, request(resume.KindFile, "b.mp4"), nil); !ok || *n.Made() != madeAs("b.mp4") || n.Written() != (dir != "") {
			t.Errorf("%q: took %+v", dir, n)
		}
		var left []string
		for _, n := range l.Left("folder") {
			left = append(left, n.Made().ID)
		}
		slices.Sort(left)
		if !slices.Equal(left, []string{madeAs("a.mp4").ID, madeAs("c.mp4").ID}) || len(l.Left("other")) > 0 {
			t.Errorf("%q: left %q", dir, left)
		}
		l.Close()
		next := ledger(dir, nil)
		if n, ok := next.Take(ctx, request(resume.KindFile, "a.mp4"), nil); ok != (dir != "") {
			t.Errorf("%q: a later process took %+v", dir, n)
		}
		next.Close()
	}
}

// TestRunningProcess: a line of a process that runs is awaited for as long as that process may be
// about to end, unless it was begun later than the process that asks.
func TestRunningProcess(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ends time.Duration // of the process with the line; 0: it goes on
		late bool          // the line is begun after the other process has started
		want bool
		wait time.Duration
	}{
		"it ends":             {ends: 3 * time.Second, want: true, wait: 3 * time.Second},
		"it goes on":          {wait: 10 * time.Second},
		"of the same run":     {late: true, ends: 3 * time.Second},
		"it ends in the line": {ends: 9 * time.Second, want: true, wait: 9 * time.Second},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			dir, ctx := t.TempDir(), t.Context()
			r := request(resume.KindSession, "a")
			first := ledger(dir, nil)
			defer first.Close()
			add(ctx, first, request(resume.KindFile, "other"), madeAs("o.mp4"))
			if !tc.late {
				first.Begin(ctx, r)
				time.Sleep(time.Millisecond)
			}
			second := ledger(dir, nil)
			defer second.Close()
			if tc.late {
				time.Sleep(time.Millisecond)
				first.Begin(ctx, r)
			}
			if tc.ends > 0 {
				time.AfterFunc(tc.ends, first.Close)
			}
			start := time.Now()
			found := second.Find(ctx, r)
			waited := time.Since(start)
			if got := len(found) > 0; got != tc.want || waited < tc.wait || waited > tc.wait+time.Second {
				t.Errorf("found %v after %s", got, waited)
			}
		})
	}
}

// TestListOfARunningProcessIsReadOnce: two configurations of the provider in one run have a process
// each, and each looks for every file.
func TestListOfARunningProcessIsReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		first := ledger(dir, nil)
		defer first.Close()
		list := first.List()
		defer list.Close()
		reads := 0
		second := ledger(dir, func(op disk.Op, path string, n int) (int, error) {
			if op == disk.OpOpen && strings.HasPrefix(filepath.Base(path), "file-") {
				reads++
			}
			return n, nil
		})
		defer second.Close()
		time.Sleep(time.Millisecond)
		for i := range 100 {
			list.Add(ctx, request(resume.KindFile, fmt.Sprint("first ", i)), madeAs(fmt.Sprint("a", i)))
			if found := second.Find(ctx, request(resume.KindFile, fmt.Sprint("second ", i))); len(found) > 0 {
				t.Errorf("found %v", found)
			}
		}
		if reads > 1 {
			t.Errorf("the list was read %d times", reads)
		}
	})
}

// TestLeftIsTakenAtOnce: what a Delete of this process has left is taken, and found missing,
// without a wait for another process.
func TestLeftIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		running, r := ledger(dir, nil), request(resume.KindFile, "a.mp4")
		defer running.Close()
		add(ctx, running, r, madeAs("a.mp4"))
		time.Sleep(time.Second)
		l := ledger(dir, nil)
		defer l.Close()
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		begin := time.Now()
		if _, ok := l.Take(limited, r, nil); ok || time.Since(begin) == 0 {
			t.Errorf("Take of what a running process has: %v after %s", ok, time.Since(begin))
		}
		left := l.List()
		defer left.Close()
		begin = time.Now()
		for _, want := range []bool{false, true, false} {
			if want {
				left.Leave(ctx, r, madeAs("a.mp4"), "folder")
			}
			if _, ok := l.TakeLeft(ctx, r, func(*resume.Line) bool { return true }); ok != want || time.Since(begin) > 0 {
				t.Errorf("taken %v after %s, want %v", ok, time.Since(begin), want)
			}
		}
	})
}

// TestExactlyOneTakes: of many processes, each of which may end at any moment, exactly one has an
// object in the end, or the next one finds it.
func TestExactlyOneTakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // a process waits for others that may be about to end
		dir, ctx := t.TempDir(), t.Context()
		const objects, processes, rounds = 20, 6, 5
		l := ledger(dir, nil)
		for i := range objects {
			l.Begin(ctx, request(resume.KindJob, i%4)).Complete(ctx, resume.Made{ID: fmt.Sprint("job-", i)})
		}
		l.Close()
		held := map[string]int{} // by processes that went on
		var mu sync.Mutex
		for round := range rounds {
			var running sync.WaitGroup
			for p := range processes {
				running.Go(func() {
					l := ledger(dir, nil)
					defer l.Close()
					for i := range 4 {
						if n, ok := l.Take(ctx, request(resume.KindJob, (i+p)%4), nil); ok {
							if (p+round)%2 == 0 { // a state shows it
								l.Shown(ctx, false, n.Made().ID)
								mu.Lock()
								held[n.Made().ID]++
								mu.Unlock()
							}
						}
					}
				})
			}
			running.Wait()
		}
		rest := ledger(dir, nil)
		defer rest.Close()
		for i := range 4 {
			for _, n := range rest.Find(ctx, request(resume.KindJob, i)) {
				held[n.Made().ID]++
			}
		}
		for i := range objects {
			if id := fmt.Sprint("job-", i); held[id] != 1 {
				t.Errorf("%s: %d have it", id, held[id])
			}
		}
	})
}

// TestListOfFiles: the lines of a folder are in one file. Whoever takes one has them all, and what
// a state does not show stays.
func TestListOfFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		file := func(name string) resume.Request { return request(resume.KindFile, name) }
		l := ledger(dir, nil)
		list := l.List()
		for _, name := range []string{"a.mp4", "b.mp4", "c.mp4", "d.mp4"} {
			if n := list.Add(ctx, file(name), madeAs(name)); !n.Written() {
				t.Errorf("%s is not on the disk", name)
			}
		}
		list.Close()
		l.Close()
		if files := ledgerFiles(t, dir); len(files) != 2 { // the list, and the lock of its process
			t.Errorf("the files are %q", files)
		}

		one, other := ledger(dir, nil), ledger(dir, nil)
		if len(other.Find(ctx, file("b.mp4"))) != 1 {
			t.Error("b.mp4 is not found")
		}
		if _, ok := one.Take(ctx, file("a.mp4"), nil); !ok {
			t.Error("a.mp4 is not taken")
		}
		if _, ok := other.Take(ctx, file("b.mp4"), nil); ok {
			t.Error("two processes have one list")
		}
		if _, ok := one.Take(ctx, file("b.mp4"), nil); !ok {
			t.Error("b.mp4 is not taken by the process that has the list")
		}
		one.Close()
		other.Close()

		part := ledger(dir, nil) // nothing of what was taken got into a state
		part.Shown(ctx, false, madeAs("b.mp4").ID, madeAs("d.mp4").ID)
		part.Close()
		rest := ledger(dir, nil)
		for name, want := range map[string]int{"a.mp4": 1, "b.mp4": 0, "c.mp4": 1, "d.mp4": 0} {
			if got := len(rest.Find(ctx, file(name))); got != want {
				t.Errorf("%s: %d lines", name, got)
			}
		}
		rest.Shown(ctx, false, madeAs("a.mp4").ID, madeAs("c.mp4").ID)
		rest.Close()
		ledger(dir, nil).Any(ctx)
		if files := ledgerFiles(t, dir); len(files) > 0 {
			t.Errorf("files are left: %q", files)
		}
	})
}

// TestListThatEndsEarly: a process or a disk that stops in the middle of a line costs that line.
func TestListThatEndsEarly(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	var full atomic.Bool
	l := ledger(dir, func(op disk.Op, _ string, n int) (int, error) {
		if op == disk.OpWrite && full.Load() {
			return n / 2, syscall.ENOSPC
		}
		return n, nil
	})
	file := func(name string) resume.Request { return request(resume.KindFile, name) }
	list := l.List()
	defer list.Close()
	list.Add(ctx, file("a.mp4"), madeAs("a.mp4"))
	full.Store(true)
	if n := list.Add(ctx, file("b.mp4"), madeAs("b.mp4")); n.Written() {
		t.Error("half a line counts as written")
	}
	full.Store(false)
	last := list.Add(ctx, file("c.mp4"), madeAs("c.mp4"))
	l.Close()
	content, _ := os.ReadFile(last.Path())
	must.Succeed(t, os.WriteFile(last.Path(), append(content, content[:len(content)/2]...), 0o600))
	next := ledger(dir, nil)
	defer next.Close()
	for name, want := range map[string]int{"a.mp4": 1, "b.mp4": 0, "c.mp4": 1} {
		if got := len(next.Find(ctx, file(name))); got != want {
			t.Errorf("%s: %d lines", name, got)
		}
	}
}

// TestLineIsForPeople: a file names what it is about, and has no argument, which may be a secret.
func TestLineIsForPeople(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	l := ledger(dir, nil)
	defer l.Close()
	n := l.Begin(ctx, request(resume.KindSession, map[string]string{"source": "rtmp://host/app/a-stream-key"}))
	n.Complete(ctx, resume.Made{ID: "session-1"})
	content, err := os.ReadFile(n.Path())
	must.Succeed(t, err)
	var line map[string]any
	must.Succeed(t, json.Unmarshal(content, &line))
	made, _ := line["made"].(map[string]any)
	if line["kind"] != "session" || line["name"] != "the name" || line["folder"] != "/infra" || line["workspace"] != "default" || made["id"] != "session-1" || line["began"] == nil {
		t.Errorf("the line is %s", content)
	}
	if strings.Contains(string(content), "stream-key") || strings.Contains(string(content), "://") {
		t.Errorf("the line has an argument: %s", content)
	}
}

// TestDamagedLines cost themselves alone, and nothing of them gets to a state.
func TestDamagedLines(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(string) string{
		"cut":              func(s string) string { return s[:len(s)/2] },
		"empty":            func(string) string { return "" },
		"another kind":     func(s string) string { return strings.Replace(s, `"session"`, `"job"`, 1) },
		"a control letter": func(s string) string { return strings.Replace(s, "session-1", `session\u0007`, 1) },
		"a long id":        func(s string) string { return strings.Replace(s, "session-1", strings.Repeat("x", 2<<10), 1) },
		"no id":            func(s string) string { return strings.Replace(s, "session-1", "", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ctx := t.TempDir(), t.Context()
			l := ledger(dir, nil)
			n := l.Begin(ctx, request(resume.KindSession, "a"))
			n.Complete(ctx, resume.Made{ID: "session-1"})
			l.Begin(ctx, request(resume.KindSession, "b")).Complete(ctx, resume.Made{ID: "session-2"})
			l.Close()
			content, _ := os.ReadFile(n.Path())
			must.Succeed(t, os.WriteFile(n.Path(), []byte(damage(string(content))), 0o600))
			l = ledger(dir, nil)
			defer l.Close()
			if found := l.Find(ctx, request(resume.KindSession, "a")); len(found) > 0 {
				t.Errorf("found %+v", found[0].Made())
			}
			if found := l.Find(ctx, request(resume.KindSession, "b")); len(found) != 1 {
				t.Errorf("found %v", found)
			}
		})
	}
}

// TestLinesEnd after 30 days, and with them their files.
func TestLinesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		r := request(resume.KindSession, "a")
		l := ledger(dir, nil)
		l.Begin(ctx, r).Complete(ctx, resume.Made{ID: "session-1"})
		l.Close()
		time.Sleep(29 * 24 * time.Hour)
		l = ledger(dir, nil)
		if len(l.Find(ctx, r)) != 1 {
			t.Error("a line of 29 days is gone")
		}
		l.Close()
		time.Sleep(2 * 24 * time.Hour)
		l = ledger(dir, nil)
		if len(l.Find(ctx, r)) != 0 {
			t.Error("a line of 31 days is found")
		}
		l.Close()
	})
}

// TestFullDisk: a line that cannot be written costs nothing but itself, whatever fails.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, op := range []disk.Op{disk.OpOpen, disk.OpCreate, disk.OpWrite, disk.OpSync, disk.OpRename} {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			dir, ctx := t.TempDir(), t.Context()
			var full atomic.Bool
			hook := func(now disk.Op, _ string, n int) (int, error) {
				if now == op && full.Load() {
					return n / 2, syscall.ENOSPC
				}
				return n, nil
			}
			l := ledger(dir, hook)
			l.Begin(ctx, request(resume.KindSession, "first")).Complete(ctx, resume.Made{ID: "session-1"})
			full.Store(true)
			n := l.Begin(ctx, request(resume.KindSession, "second"))
			n.Complete(ctx, resume.Made{ID: "session-2"})
			resume.Drop(ctx, n)
			full.Store(false)
			l.Begin(ctx, request(resume.KindSession, "third")).Complete(ctx, resume.Made{ID: "session-3"})
			l.Close()
			next := ledger(dir, nil)
			defer next.Close()
			for name, want := range map[string]int{"first": 1, "second": 0, "third": 1} {
				if got := len(next.Find(ctx, request(resume.KindSession, name))); got != want {
					t.Errorf("%s: %d lines", name, got)
				}
			}
		})
	}
}

// TestReadOnlyDisk: what an earlier process has left is found at once where nothing can be written.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		l := ledger(dir, nil)
		l.Begin(ctx, request(resume.KindSession, "a")).Complete(ctx, resume.Made{ID: "session-1"})
		l.Close()
		next := ledger(dir, func(op disk.Op, _ string, n int) (int, error) {
			if op != disk.OpOpen && op != disk.OpRead {
				return 0, syscall.EROFS
			}
			return n, nil
		})
		defer next.Close()
		start := time.Now()
		if found := next.Find(ctx, request(resume.KindSession, "a")); len(found) != 1 || time.Since(start) > 0 {
			t.Errorf("%d lines after %s", len(found), time.Since(start))
		}
	})
}

// TestWithoutALedger: every method of what is turned off does nothing.
func TestWithoutALedger(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var l *resume.Ledger
	r := request(resume.KindFile, "a")
	l.Begin(ctx, r).Complete(ctx, madeAs("a"))
	list := l.List()
	resume.Drop(ctx, list.Add(ctx, r, madeAs("a")), nil)
	list.Leave(ctx, r, madeAs("a"), "g")
	list.Close()
	l.Leave(ctx, r, madeAs("a"))
	l.Shown(ctx, false, "a")
	l.Import(ctx, "a")
	if l.Any(ctx) || len(l.Find(ctx, r))+len(l.Left("g"))+len(l.Unshown(ctx)) > 0 {
		t.Error("there are lines")
	}
	l.Close()
}

// TestOtherProcessOfOneRun: Terraform starts a process for each configuration of the provider, and
// for each run of a test. What one of them has made is not what another one has to make.
func TestOtherProcessOfOneRun(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	process := func(run string) *resume.Ledger {
		by := owner
		by.Run = run
		return resume.New(dir, nil).Ledger(by)
	}
	session, file := request(resume.KindSession, "a"), request(resume.KindFile, "c")
	l := process("100 5")
	l.Begin(ctx, session).Complete(ctx, resume.Made{ID: "session-1"})
	add(ctx, l, file, madeAs("a.mp4"))
	l.Close()

	same := process("100 5")
	if found := same.Find(ctx, session); len(found) > 0 || len(same.Unshown(ctx)) > 0 {
		t.Errorf("another process of the run finds %+v", found)
	}
	if _, ok := same.Take(ctx, file, nil); ok {
		t.Error("another process of the run takes the file")
	}
	same.Close()

	later := process("100 6")
	defer later.Close()
	if found := later.Find(ctx, session); len(found) != 1 || len(later.Unshown(ctx)) != 1 {
		t.Errorf("the next run finds %+v", found)
	}
	if _, ok := later.Take(ctx, file, nil); !ok {
		t.Error("the next run does not take the file")
	}
}
