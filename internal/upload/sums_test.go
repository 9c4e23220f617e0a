package upload_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// large gives the world a file of two parts that is worth remembering, changed long ago.
func (w *world) large() {
	w.t.Helper()
	w.content = make([]byte, 5<<20)
	must.Succeed(w.t, os.WriteFile(w.file.Path, w.content, 0o600))
	info, err := os.Stat(w.file.Path)
	must.Succeed(w.t, err)
	w.file.Size, w.file.SHA256, w.file.PartSize = int64(len(w.content)), hexSHA256(w.content), 3<<20
	time.Sleep(time.Until(info.ModTime().Add(time.Hour)))
}

// plan reads the file as a plan does, in a process of its own, and returns the reads.
func (w *world) plan() int64 {
	w.t.Helper()
	before := w.reads.Load()
	planned := w.file
	planned.Size, planned.SHA256 = 0, ""
	sum, err := w.uploader().SHA256(w.t.Context(), planned, upload.DetectStat)
	if err != nil || sum != w.file.SHA256 {
		w.t.Fatalf("the plan has %s, error %v", sum, err)
	}
	return w.reads.Load() - before
}

// TestApplyReadsOnlyWhatItSends counts the reads of a file: in memory, each part is sent in pieces
// of the same size.
func TestApplyReadsOnlyWhatItSends(t *testing.T) {
	t.Parallel()
	var unplanned int64
	inWorld(t, simulator.Options{}, func(_ *testing.T, w *world) {
		w.large()
		w.mustStore(nil, "1", "2")
		unplanned = w.reads.Load()
	})
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		w.large()
		hashing := w.plan()
		if again := w.plan(); again != 0 {
			t.Errorf("the second plan reads the file %d times", again)
		}
		w.reads.Store(0)
		w.mustStore(nil, "1", "2")
		if sending := w.reads.Load(); sending == 0 || sending != unplanned-hashing {
			t.Errorf("%d reads with a plan, %d without one, of which %d are for the sums", sending, unplanned, hashing)
		}
	})
}

// TestResumeReadsOnlyWhatItSends resumes an upload of which the last part is not stored, from the
// record and from the state.
func TestResumeReadsOnlyWhatItSends(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"record", "state"} {
		runInWorld(t, from, simulator.Options{}, func(t *testing.T, w *world) {
			w.large()
			w.plan()
			w.reads.Store(0)
			left := w.interrupted() // has sent the first part once, and the last one twice
			if from == "record" {
				left = nil
			} else {
				left = state(left)
			}
			interrupted := w.reads.Swap(0)
			w.mustStore(left, "2")
			if sending := w.reads.Load(); sending == 0 || 2*sending >= interrupted {
				t.Errorf("%d reads, %d by the interrupted run", sending, interrupted)
			}
		})
	}
}

// TestChangedSincePlan: a file that changed between plan and apply is never sent as the planned
// one.
func TestChangedSincePlan(t *testing.T) {
	t.Parallel()
	runInWorld(t, "before the apply", simulator.Options{}, func(_ *testing.T, w *world) {
		w.large()
		w.plan()
		w.change()
		w.mustBeChanged()
	})
	runInWorld(t, "while it is sent", simulator.Options{}, func(_ *testing.T, w *world) {
		w.large()
		w.plan()
		w.Hook(simulator.CallMultipartCreate, func(*http.Request) { w.change() })
		w.mustBeChanged()
	})
}

// change writes other content, and keeps size and modification time.
func (w *world) change() {
	info, err := os.Stat(w.file.Path)
	if err != nil {
		w.t.Error(err)
		return
	}
	other := make([]byte, len(w.content))
	other[4<<20] = 'x'
	if err := os.WriteFile(w.file.Path, other, 0o600); err != nil {
		w.t.Error(err)
	}
	if err := os.Chtimes(w.file.Path, info.ModTime(), info.ModTime()); err != nil {
		w.t.Error(err)
	}
}

func (w *world) mustBeChanged() {
	w.t.Helper()
	_, err := w.mustFail(nil)
	if !strings.Contains(err.Error(), w.file.Path+" has changed") || len(w.Objects()) > 0 || w.Count(simulator.CallMultipartComplete) > 0 {
		w.t.Errorf("error %v, objects %+v", err, w.Objects())
	}
}
