package mediafolder_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const address = typeName + ".media"

// newCLI has a folder of files and a job for each.
func newCLI(t *testing.T, files int) (*acctest.CLI, *acctest.Server) {
	t.Helper()
	server := acctest.Start(t, simulator.Options{})
	c := acctest.NewCLI(t, server)
	for i := range files {
		c.Write(fmt.Sprintf("media/%03d.mp4", i), fmt.Sprintf("content %d", i))
	}
	c.Config(`
provider "vodlive" {
  max_retries        = 0
  upload_concurrency = 1
}
resource "vodlive_media_folder" "media" {
  source_dir = "media"
}
resource "vodlive_batch_job" "each" {
  for_each      = vodlive_media_folder.media.files
  paths         = [each.value.key_path]
  service_modes = ["video_optimizer"]
}`)
	return c, server
}

// TestKilled ends an apply at one of many files, in the ways that only real processes have: those
// before it are not sent again.
func TestKilled(t *testing.T) {
	t.Parallel()
	twice := func(distance time.Duration) func(*acctest.Process) {
		return func(p *acctest.Process) {
			p.Signal(os.Interrupt)
			time.Sleep(distance) // the result is the same at any distance
			p.TrySignal(os.Interrupt)
		}
	}
	for name, tc := range map[string]struct {
		blow   func(*acctest.Process)
		atOnce bool // the next apply runs while the provider of the first one may still end
	}{
		"the provider":         {func(p *acctest.Process) { p.KillProvider() }, false},
		"the CLI alone":        {func(p *acctest.Process) { p.Signal(os.Kill) }, false},
		"the CLI, and at once": {func(p *acctest.Process) { p.Signal(os.Kill) }, true},
		"both":                 {func(p *acctest.Process) { p.KillProvider(); p.TrySignal(os.Kill) }, false},
		"interrupted":          {func(p *acctest.Process) { p.Signal(os.Interrupt) }, false},
		"interrupted twice":    {twice(0), false},
		"twice, and at once":   {twice(20 * time.Millisecond), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const files, stored = 12, 7
			c, server := newCLI(t, files)
			n := 0 // PUTs come one at a time
			hold := server.Hold(simulator.CallPutObject, func(*http.Request) bool { n++; return n > stored })
			p := c.Start("apply", "-auto-approve")
			p.Until(func(ctx context.Context) error { return hold.Arrived(ctx, 1) })
			tc.blow(p)
			if !tc.atOnce {
				if r := p.Wait(); r.Code == 0 {
					t.Fatalf("the apply succeeded:\n%s", r.Output)
				}
			}
			hold.Release()
			server.ResetJournal()
			c.Must("apply", "-auto-approve", "-lock-timeout=60s")
			// A provider that is not killed ends the PUT that it has begun.
			if n := server.Count(simulator.CallPutObject); n != files-stored && n != files-stored-1 {
				t.Errorf("%d PUTs:\n%s", n, server.JournalText())
			}
			values, _ := c.State()[address].Values["files"].(map[string]any)
			if len(values) != files {
				t.Errorf("%d files in the state", len(values))
			}
			c.AssertNoChanges()
			if left, _ := filepath.Glob(filepath.Join(c.Env("VODLIVE_RESUME_DIR"), resume.Folder, "ledger-*")); len(left) > 0 {
				t.Errorf("the ledger is not empty: %q", left)
			}
		})
	}
}
