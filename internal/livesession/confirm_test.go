package livesession_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// unreadable has every GET of a session answer 404 for so long from now on.
func unreadable(w *acctest.World, d time.Duration) {
	until := time.Now().Add(d)
	w.Fail(simulator.Fault{
		Call: simulator.CallGetSession, Status: http.StatusNotFound,
		Match: func(*http.Request) bool { return time.Now().Before(until) },
	})
}

// TestCreateEndsWithAGet: whatever is waited for, a create is not over before a GET has shown the
// session.
func TestCreateEndsWithAGet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config   config
		creates  int // at once
		late     time.Duration
		failed   bool
		at, most time.Duration
	}{
		"no waiting":                        {config: config{"wait_for_status": []any{}}, creates: 1},
		"no waiting, late":                  {config: config{"wait_for_status": []any{}}, creates: 1, late: 20 * time.Second, at: 20 * time.Second, most: 35 * time.Second},
		"listed with its status first":      {creates: 5, late: 20 * time.Second, at: 20 * time.Second, most: 35 * time.Second},
		"no waiting, never":                 {config: config{"wait_for_status": []any{}}, creates: 1, late: time.Hour, failed: true, at: 30 * time.Second, most: 45 * time.Second},
		"listed with its status, but never": {creates: 5, late: time.Hour, failed: true, at: 30 * time.Second, most: 45 * time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				unreadable(w, tt.late)
				d, start := w.Provider(once), time.Now()
				var creates sync.WaitGroup
				for range tt.creates {
					creates.Go(func() {
						o, diags := d.Create(resourceType, base().With(tt.config))
						if took := time.Since(start); took < tt.at || took > tt.most {
							t.Errorf("the create took %v, want %v to %v", took, tt.at, tt.most)
						}
						text := diags.String()
						if failed := strings.Contains(text, "error : The new live session cannot be read"); failed != tt.failed {
							t.Errorf("failed %v, want %v:\n%s", failed, tt.failed, text)
						}
						if o.Text("id") == "" {
							t.Error("the session is not in the state")
						}
					})
				}
				creates.Wait()
			})
		})
	}
}

// TestInterruptedBeforeAGet interrupts a create while GETs do not show the session, and refreshes
// in another run.
func TestInterruptedBeforeAGet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		late, took, most time.Duration // a GET shows the session, seen from the refresh
		kept             bool
	}{
		"shown at last": {late: 25 * time.Second, took: 25 * time.Second, most: 35 * time.Second, kept: true},
		"gone":          {late: time.Hour, took: 30 * time.Second, most: 35 * time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				unreadable(w, tt.late+3*time.Second)
				d, cancel := w.Provider(once).WithCancel()
				defer cancel()
				time.AfterFunc(3*time.Second, cancel)
				o, diags := d.Create(resourceType, base())
				ended{state: true, sessions: 1, creates: 1, texts: []string{
					"warning : Waiting for the live session was interrupted",
				}}.check(t, w.Server, result(o, diags))
				id := o.Text("id")
				if !tt.kept {
					w.RemoveSession(id)
				}

				d = w.Provider(once)
				start := time.Now()
				o, diags = d.Read(o)
				if took := time.Since(start); took < tt.took || took > tt.most {
					t.Errorf("the refresh took %v, want %v to %v", took, tt.took, tt.most)
				}
				if !tt.kept {
					checkGone(t, o, diags.String(), id)
					return
				}
				if len(diags) > 0 || !o.Exists() {
					t.Fatalf("the session has left the state: %s", diags.String())
				}
				d.AssertNoChanges(o, base())

				// A GET has shown it now, so from now on a 404 counts at once.
				w.RemoveSession(id)
				d, start = w.Provider(once), time.Now()
				o, diags = d.Read(o)
				if took := time.Since(start); took > 0 {
					t.Errorf("the second refresh took %v", took)
				}
				checkGone(t, o, diags.String(), id)
			})
		})
	}
}

// TestInterruptedRefresh: a refresh that is interrupted while it waits for a session does not take
// it for gone.
func TestInterruptedRefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		unreadable(w, time.Hour)
		p := w.Provider(once)
		d, cancel := p.WithCancel()
		time.AfterFunc(3*time.Second, cancel)
		o, _ := d.Create(resourceType, base())
		cancel()

		d, cancel = p.WithCancel()
		defer cancel()
		time.AfterFunc(3*time.Second, cancel)
		o, diags := d.Read(o)
		if !o.Exists() || !strings.Contains(diags.String(), "error : Terraform interrupted this call: Reading the live session was interrupted") {
			t.Errorf("the session has left the state: %s", diags.String())
		}
	})
}

func checkGone(t *testing.T, o acctest.Instance, text, id string) {
	t.Helper()
	if o.Exists() {
		t.Errorf("the session is still in the state: %v", o.State)
	}
	for _, want := range []string{
		"warning : Live session " + id + ` ("match") was not found`, "Live session " + id + ` ("match") was removed from the state`,
		"GET http://127.0.0.1:1/live/v1/live-streams/session/" + id + ": 404 Not Found", "credentials belong to another account",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the diagnostics lack %q:\n%s", want, text)
		}
	}
}

// TestOlderPageDoesNotOverwriteTheLastRead: another reader listed the account while the session was
// not ready. The addresses come from a page that is as new as the status.
func TestOlderPageDoesNotOverwriteTheLastRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{ReadyAfter: 8 * time.Second, LateAllocation: true})
		p := w.Provider(once)
		time.AfterFunc(time.Second, func() { _, _ = p.DataSource("vodlive_live_sessions", nil) })
		o, diags := p.Create(resourceType, base())
		diags.Must(t)
		if o.Text("status") != "READY" || o.Text("elastic_ip_a") == "" {
			t.Errorf("status %s, address %q", o.Text("status"), o.Text("elastic_ip_a"))
		}
	})
}
