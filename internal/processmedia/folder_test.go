package processmedia_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const mib = 1 << 20

var oneByOne = acctest.Attrs{"upload_concurrency": 1, "max_retries": 0}

// world has a folder named media, for the action.
type world struct {
	*acctest.World
	t      *testing.T
	dir    string
	config acctest.Attrs
}

func newWorld(t *testing.T, names ...string) *world {
	t.Helper()
	w := &world{World: acctest.NewWorld(t, simulator.Options{}), t: t, dir: filepath.Join(t.TempDir(), "media")}
	w.config = acctest.Attrs{"source_dir": w.dir, "service_modes": []string{"video_optimizer"}}
	for _, name := range names {
		w.write(name, "content of "+name)
	}
	return w
}

func (w *world) write(name, content string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// invoke runs the action in a process of its own.
func (w *world) invoke() (progress, diags string) {
	w.t.Helper()
	return w.invokeOn(w.Provider(oneByOne))
}

func (w *world) invokeOn(p *acctest.Provider) (progress, diags string) {
	w.t.Helper()
	lines, d := p.Invoke("vodlive_process_media", w.config)
	return strings.Join(lines, "\n"), d.String()
}

func (w *world) mustInvoke() (progress string) {
	w.t.Helper()
	progress, diags := w.invoke()
	if diags != "" {
		w.t.Fatalf("%s\n%s", diags, w.JournalText())
	}
	return progress
}

// breakOff has the PUTs of a file fail during one run.
func (w *world) breakOff(call, name string) (diags string) {
	w.t.Helper()
	w.Fail(simulator.Fault{Call: call, Match: func(r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, name) && r.URL.Query().Get("partNumber") != "1"
	}, Status: http.StatusBadRequest})
	_, diags = w.invoke()
	w.ClearFaults()
	w.assertJobs()
	return diags
}

// assertJobs compares the jobs by the names of their files.
func (w *world) assertJobs(jobs ...string) {
	w.t.Helper()
	var got []string
	stored := map[string]bool{}
	for _, o := range w.Objects() {
		stored[o.KeyPath] = true
	}
	for _, b := range w.Batches() {
		var names []string
		for _, keyPath := range b.Paths {
			if !stored[keyPath] {
				w.t.Errorf("a job on %s, which is not stored", keyPath)
			}
			names = append(names, keyPath[strings.LastIndex(keyPath, "/")+1:])
		}
		got = append(got, strings.Join(names, " "))
	}
	want(w.t, "jobs", got, jobs)
}

// ledger is what is left when the last process has ended.
func (w *world) ledger() []string {
	w.Provider(oneByOne)
	names, _ := filepath.Glob(filepath.Join(w.Env["VODLIVE_RESUME_DIR"], resume.Folder, "action*"))
	return names
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the text lacks %q:\n%s", part, text)
		}
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "b.mp4", "s/a.mov", "skip/c.mp4", ".hidden")
		w.config = w.config.With(acctest.Attrs{"exclude": []string{"skip/"}, "name_format": "flat", "content_types": acctest.Attrs{"mov": "video/x-own"}})
		says(t, w.mustInvoke(), "reading the files of "+w.dir, "media: 100 %, ", ", 2 of 2 files", "submitting a batch job on all files of ", "submitted all files of "+w.dir+" (2): ")
		w.assertJobs("b.mp4 s_a.mov")
		types := []string{}
		for _, o := range w.Objects() {
			types = append(types, o.ContentType)
		}
		slices.Sort(types)
		want(t, "media types", types, []string{"video/mp4", "video/x-own"})
		want(t, "files of the ledger", len(w.ledger()), 0)

		w.mustInvoke() // each invocation is a new one
		want(t, "objects", len(w.Objects()), 4)
		w.assertJobs("b.mp4 s_a.mov", "b.mp4 s_a.mov")
	})
}

// TestProgress has every PUT take a second.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for i := range 50 {
			w.write(fmt.Sprintf("%d.mp4", i), "1234567890")
		}
		w.Hook(simulator.CallPutObject, func(*http.Request) { time.Sleep(time.Second) })
		progress := w.mustInvoke()
		says(t, progress, "media: 100 %, 500 B of 500 B, 50 of 50 files\n")
		if line := regexp.MustCompile(`(?m)^media: \d+ %, \d+ B of 500 B, \d+ B/s, \d s left, \d+ of 50 files$`); !line.MatchString(progress) {
			t.Errorf("no line has a rate:\n%s", progress)
		}
	})
}

func TestFailingFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4", "c.mp4")
		says(t, w.breakOff(simulator.CallPutObject, "bad.mp4"), "1 of 3 files could not be uploaded", "- bad.mp4: ", "400", "Files that this run has stored: 2. Stored files and stored parts are recorded in `resume_dir`",
			"No batch job was submitted", "Invoke the action again on this machine")
		w.ResetJournal()
		w.mustInvoke()
		want(t, "PUTs of the second invocation", w.Count(simulator.CallPutObject), 1)
		w.assertJobs("a.mp4 bad.mp4 c.mp4")
	})
}

func TestFailingFileWithoutRecords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "bad.mp4")
		w.Env["VODLIVE_RESUME_DIR"] = ""
		says(t, w.breakOff(simulator.CallPutObject, "bad.mp4"), "Files that this run has stored: 1. No batch job was submitted. The stored files could not be recorded in `resume_dir`", "sends them again")
		w.ResetJournal()
		w.mustInvoke()
		want(t, "PUTs of the second invocation", w.Count(simulator.CallPutObject), 2)
	})
}

// TestLargeFileContinues: the parts that are stored are in the record of the file.
func TestLargeFileContinues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "small.mp4")
	content := make([]byte, 6*mib)
	_, _ = rand.Read(content)
	w.write("large.mp4", string(content))
	w.config = w.config.With(acctest.Attrs{"method": "multipart", "part_size": 5 * mib})
	says(t, w.breakOff(simulator.CallPutPart, "large.mp4"), "1 of 2 files could not be uploaded", "- large.mp4: ")
	w.ResetJournal()
	w.mustInvoke()
	want(t, "calls", w.Counts(), map[string]int{
		simulator.CallPresignURL: 1, simulator.CallMultipartURL: 1, simulator.CallPutPart: 1, simulator.CallMultipartComplete: 1, simulator.CallBatch: 1,
	})
	w.assertJobs("large.mp4 small.mp4")
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	const files, stored = 12, 7
	w := newWorld(t)
	for i := range files {
		w.write(fmt.Sprintf("%02d.mp4", i), fmt.Sprintf("content %d", i))
	}
	n := 0 // PUTs come one at a time
	hold := w.Hold(simulator.CallPutObject, func(*http.Request) bool { n++; return n > stored })
	p, cancel := w.Provider(oneByOne).WithCancel()
	defer cancel()
	go func() {
		_ = hold.Arrived(t.Context(), 1)
		cancel()
	}()
	_, diags := w.invokeOn(p)
	says(t, diags, "5 of 12 files could not be uploaded, because the run was interrupted.", "Files that this run has stored: 7. ", "No batch job was submitted")
	hold.Release()
	w.assertJobs()
	w.ResetJournal()
	w.mustInvoke()
	want(t, "PUTs of the second invocation", w.Count(simulator.CallPutObject), files-stored)
	want(t, "files of the job", len(w.Batches()[0].Paths), files)
}

// TestJobThatFails: the files are not sent again for the sake of the job.
func TestJobThatFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault simulator.Fault
		says  string
	}{
		"refused": {simulator.Fault{Status: http.StatusBadRequest, Body: `{"message":"no such mode"}`}, "no such mode"},
		"lost":    {simulator.Fault{BreakAfter: true}, "may have been submitted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "a.mp4", "b.mp4")
				tc.fault.Call = simulator.CallBatch
				w.Fail(tc.fault)
				_, diags := w.invoke()
				w.ClearFaults()
				says(t, diags, tc.says, "All files are stored (2).", "sends nothing that is stored")
				if name == "lost" { // nothing can look the job up
					_, diags = w.invoke()
					says(t, diags, "may have been submitted", "An earlier run submitted a job", "All files are stored (2).")
					for _, file := range w.ledger() {
						if strings.HasPrefix(filepath.Base(file), "actionjob-") {
							says(t, diags, file)
							_ = os.Remove(file)
						}
					}
				}
				w.ResetJournal()
				w.mustInvoke()
				want(t, "calls", w.Counts(), map[string]int{simulator.CallPresignURL: 1, simulator.CallBatch: 1}) // the address tells the customer
				want(t, "files of the ledger", len(w.ledger()), 0)
			})
		})
	}
}

// TestJobOfAKilledInvocation is not submitted again, whether the action uploads a file or a folder.
func TestJobOfAKilledInvocation(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"file", "folder"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "a.mp4")
				if what == "file" {
					w.config = acctest.Attrs{"source": filepath.Join(w.dir, "a.mp4"), "service_modes": w.config["service_modes"]}
				}
				w.Fail(simulator.Fault{Call: simulator.CallBatch, Times: 1, BreakAfter: true})
				w.invoke() // what it says reaches nobody
				_, diags := w.invoke()
				says(t, diags, "may have been submitted", "remove the file ")
				want(t, "jobs", len(w.Batches()), 1)
			})
		})
	}
}

