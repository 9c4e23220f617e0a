package livesession_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestPlanThatImportsASessionOfAnEarlierRun: a plan that imports the session saves no state, so the
// next create tells it still.
func TestPlanThatImportsASessionOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(once)
		killed, _ := p.Create(resourceType, base())
		p.End() // its response reaches nobody
		p = w.Provider(once)
		imported, diags := p.Import(resourceType, killed.Text("id"))
		diags.Must(t)
		p.Plan(imported, base())
		w.Provider(once).Plan(imported, base()) // as the apply does, which is killed
		for range 2 {
			o, diags := w.Provider(once).Create(resourceType, base())
			if text := diags.String(); o.Exists() || !strings.Contains(text, "An earlier run has created this live session") || !strings.Contains(text, killed.Text("id")) {
				t.Errorf("%v: %s", o.Attrs(), text)
			}
		}
		w.AssertCalls(t, simulator.CallCreateSession, 1)
	})
}

// TestKilledWhileItWaits ends real processes while a new session is awaited.
func TestKilledWhileItWaits(t *testing.T) {
	t.Parallel()
	for name, blow := range map[string]func(*acctest.Process){
		"the provider":      func(p *acctest.Process) { p.KillProvider() },
		"the CLI alone":     func(p *acctest.Process) { p.Signal(os.Kill) },
		"interrupted":       func(p *acctest.Process) { p.Signal(os.Interrupt) },
		"interrupted twice": func(p *acctest.Process) { p.Signal(os.Interrupt); p.TrySignal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{})
			cli := acctest.NewCLI(t, s)
			cli.Config(noRetries + pushPull())
			hold := s.Hold(simulator.CallGetSession, func(*http.Request) bool { return true })
			p := cli.Start("apply", "-auto-approve")
			p.Until(func(ctx context.Context) error { return hold.Arrived(ctx, 1) })
			blow(p)
			p.Wait()
			hold.Release()
			if len(cli.State()) == 0 { // not interrupted
				r := cli.Run("apply", "-auto-approve")
				id := s.Sessions()[0].ID
				if r.Code == 0 || !strings.Contains(r.Output, "An earlier run has created this live session") || !strings.Contains(r.Output, id) {
					t.Errorf("exit code %d\n%s", r.Code, r.Output)
				}
				cli.Must("import", address, id)
			}
			cli.Must("apply", "-auto-approve")
			if sessions := s.Sessions(); len(sessions) != 1 || cli.State()[address].Values["id"] != sessions[0].ID {
				t.Errorf("the state has %v, the service %v", cli.State()[address].Values["id"], sessions)
			}
			cli.AssertNoChanges()
			if left, _ := filepath.Glob(filepath.Join(cli.Env("VODLIVE_RESUME_DIR"), resume.Folder, "session-*")); len(left) > 0 {
				t.Errorf("the ledger is not empty: %q", left)
			}
		})
	}
}
