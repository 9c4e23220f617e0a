package livesession_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	p.Kill()
	sessions := w.Sessions()
	if len(sessions) != before+1 {
		t.Fatalf("%d sessions, and %d before", len(sessions), before)
	}
	return sessions[len(sessions)-1].ID
}

// TestKilledCreateIsTakenOver: the session of a run that died while it waited, or before its
// response was saved, is adopted by the next create with the same arguments, and by nobody else.
func TestKilledCreateIsTakenOver(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		then    func(t *testing.T, w *acctest.World, id string, config acctest.Attrs) // after the kill
		creates int                                                                   // of the next create
		says    []string
	}{
		"as it was": {
			then: func(*testing.T, *acctest.World, string, acctest.Attrs) {}, creates: 0,
			says: []string{"The live session of an earlier run was taken over", "and it runs since then", "{id}"},
		},
		"within the time in which a GET may return 404": {
			then: func(_ *testing.T, w *acctest.World, _ string, _ acctest.Attrs) {
				w.Fail(simulator.Fault{Call: simulator.CallGetSession, Times: 3, Status: http.StatusNotFound})
			}, creates: 0, says: []string{"was taken over"},
		},
		"ended": {
			then: func(_ *testing.T, w *acctest.World, id string, _ acctest.Attrs) { w.SetStatus(id, "STOPPED") }, creates: 1,
		},
		"gone": {
			then: func(_ *testing.T, w *acctest.World, id string, _ acctest.Attrs) { w.RemoveSession(id) }, creates: 1,
		},
		"other arguments": {
			then: func(_ *testing.T, _ *acctest.World, _ string, config acctest.Attrs) { config["name"] = "another" }, creates: 1,
		},
		"another workspace": {
			then: func(_ *testing.T, w *acctest.World, _ string, _ acctest.Attrs) { w.Env["TF_WORKSPACE"] = "staging" }, creates: 1,
		},
		"another folder": {
			then: func(t *testing.T, w *acctest.World, _ string, _ acctest.Attrs) { t.Helper(); w.Dir = t.TempDir() }, creates: 1,
		},
		"another service": {
			then: func(_ *testing.T, w *acctest.World, _ string, _ acctest.Attrs) {
				w.Env["VODLIVE_BASE_URL"] = w.VOD.URL()
			}, creates: 1,
		},
		"without a ledger": {
			then: func(_ *testing.T, w *acctest.World, _ string, _ acctest.Attrs) { w.Env["VODLIVE_RESUME_DIR"] = "" }, creates: 1,
		},
		"after 30 days": {
			then: func(*testing.T, *acctest.World, string, acctest.Attrs) { <-time.After(31 * 24 * time.Hour) }, creates: 1,
		},
		"in a state": {
			then: func(t *testing.T, w *acctest.World, id string, _ acctest.Attrs) {
				t.Helper()
				p := w.Provider(once)
				imported, diags := p.Import(resourceType, id)
				diags.Must(t)
				p.Read(imported)
			}, creates: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				w.Dir = t.TempDir()
				config := base()
				id := killedCreate(t, w, config)
				tc.then(t, w, id, config)
				w.ResetJournal()
				o, diags := w.Provider(once).Create(resourceType, config)
				diags.Must(t)
				w.AssertCalls(t, simulator.CallCreateSession, tc.creates)
				if taken := o.Text("id") == id; taken != (tc.creates == 0) || o.Text("status") != "READY" {
					t.Errorf("the killed run made %s, the state has %s (%s)", id, o.Text("id"), o.Text("status"))
				}
				if len(tc.says) == 0 && diags.String() != "" {
					t.Errorf("the diagnostics are %s", diags)
				}
				for _, part := range tc.says {
					if part = strings.ReplaceAll(part, "{id}", id); !strings.Contains(diags.String(), part) {
						t.Errorf("the diagnostics lack %q: %s", part, diags)
					}
				}
				w.Provider(once).AssertNoChanges(o, config)
			})
		})
	}
}

// TestEarlierSessionThatCannotBeRead: nothing is sent, and the apply after that takes the session
// over.
func TestEarlierSessionThatCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		id := killedCreate(t, w, base())
		w.ResetJournal()
		w.Fail(simulator.Fault{Call: simulator.CallGetSession, Times: 1, Status: http.StatusForbidden})
		o, diags := w.Provider(once).Create(resourceType, base())
		for _, part := range []string{"The live session of an earlier run cannot be read", id, "nothing was sent", "403"} {
			if !strings.Contains(diags.String(), part) {
				t.Errorf("the diagnostics lack %q: %s", part, diags)
			}
		}
		if o.Exists() {
			t.Errorf("there is a state: %v", o.Attrs())
		}
		o, diags = w.Provider(once).Create(resourceType, base())
		diags.Must(t)
		w.AssertCalls(t, simulator.CallCreateSession, 0)
		if o.Text("id") != id {
			t.Errorf("the state has %s, want %s", o.Text("id"), id)
		}
	})
}