// TestOthersKeepWhatAnActionStored: what an action has stored is its own, whoever else uploads the
// folder.
func TestOthersKeepWhatAnActionStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "b.mp4", "c.mov")
		all := w.config
		w.config = all.With(acctest.Attrs{"include": []string{"*.mp4"}})
		w.Fail(simulator.Fault{Call: simulator.CallBatch, Times: 1, Status: http.StatusBadRequest})
		_, diags := w.invoke()
		says(t, diags, "All files are stored (2).", "sends nothing that is stored")

		w.config = all.With(acctest.Attrs{"include": []string{"*.mov"}})
		w.mustInvoke()
		p := w.Provider(oneByOne)
		_, applied := p.Apply(p.Plan(p.New("vodlive_media_folder"), acctest.Attrs{"source_dir": w.dir}))
		applied.Must(t)

		w.config = all.With(acctest.Attrs{"include": []string{"*.mp4"}})
		w.ResetJournal()
		w.mustInvoke()
		want(t, "calls", w.Counts(), map[string]int{simulator.CallPresignURL: 1, simulator.CallBatch: 1}) // the address tells the customer
		want(t, "files of the ledger", len(w.ledger()), 0)
	})
}

func TestPlanProblems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare func(w *world)
		config  acctest.Attrs
		says    []string
	}{
		"one name twice": {func(w *world) { w.write("x/a.mp4", "1") }, nil, []string{`2 files would be stored under 1 name. Set ` + "`name_format = \"flat\"`", `"a.mp4": a.mp4, x/a.mp4`}},
		"empty folder":   {func(w *world) { _ = os.Remove(filepath.Join(w.dir, "a.mp4")) }, nil, []string{"has no files"}},
		"nothing chosen": {nil, acctest.Attrs{"include": []string{"*.mov"}}, []string{"select none of them"}},
		"empty files":    {func(w *world) { w.write("b.mp4", ""); w.write("s/c.mp4", "") }, nil, []string{"b.mp4 is empty", "c.mp4 is empty"}},
		"a file":         {func(w *world) { w.config["source_dir"] = filepath.Join(w.dir, "a.mp4") }, nil, []string{"The folder cannot be uploaded", "is no folder. A single file is the `source`"}},
		"too large": {
			func(w *world) { _ = os.Truncate(filepath.Join(w.dir, "a.mp4"), 5<<30+1) },
			acctest.Attrs{"method": "single"},
			[]string{"has 5368709121 bytes", `"multipart"`},
		},
		"no source":       {nil, acctest.Attrs{"source_dir": nil}, []string{"[source,source_dir]"}},
		"two sources":     {nil, acctest.Attrs{"source": "a.mp4"}, []string{"[source,source_dir]"}},
		"name of a file":  {nil, acctest.Attrs{"file_name": "a.mp4"}, []string{`"source" must be specified when "file_name"`}},
		"include of none": {nil, acctest.Attrs{"source_dir": nil, "source": "a.mp4", "include": []string{"*"}}, []string{`"source_dir" must be specified when "include"`}},
		"pattern":         {nil, acctest.Attrs{"exclude": []string{"[a"}}, []string{"Invalid pattern"}},
		"name format":     {nil, acctest.Attrs{"name_format": "long"}, []string{`"flat"`}},
		"media type":      {nil, acctest.Attrs{"content_types": acctest.Attrs{".x": "nonsense"}}, []string{"Invalid media type"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "a.mp4")
			if tc.prepare != nil {
				tc.prepare(w)
			}
			w.config = w.config.With(tc.config)
			progress, diags := w.invoke()
			says(t, diags, tc.says...)
			want(t, "progress of an action that was not planned", progress, "")
			want(t, "calls", w.Counts(), map[string]int{})
		})
	}
}

// TestMissingFolder: the plan may make it, so only the invocation fails.
func TestMissingFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	progress, diags := w.invoke()
	says(t, diags, "The folder cannot be uploaded", "media cannot be read: ")
	says(t, progress, "reading the files of ")
}

// TestActionDescribesNoChange: the descriptions that the action has from resources lack what a
// change of the argument does there.
func TestActionDescribesNoChange(t *testing.T) {
	t.Parallel()
	about := regexp.MustCompile(`(?i)\bchanges?\b`)
	for _, a := range acctest.NewProvider(t, nil).Schema.ActionSchemas["vodlive_process_media"].Schema.Block.Attributes {
		if about.MatchString(a.Description) || a.Description == "" {
			t.Errorf("%s: %s", a.Name, a.Description)
		}
	}
}
