package mediaupload_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const (
	resumeParts = 4
	resumeSize  = (resumeParts-1)*5*mib + 1000
	breaksAt    = 3 // the part at which the first run breaks off; those before it are stored
)

// interrupted is an upload of four parts, one at a time, whose first run breaks off while it sends the third.
type interrupted struct {
	*fixture
	t *testing.T
}

func newInterrupted(t *testing.T) *interrupted {
	t.Helper()
	f := newFixture(t, resumeSize)
	f.Setenv("VODLIVE_UPLOAD_CONCURRENCY", "1")
	f.configure(`part_size = 5242880`)
	return &interrupted{fixture: f, t: t}
}

func (f *fixture) configure(arguments ...string) {
	f.Config("provider \"vodlive\" {\n  max_retries = 0\n}\nresource \"vodlive_media_upload\" \"file\" {\n  source = \"media.mp4\"\n  method = \"multipart\"\n  " +
		strings.Join(arguments, "\n  ") + "\n}\n")
}

func isPart(number int) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == fmt.Sprint(number) }
}

// refused runs the first apply with the third part refused.
func (i *interrupted) refused() acctest.Result {
	i.t.Helper()
	i.server.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(breaksAt), Status: http.StatusInternalServerError})
	r := i.Run("apply", "-auto-approve")
	i.server.ClearFaults()
	want(i.t, "exit code", r.Code, 1)
	i.assertStored(breaksAt - 1)
	return r
}

// brokenOff runs the first apply until the third part is on its way and the record holds the two before it, and then
// does something to it.
func (i *interrupted) brokenOff(blow func(*acctest.Process)) acctest.Result {
	i.t.Helper()
	ctx := i.t.Context()
	hold := i.server.Hold(simulator.CallPutPart, isPart(breaksAt))
	p := i.Start("apply", "-auto-approve")
	if err := hold.Arrived(ctx, 1); err != nil {
		i.t.Fatal(err)
	}
	i.awaitRecord(ctx, breaksAt-1)
	blow(p)
	r := p.Wait()
	hold.Release()
	i.assertStored(breaksAt - 1)
	return r
}

// awaitRecord waits until the record of the upload holds so many parts: it is written at most once a second.
func (i *interrupted) awaitRecord(ctx context.Context, parts int) {
	i.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		names, _ := filepath.Glob(filepath.Join(i.Env("VODLIVE_RESUME_DIR"), resume.Folder, "upload-*.json"))
		for _, name := range names {
			if content, err := os.ReadFile(name); err == nil && strings.Count(string(content), `"etag"`) >= parts {
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			i.t.Fatal("no record of the upload was written")
		}
	}
}

func (i *interrupted) assertStored(parts int) {
	i.t.Helper()
	uploads := i.server.Uploads()
	if len(uploads) != 1 || len(uploads[0].Parts) != parts {
		i.t.Fatalf("unfinished uploads: %+v, want one with %d parts", uploads, parts)
	}
}

// sent counts the parts that storage took since a point in the journal.
func (i *interrupted) sent(since int) (parts int, numbers string) {
	for _, r := range i.server.Journal()[since:] {
		if r.Call == simulator.CallPutPart && r.Status == http.StatusOK {
			parts++
			numbers += " " + r.Query.Get("partNumber")
		}
	}
	return parts, numbers
}

