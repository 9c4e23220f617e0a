package mediaupload_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// newInParts has a file that is uploaded in four parts.
func newInParts(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, resumeSize)
	w.uploadInParts()
	return w
}

// uploadInParts configures an upload of four parts, one at a time, with arguments besides, a line
// each.
func (w *world) uploadInParts(arguments ...string) {
	w.Config(fmt.Sprintf(`
provider "vodlive" {
  max_retries        = 0
  upload_concurrency = 1
}
resource "vodlive_media_upload" "file" {
  source    = %q
  method    = "multipart"
  part_size = 5242880
  %s
}`, w.path, strings.Join(arguments, "\n  ")))
}

// brokenOff runs an apply until the third part is on its way and the record holds the two before
// it, and then does something to it.
func brokenOff(t *testing.T, w *world, blow func(*acctest.Process)) acctest.Result {
	t.Helper()
	hold := w.server.Hold(simulator.CallPutPart, isPart(breaksAt))
	p := w.Start("apply", "-auto-approve")
	p.Until(func(ctx context.Context) error { return hold.Arrived(ctx, 1) })
	p.Until(func(ctx context.Context) error { return awaitRecord(ctx, w, breaksAt-1) })
	blow(p)
	r := p.Wait()
	uploads := w.server.Uploads() // before Release, which may store the third part after all
	if len(uploads) != 1 || len(uploads[0].Parts) != breaksAt-1 {
		t.Fatalf("unfinished uploads: %+v, want one with %d parts", uploads, breaksAt-1)
	}
	hold.Release()
	return r
}

// awaitRecord waits until the record of the upload holds so many parts: it is written at most once
// a second.
func awaitRecord(ctx context.Context, w *world, parts int) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		names, _ := filepath.Glob(filepath.Join(w.Env("VODLIVE_RESUME_DIR"), resume.Folder, "upload-*.json"))
		for _, name := range names {
			if content, err := os.ReadFile(name); err == nil && strings.Count(string(content), `"etag"`) >= parts {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("no record of the upload was written")
		}
	}
}

// assertTainted fails the test unless the state has an unfinished upload with two parts.
func assertTainted(t *testing.T, w *world) {
	t.Helper()
	r := w.State()[address]
	incomplete, _ := r.Values["incomplete_upload"].(map[string]any)
	want(t, "tainted", r.Tainted, true)
	want(t, "stored_parts", incomplete["stored_parts"], breaksAt-1)
	want(t, "key_path", r.Values["key_path"], nil)
}

// TestKilledUploadContinues ends an apply in the ways that only a real CLI has, and applies again.
func TestKilledUploadContinues(t *testing.T) {
	t.Parallel()
	for name, breakOff := range map[string]func(t *testing.T, w *world){
		"SIGINT": func(t *testing.T, w *world) {
			r := brokenOff(t, w, func(p *acctest.Process) { p.Signal(os.Interrupt) })
			want(t, "exit code", r.Code, 1)
			contains(t, r, "2 of 4 parts are stored", "the next apply sends only the others", "terraform untaint")
			assertTainted(t, w)
		},
		"SIGINT, then untaint": func(t *testing.T, w *world) {
			brokenOff(t, w, func(p *acctest.Process) { p.Signal(os.Interrupt) })
			assertTainted(t, w)
			w.uploadInParts(`lifecycle { prevent_destroy = true }`)
			r := w.Run("plan")
			want(t, "exit code of the plan", r.Code, 1)
			contains(t, r, "prevent_destroy")
			w.Must("untaint", address)
			contains(t, w.Must("plan"), "0 to add, 1 to change, 0 to destroy")
		},
		"SIGKILL of the provider": func(t *testing.T, w *world) {
			brokenOff(t, w, func(p *acctest.Process) { p.KillProvider() })
		},
		"SIGKILL of the CLI": func(t *testing.T, w *world) {
			r := brokenOff(t, w, func(p *acctest.Process) { p.Signal(syscall.SIGKILL) })
			want(t, "exit code", r.Code, -1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newInParts(t)
			breakOff(t, w)
			since := len(w.server.Journal())
			w.apply()
			parts := len(sent(w.server, since))
			if name == "SIGKILL of the CLI" && parts == rest-1 {
				parts++ // the provider lives seconds longer, in which storage has answered to the part in flight
			}
			want(t, "parts sent by the second apply", parts, rest)
			object := onlyObject(t, w.server)
			want(t, "the object's SHA-256", object.SHA256, w.sum)
			state := w.State()
			want(t, "objects in the state", len(state), 1)
			want(t, "key_path", state[address].Values["key_path"], object.KeyPath)
			want(t, "incomplete_upload", state[address].Values["incomplete_upload"], nil)
			want(t, "tainted", state[address].Tainted, false)
			w.AssertNoChanges()
			left, _ := filepath.Glob(filepath.Join(w.Env("VODLIVE_RESUME_DIR"), resume.Folder, "upload-*.json"))
			want(t, "records that are left", len(left), 0)
		})
	}
}

// TestTwoAppliesAtOnce has two working folders upload the same file with one folder of records
// between them.
func TestTwoAppliesAtOnce(t *testing.T) {
	t.Parallel()
	first := newInParts(t)
	second := *first
	second.CLI = acctest.NewCLI(t, first.server)
	second.Setenv("VODLIVE_RESUME_DIR", first.Env("VODLIVE_RESUME_DIR"))
	second.uploadInParts()

	hold := first.server.Hold(simulator.CallPutPart, isPart(breaksAt))
	p := first.Start("apply", "-auto-approve")
	p.Until(func(ctx context.Context) error { return hold.Arrived(ctx, 1) })
	q := second.Start("apply", "-auto-approve")
	q.Until(func(ctx context.Context) error { return hold.Arrived(ctx, 2) })
	hold.Release()
	for _, r := range []acctest.Result{p.Wait(), q.Wait()} {
		want(t, "exit code of "+r.Output, r.Code, 0)
	}
	objects := first.server.Objects()
	want(t, "objects", len(objects), 2)
	for _, o := range objects {
		want(t, "SHA-256", o.SHA256, first.sum)
	}
	first.server.AssertCalls(t, simulator.CallMultipartCreate, 2)
	first.server.AssertCalls(t, simulator.CallPutPart, 2*resumeParts)
}
