package livesession_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// killedCreate creates a session in a run whose response reaches nobody, and returns the session's
// id.
func killedCreate(t *testing.T, w *acctest.World, config acctest.Attrs) string {
	t.Helper()
	before := len(w.Sessions())
	p := w.Provider(once)
	p.Create(resourceType, config)
	p.End()
	sessions := w.Sessions()
	if len(sessions) != before+1 {
		t.Fatalf("%d sessions, and %d before", len(sessions), before)
	}
	return sessions[len(sessions)-1].ID
}

// TestSessionOfAnEarlierRun: a session that a run has made, and that no state has shown, is told by
// the next create with the same arguments, at every apply, and never taken. A create with other
// arguments, or of another owner, makes its own.
func TestSessionOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	const told, made = "An earlier run has created this live session", ""
	for name, tc := range map[string]struct {
		then func(t *testing.T, w *acctest.World, id string, config acctest.Attrs) // after the kill
		says string                                                                // made: a session is created
		lets bool                                                                  // a warning names the session
	}{
		"gone":            {lets: true, then: func(_ *testing.T, w *acctest.World, id string, _ acctest.Attrs) { w.RemoveSession(id) }},
		"other arguments": {lets: true, then: func(_ *testing.T, _ *acctest.World, _ string, config acctest.Attrs) { config["name"] = "another" }},
		"another folder":  {then: func(t *testing.T, w *acctest.World, _ string, _ acctest.Attrs) { t.Helper(); w.Dir = t.TempDir() }},
		"another backend": {then: func(t *testing.T, w *acctest.World, _ string, _ acctest.Attrs) {
			t.Helper()
			initBackend(t, w, "staging.tfstate")
		}},
		"without a ledger": {then: func(_ *testing.T, w *acctest.World, _ string, _ acctest.Attrs) { w.Env["VODLIVE_RESUME_DIR"] = "" }},
		"the file is removed": {then: func(t *testing.T, w *acctest.World, _ string, _ acctest.Attrs) {
			t.Helper()
			for _, file := range sessionLines(w) {
				if err := os.Remove(file); err != nil {
					t.Error(err)
				}
			}
		}},
		"a state shows it": {then: func(t *testing.T, w *acctest.World, id string, _ acctest.Attrs) {
			t.Helper()
			imported, diags := w.Provider(once).Import(resourceType, id)
			diags.Must(t)
			w.Provider(once).Read(imported)
		}},
		"a plan imports it": {says: told, then: func(t *testing.T, w *acctest.World, id string, config acctest.Attrs) {
			t.Helper()
			p := w.Provider(once)
			imported, diags := p.Import(resourceType, id)
			diags.Must(t)
			p.Plan(imported, config)
			w.Provider(once).Plan(imported, config) // as the apply does, which is killed
		}},
		"the clock was set back": {says: told, then: func(t *testing.T, w *acctest.World, _ string, _ acctest.Attrs) {
			t.Helper()
			for _, file := range sessionLines(w) {
				content, _ := os.ReadFile(file)
				began := regexp.MustCompile(`"began": "2000`).ReplaceAll(content, []byte(`"began": "2001`))
				if err := os.WriteFile(file, began, 0o600); err != nil {
					t.Error(err)
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				w.Dir = t.TempDir()
				initBackend(t, w, "production.tfstate")
				config := base()
				id := killedCreate(t, w, config)
				if tc.then != nil {
					tc.then(t, w, id, config)
				}
				w.ResetJournal()
				var diags acctest.Diagnostics
				for range 2 {
					if tc.says == made {
						break
					}
					var o acctest.Instance
					o, diags = w.Provider(once).Create(resourceType, config)
					for _, part := range []string{tc.says, id, "status READY", "import {", "terraform state list -id=", "remove the file /"} {
						if !strings.Contains(diags.String(), part) {
							t.Errorf("the diagnostics lack %q: %s", part, diags)
						}
					}
					if o.Exists() {
						t.Errorf("the state is %v", o.Attrs())
					}
				}
				if tc.says != made {
					w.AssertCalls(t, simulator.CallCreateSession, 0)
					return
				}
				o, diags := w.Provider(once).Create(resourceType, config)
				diags.Must(t)
				w.AssertCalls(t, simulator.CallCreateSession, 1)
				if o.Text("id") == id {
					t.Errorf("the state has the session of the killed run")
				}
				if named := strings.Contains(diags.String(), "Earlier runs made sessions or jobs that no state has shown") && strings.Contains(diags.String(), id); named != tc.lets {
					t.Errorf("the diagnostics are %s", diags)
				}
			})
		})
	}
}

// initBackend is `terraform init -reconfigure` with another state file.
func initBackend(t *testing.T, w *acctest.World, state string) {
	t.Helper()
	data := filepath.Join(w.Dir, ".terraform")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	content := fmt.Sprintf(`{"version":3,"backend":{"type":"local","config":{"path":%q,"workspace_dir":null},"hash":1}}`, state)
	if err := os.WriteFile(filepath.Join(data, "terraform.tfstate"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sessionLines are the files of the ledger that are about sessions.
func sessionLines(w *acctest.World) []string {
	files, _ := filepath.Glob(filepath.Join(w.Env["VODLIVE_RESUME_DIR"], resume.Folder, "session-*"))
	return files
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