func TestInterruptedUploadContinues(t *testing.T) {
	t.Parallel()
	rest := resumeParts - breaksAt + 1
	apply := func(i *interrupted) acctest.Result { return i.Run("apply", "-auto-approve") }
	type row struct {
		// breakOff makes the first run end before its time. nil: the third part is refused.
		breakOff func(*interrupted)
		// between changes something before the second run.
		between func(*interrupted)
		// again is the second run; nil is apply.
		again func(*interrupted) acctest.Result
		sends int      // parts in the second run
		text  []string // in the second run's output
	}
	rows := map[string]row{
		"part refused until retries end": {sends: rest},
		"SIGINT": {
			breakOff: func(i *interrupted) {
				r := i.brokenOff(func(p *acctest.Process) { p.Signal(os.Interrupt) })
				want(i.t, "exit code", r.Code, 1)
				contains(i.t, r, "2 of 4 parts are stored", "the next apply sends only the others", "terraform untaint")
				i.assertIncomplete(breaksAt - 1)
			},
			sends: rest,
		},
		"SIGKILL of the provider": {
			breakOff: func(i *interrupted) { i.brokenOff(func(p *acctest.Process) { p.KillProvider() }) },
			sends:    rest,
		},
		"SIGKILL of the CLI": {
			breakOff: func(i *interrupted) {
				r := i.brokenOff(func(p *acctest.Process) { p.Signal(syscall.SIGKILL) })
				want(i.t, "exit code", r.Code, -1)
			},
			sends: rest,
		},
		"second machine": {
			between: func(i *interrupted) { i.Setenv("VODLIVE_RESUME_DIR", i.t.TempDir()) },
			sends:   rest,
		},
		"no records at all": {
			between: func(i *interrupted) { i.Setenv("VODLIVE_RESUME_DIR", "") },
			sends:   rest,
		},
		"state lost": {
			between: func(i *interrupted) { i.loseState() },
			sends:   rest,
		},
		"both lost": {
			between: func(i *interrupted) {
				i.loseState()
				i.Setenv("VODLIVE_RESUME_DIR", i.t.TempDir())
			},
			sends: resumeParts,
		},
		"record truncated, state lost": {
			between: func(i *interrupted) {
				i.loseState()
				names, _ := filepath.Glob(filepath.Join(i.Env("VODLIVE_RESUME_DIR"), resume.Folder, "upload-*.json"))
				for _, name := range names {
					if err := os.Truncate(name, 40); err != nil {
						i.t.Fatal(err)
					}
				}
			},
			sends: resumeParts,
		},
		"file changed in between": {
			between: func(i *interrupted) { i.sum = media(i.t, i.path, resumeSize, 77) },
			sends:   resumeParts,
		},
		"part size changed in between": {
			between: func(i *interrupted) { i.configure(`part_size = 6291456`) },
			sends:   3,
		},
		"untaint": {
			between: func(i *interrupted) {
				i.configure(`part_size = 5242880`, `lifecycle { prevent_destroy = true }`)
				r := i.Run("plan")
				want(i.t, "exit code of the plan", r.Code, 1)
				contains(i.t, r, "prevent_destroy")
				i.Must("untaint", address)
				contains(i.t, i.Must("plan"), "0 to add, 1 to change, 0 to destroy")
			},
			sends: rest,
		},
		"untaint, file changed": {
			between: func(i *interrupted) {
				i.Must("untaint", address)
				content, err := os.ReadFile(i.path)
				if err != nil {
					i.t.Fatal(err)
				}
				copy(content[len(content)-10:], "0123456789") // only the last part is another
				i.Write("media.mp4", string(content))
				i.sum = sumOf(content)
			},
			sends: resumeParts,
		},
		"ETag edited in the record": {
			between: func(i *interrupted) {
				i.loseState()
				names, _ := filepath.Glob(filepath.Join(i.Env("VODLIVE_RESUME_DIR"), resume.Folder, "upload-*.json"))
				want(i.t, "records", len(names), 1)
				i.edit(names[0], regexp.MustCompile(`("number":1,"md5":"\w+","etag":")[^}]*`), `${1}\"00000000000000000000000000000000\""`)
			},
			sends: rest + 1,
		},
		"ETag edited in the state": {
			between: func(i *interrupted) {
				i.Setenv("VODLIVE_RESUME_DIR", i.t.TempDir())
				i.editState(regexp.MustCompile(`("parts": "1:[^,]*),`), `${1}:MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA,`)
			},
			sends: rest + 1,
		},
		"upload of another account": {
			between: func(i *interrupted) {
				i.Setenv("VODLIVE_RESUME_DIR", i.t.TempDir())
				i.editState(regexp.MustCompile(`"key_path": "vod/input/[^/]*/`), `"key_path": "vod/input/customer-other/`)
			},
			sends: resumeParts,
			text:  []string{"An unfinished upload could not be continued", "key_path is not one of this customer"},
		},
		"create_before_destroy": {
			between: func(i *interrupted) { i.configure(`part_size = 5242880`, `lifecycle { create_before_destroy = true }`) },
			sends:   rest,
		},
		"upload unknown to storage": {
			between: func(i *interrupted) { i.server.DropUpload(i.server.Uploads()[0].UploadID) },
			sends:   resumeParts,
			text:    []string{"An unfinished upload could not be continued", "uploaded from its beginning"},
		},
		"broken off twice": {
			between: func(i *interrupted) {
				i.server.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(resumeParts), Status: http.StatusInternalServerError})
				r := i.Run("apply", "-auto-approve")
				want(i.t, "exit code", r.Code, 1)
				contains(i.t, r, "3 of 4 parts are stored")
				i.server.ClearFaults()
			},
			sends: 1,
		},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInterrupted(t)
			if r.breakOff == nil {
				contains(t, i.refused(), "2 of 4 parts are stored")
				i.assertIncomplete(breaksAt - 1)
			} else {
				r.breakOff(i)
			}
			if r.between != nil {
				r.between(i)
			}
			since := len(i.server.Journal())
			again := apply
			if r.again != nil {
				again = r.again
			}
			result := again(i)
			if result.Code != 0 {
				t.Fatalf("the second run failed:\n%s\n%s", result.Output, i.server.JournalText())
			}
			contains(t, result, r.text...)
			if n, numbers := i.sent(since); n != r.sends {
				t.Errorf("the second run sent %d parts (%s), want %d", n, numbers, r.sends)
			}
			object := i.onlyObject(t)
			want(t, "the object's SHA-256", object.SHA256, i.sum)
			state := i.State()
			want(t, "objects in the state", len(state), 1)
			want(t, "key_path", state[address].Values["key_path"], object.KeyPath)
			want(t, "incomplete_upload", state[address].Values["incomplete_upload"], nil)
			want(t, "tainted", state[address].Tainted, false)
			i.AssertNoChanges()
			left, _ := filepath.Glob(filepath.Join(i.Env("VODLIVE_RESUME_DIR"), resume.Folder, "upload-*.json"))
			if i.Env("VODLIVE_RESUME_DIR") != "" && name != "file changed in between" && name != "part size changed in between" && name != "untaint, file changed" && len(left) > 0 {
				t.Errorf("a record is left of a complete upload: %v", left)
			}
		})
	}
}