// TestEqualSessionsOfAKilledRun: each of two resources with equal arguments gets one of the two
// sessions, and a third one is made for a third resource.
func TestEqualSessionsOfAKilledRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(once)
		for range 2 {
			p.Create(resourceType, base())
		}
		p.Kill()
		made := map[string]bool{}
		for _, rec := range w.Sessions() {
			made[rec.ID] = true
		}
		w.ResetJournal()
		p = w.Provider(once)
		got := map[string]bool{}
		for range 3 {
			o, diags := p.Create(resourceType, base())
			diags.Must(t)
			got[o.Text("id")] = true
		}
		for id := range made {
			if !got[id] {
				t.Errorf("no state has %s", id)
			}
		}
		if len(got) != 3 {
			t.Errorf("the states have %v", got)
		}
		w.AssertCalls(t, simulator.CallCreateSession, 1)
	})
}

// TestKilledCreateWithoutAResponse is reported once, with the session that may be it.
func TestKilledCreateWithoutAResponse(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]simulator.Fault{
		"made":     {Call: simulator.CallCreateSession, Times: 1, BreakAfter: true},
		"not made": {Call: simulator.CallCreateSession, Times: 1, BreakBefore: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				w.Fail(fault)
				p := w.Provider(once)
				p.Create(resourceType, base())
				p.Kill()
				at := time.Now()
				<-time.After(time.Hour)
				w.ResetJournal()
				o, diags := w.Provider(once).Create(resourceType, base())
				for _, part := range []string{"The live session may have been created", "A run that Terraform could not finish", at.UTC().Format("2006-01-02T15:"), "Before you apply, list the sessions"} {
					if !strings.Contains(diags.String(), part) {
						t.Errorf("the diagnostics lack %q: %s", part, diags)
					}
				}
				if named := len(w.Sessions()) > 0 && strings.Contains(diags.String(), w.Sessions()[0].ID); named != (name == "made") || o.Exists() {
					t.Errorf("the state is %v, the diagnostics are %s", o.Attrs(), diags)
				}
				w.AssertCalls(t, simulator.CallCreateSession, 0)
				o, diags = w.Provider(once).Create(resourceType, base())
				if diags.Must(t); !o.Exists() {
					t.Error("there is no state")
				}
				w.AssertCalls(t, simulator.CallCreateSession, 1)
			})
		})
	}
}

// TestRefusedCreateHasNoLine: what was surely not processed is asked for again.
func TestRefusedCreateHasNoLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		w.Fail(simulator.Fault{Call: simulator.CallCreateSession, Times: 1, Status: http.StatusBadRequest})
		p := w.Provider(once)
		p.Create(resourceType, base())
		p.Kill()
		o, diags := w.Provider(once).Create(resourceType, base())
		if diags.String() != "" || !o.Exists() {
			t.Errorf("the state is %v, the diagnostics are %s", o.Attrs(), diags)
		}
	})
}

// TestKilledUpdateIsTakenOver: a changed argument makes a new session, which a killed run leaves as
// a create does.
func TestKilledUpdateIsTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o, diags := w.Provider(once).Create(resourceType, base())
		diags.Must(t)
		changed := base().With(config{"name": "changed"})
		plan := w.Provider(once).Plan(o, changed)
		p := w.Provider(once)
		p.Apply(plan)
		p.Kill()
		made := w.Sessions()[len(w.Sessions())-1].ID
		w.ResetJournal()
		plan = w.Provider(once).Plan(o, changed)
		now, diags := w.Provider(once).Apply(plan)
		diags.Must(t)
		w.AssertCalls(t, simulator.CallCreateSession, 0)
		if now.Text("id") != made || made == o.Text("id") {
			t.Errorf("the state has %s, want %s", now.Text("id"), made)
		}
	})
}

// TestKilledWhileItWaits ends real processes while a new session is awaited.
func TestKilledWhileItWaits(t *testing.T) {
	t.Parallel()
	for name, blow := range map[string]func(*acctest.Process){
		"the provider":      func(p *acctest.Process) { p.KillProvider() },
		"the CLI alone":     func(p *acctest.Process) { p.Signal(os.Kill) },
		"interrupted":       func(p *acctest.Process) { p.Signal(os.Interrupt) },
		"interrupted twice": func(p *acctest.Process) { p.Signal(os.Interrupt); p.Signal(os.Interrupt) },
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
			if len(cli.State()) > 0 { // the interrupted ones
				cli.Must("untaint", address)
			}
			cli.Must("apply", "-auto-approve")
			if sessions := s.Sessions(); len(sessions) != 1 || cli.State()[address].Values["id"] != sessions[0].ID {
				t.Errorf("the state has %v, the service %v", cli.State()[address].Values["id"], sessions)
			}
			cli.AssertNoChanges()
			if left, _ := filepath.Glob(filepath.Join(cli.Env("VODLIVE_RESUME_DIR"), resume.Folder, "ledger-*")); len(left) > 0 {
				t.Errorf("the ledger is not empty: %q", left)
			}
		})
	}
}
