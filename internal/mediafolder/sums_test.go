package mediafolder_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// sums are the hashes of contents, by name.
func sums(contents map[string]string) acctest.Attrs {
	sums := acctest.Attrs{}
	for name, content := range contents {
		sums[name] = fmt.Sprintf("%X", sha256.Sum256([]byte(content))) // letter case does not count
	}
	return sums
}

// TestPlanReadsNoFileWhoseHashIsConfigured: the plan takes the hashes for granted, and the apply
// sends nothing else.
func TestPlanReadsNoFileWhoseHashIsConfigured(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "b/c.mp4", "free.mp4")
		w.config = w.config.With(acctest.Attrs{"sha256s": sums(map[string]string{"a.mp4": "content of a.mp4", "b/c.mp4": "content of b/c.mp4"})})
		// Another content of the same size shows that the plan does not read it.
		w.write("b/c.mp4", "CONTENT of b/c.mp4")
		diags := w.apply()
		says(t, diags, "`sha256s` has ", " for b/c.mp4, but the file, which was read while it was sent, has ", "Correct `sha256s`, or put the right file there")
		want(t, "files", w.names(), []string{"a.mp4", "free.mp4"})

		w.write("b/c.mp4", "content of b/c.mp4")
		w.mustApply()
		want(t, "files", w.names(), []string{"a.mp4", "b/c.mp4", "free.mp4"})

		// Without the configured hash, every change of the stored files would be seen.
		w.write("a.mp4", "changed")
		pl := w.plan()
		want(t, "action with the hash of the stored file", pl.Action, acctest.NoOp)
		w.config = w.config.With(acctest.Attrs{"sha256s": sums(map[string]string{"a.mp4": "changed"})})
		w.ResetJournal()
		w.mustApply()
		want(t, "PUTs", w.Count(simulator.CallPutObject), 1)
	})
}

// TestHashThatTheFileHasNot: a hash that is mistyped is an error of the plan, if the file was not
// touched since it was read.
func TestHashThatTheFileHasNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4", "b.mp4")
		time.Sleep(acctest.Settling(t))
		w.mustApply()
		w.config = w.config.With(acctest.Attrs{"sha256s": sums(map[string]string{"a.mp4": "mistyped"})})
		says(t, w.plan().Diags, "`sha256s` has ", "a.mp4, but the file, which was not touched since its content was last read, has ")
		w.config = w.config.With(acctest.Attrs{"sha256s": sums(map[string]string{"a.mp4": "content of a.mp4"})})
		want(t, "action", w.plan().Action, acctest.Update) // of the argument alone
		w.ResetJournal()
		w.mustApply()
		want(t, "calls", w.Counts(), map[string]int{})
	})
}

func TestHashesOfOtherFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a.mp4")
		w.config = w.config.With(acctest.Attrs{"sha256s": sums(map[string]string{"./a.mp4": "content of a.mp4", "gone.mp4": "x"})})
		says(t, w.plan().Diags, "`sha256s` names what is not among the files to upload", `./a.mp4: there is "a.mp4"`, "gone.mp4: there is no such file")
		w.config = w.config.With(acctest.Attrs{"sha256s": acctest.Attrs{"a.mp4": strings.Repeat("g", 64)}})
		says(t, w.Provider(w.provider).Validate(typeName, w.config), "64 hexadecimal digits")
		w.config = w.config.With(acctest.Attrs{"sha256s": acctest.Unknown})
		if err := os.RemoveAll(w.dir); err != nil {
			t.Fatal(err)
		}
		if diags := w.plan().Diags; diags.Failed() {
			t.Errorf("hashes that are not known yet: %s", diags)
		}
	})
}