func (i *interrupted) editState(old *regexp.Regexp, with string) {
	i.t.Helper()
	i.edit(filepath.Join(i.Dir, "terraform.tfstate"), old, with)
}

// edit replaces what a pattern finds in a file, once.
func (i *interrupted) edit(name string, old *regexp.Regexp, with string) {
	i.t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		i.t.Fatal(err)
	}
	if n := len(old.FindAllIndex(content, -1)); n != 1 {
		i.t.Fatalf("%s is found %d times in %s: %s", old, n, name, content)
	}
	if err := os.WriteFile(name, old.ReplaceAll(content, []byte(with)), 0o600); err != nil {
		i.t.Fatal(err)
	}
}

func (i *interrupted) loseState() {
	i.t.Helper()
	for _, name := range []string{"terraform.tfstate", "terraform.tfstate.backup"} {
		if err := os.Remove(filepath.Join(i.Dir, name)); err != nil && !os.IsNotExist(err) {
			i.t.Fatal(err)
		}
	}
}

// assertIncomplete holds what the state says of an upload that broke off.
func (i *interrupted) assertIncomplete(parts int) {
	i.t.Helper()
	r := i.State()[address]
	if !r.Tainted {
		i.t.Errorf("not tainted: %+v", r)
	}
	incomplete, ok := r.Values["incomplete_upload"].(map[string]any)
	if !ok {
		i.t.Fatalf("no incomplete_upload in the state: %+v", r.Values)
	}
	want(i.t, "stored_parts", incomplete["stored_parts"], parts)
	want(i.t, "key_path", r.Values["key_path"], nil)
}

// TestOneUnfinishedUploadServesOneResource adds a second resource for the same file to one whose upload broke off.
func TestOneUnfinishedUploadServesOneResource(t *testing.T) {
	t.Parallel()
	for _, untaint := range []bool{false, true} {
		t.Run(fmt.Sprintf("untaint %v", untaint), func(t *testing.T) {
			t.Parallel()
			i := newInterrupted(t)
			i.refused()
			if untaint {
				i.Must("untaint", address)
			}
			const resource = "resource \"vodlive_media_upload\" %q {\n  source = \"media.mp4\"\n  method = \"multipart\"\n  part_size = 5242880\n}\n"
			i.Config(fmt.Sprintf(resource, "file") + fmt.Sprintf(resource, "second"))
			i.apply()
			state := i.State()
			want(t, "objects", len(i.server.Objects()), 2)
			if state[address].Values["key_path"] == state["vodlive_media_upload.second"].Values["key_path"] {
				t.Error("two resources have one object")
			}
			i.AssertNoChanges()
		})
	}
}

// TestLostCompleteIsNotRepeatedBlindly loses every answer to complete, then the upload itself.
func TestLostCompleteIsNotRepeatedBlindly(t *testing.T) {
	t.Parallel()
	i := newInterrupted(t)
	i.server.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, BreakAfter: true})
	contains(t, i.Run("apply", "-auto-approve"), "4 of 4 parts are stored")
	i.server.ClearFaults()
	object := i.onlyObject(t)
	i.server.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Times: 1, Status: http.StatusNotFound, Body: `{"message":"NoSuchUpload"}`})
	r := i.Run("apply", "-auto-approve")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "may be complete", "terraform import ADDRESS "+object.KeyPath)
	i.onlyObject(t)
	i.Must("import", address, object.KeyPath)
	i.apply()
	i.AssertNoChanges()
	want(t, "key_path", i.State()[address].Values["key_path"], object.KeyPath)
	i.onlyObject(t)
}

// TestRefusalThatIsNotAboutTheUploadLosesNothing has the service refuse everything for a while.
func TestRefusalThatIsNotAboutTheUploadLosesNothing(t *testing.T) {
	t.Parallel()
	i := newInterrupted(t)
	i.refused()
	i.Setenv("VODLIVE_RESUME_DIR", t.TempDir())
	for _, call := range []string{simulator.CallMultipartURL, simulator.CallMultipartCreate} {
		i.server.Fail(simulator.Fault{Call: call, Status: http.StatusForbidden, Body: `{"message":"You are not allowed to upload now."}`})
	}
	contains(t, i.Run("apply", "-auto-approve"), "2 of 4 parts are stored", "You are not allowed to upload now")
	i.server.ClearFaults()
	since := len(i.server.Journal())
	i.apply()
	n, _ := i.sent(since)
	want(t, "parts sent", n, resumeParts-breaksAt+1)
	want(t, "SHA-256", i.onlyObject(t).SHA256, i.sum)
}

func TestReplaceOfACompleteUploadSendsEverything(t *testing.T) {
	t.Parallel()
	f := newFixture(t, resumeSize)
	f.configure(`part_size = 5242880`)
	f.apply()
	f.Must("apply", "-auto-approve", "-replace="+address)
	f.server.AssertCalls(t, simulator.CallPutPart, 2*resumeParts)
	want(t, "objects", len(f.server.Objects()), 2)
	f.AssertNoChanges()
}

func TestDestroyGivesAnUnfinishedUploadUp(t *testing.T) {
	t.Parallel()
	i := newInterrupted(t)
	i.refused()
	contains(t, i.Must("destroy", "-auto-approve"), "An unfinished upload is given up")
	want(t, "objects in the state", len(i.State()), 0)
}

// TestTwoAppliesAtOnce has two working folders upload the same file with one folder of records between them.
func TestTwoAppliesAtOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	first := newInterrupted(t)
	second := acctest.NewCLI(t, first.server)
	second.Setenv("VODLIVE_RESUME_DIR", first.Env("VODLIVE_RESUME_DIR"))
	second.Setenv("VODLIVE_UPLOAD_CONCURRENCY", "1")
	second.Config(fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source = %q\n  method = \"multipart\"\n  part_size = 5242880\n}\n", first.path))

	hold := first.server.Hold(simulator.CallPutPart, isPart(breaksAt))
	p := first.Start("apply", "-auto-approve")
	if err := hold.Arrived(ctx, 1); err != nil {
		t.Fatal(err)
	}
	q := second.Start("apply", "-auto-approve")
	if err := hold.Arrived(ctx, 2); err != nil {
		t.Fatal(err)
	}
	hold.Release()
	for _, r := range []acctest.Result{p.Wait(), q.Wait()} {
		if r.Code != 0 {
			t.Errorf("exit code %d\n%s", r.Code, r.Output)
		}
	}
	objects := first.server.Objects()
	want(t, "objects", len(objects), 2)
	for _, o := range objects {
		want(t, "SHA-256", o.SHA256, first.sum)
	}
	first.server.AssertCalls(t, simulator.CallMultipartCreate, 2)
	first.server.AssertCalls(t, simulator.CallPutPart, 2*resumeParts)
}

// TestLostAnswers breaks the connection after storage or the service has done its work.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	t.Run("of a part", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, resumeSize)
		f.Config("resource \"vodlive_media_upload\" \"file\" {\n  source = \"media.mp4\"\n  method = \"multipart\"\n  part_size = 5242880\n}\n")
		f.server.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: isPart(2), Times: 1, BreakAfter: true})
		f.apply()
		want(t, "SHA-256", f.onlyObject(t).SHA256, f.sum)
		f.server.AssertCalls(t, simulator.CallPutPart, resumeParts+1)
		f.server.AssertCalls(t, simulator.CallMultipartURL, resumeParts+1)
	})
	t.Run("of a single PUT", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, 100_000)
		f.upload()
		f.server.Fail(simulator.Fault{Call: simulator.CallPutObject, Times: 1, BreakAfter: true})
		f.apply()
		want(t, "SHA-256", f.onlyObject(t).SHA256, f.sum)
		f.server.AssertCalls(t, simulator.CallPresignURL, 1)
		f.server.AssertCalls(t, simulator.CallPutObject, 2)
	})
	t.Run("of complete, then repeated", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, resumeSize)
		f.upload(`method = "multipart"`)
		f.server.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Times: 1, BreakAfter: true})
		f.apply()
		want(t, "SHA-256", f.onlyObject(t).SHA256, f.sum)
		f.AssertNoChanges()
	})
	t.Run("of complete, then unknown", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, resumeSize)
		f.upload(`method = "multipart"`)
		f.server.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Times: 1, BreakAfter: true})
		f.server.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusNotFound, Body: `{"message":"NoSuchUpload: the upload does not exist"}`})
		r := f.apply()
		object := f.onlyObject(t)
		contains(t, r, "The upload was taken as complete", object.KeyPath)
		state := f.State()[address].Values
		want(t, "key_path", state["key_path"], object.KeyPath)
		want(t, "etag", state["etag"], nil)
		want(t, "SHA-256", object.SHA256, f.sum)
		f.AssertNoChanges()
	})
}
