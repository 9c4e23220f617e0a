package livesession_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestCreateThatTimedOut is gone on with by the replacement that Terraform plans for it: only a
// session that has ended is replaced by another one.
func TestCreateThatTimedOut(t *testing.T) {
	t.Parallel()
	writeOnly := config{"input": "RTMP_PULL", "input_source_a": nil, "input_source_a_wo": "rtmp://source.example.com/live/key", "urls_wo_version": 1}
	for name, tt := range map[string]struct {
		base    config // beside base()
		fault   simulator.Fault
		status  string // before the next apply
		gone    bool
		stale   bool // planned without a refresh
		next    config
		then    func(t *testing.T, w *acctest.World, o acctest.Instance) acctest.Instance
		creates int
	}{
		"ready by then":                    {status: "READY", creates: 1},
		"ready, without a refresh":         {status: "READY", stale: true, creates: 1},
		"on its way":                       {status: "PROVISIONING", creates: 1},
		"with write-only URLs":             {base: writeOnly, status: "READY", creates: 1},
		"protected":                        {base: config{"deletion_protection": true}, status: "READY", creates: 1},
		"not readable at all":              {fault: simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusForbidden}, status: "READY", creates: 1},
		"not readable, and not waited for": {base: config{"wait_for_status": []any{}}, fault: simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusForbidden}, status: "READY", creates: 1},
		"ended":                            {status: "ERROR", creates: 2},
		"ended, without a refresh":         {status: "ERROR", stale: true, creates: 2},
		"gone":                             {gone: true, stale: true, creates: 2},
		"other arguments":                  {status: "READY", next: config{"name": "other"}, creates: 2},
		"other write-only URLs":            {base: writeOnly, status: "READY", next: config{"urls_wo_version": 2}, creates: 2},
		"the state was lost":               {status: "READY", creates: 1, then: stateLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				w.Fail(notReady)
				if tt.fault.Status != 0 {
					w.ClearFaults()
					w.Fail(tt.fault)
				}
				given := base().With(tt.base).With(config{"timeouts": config{"create": "1m"}})
				o, diags := w.Provider(once).Create(resourceType, given)
				w.ClearFaults()
				ended{failed: true, state: true, tainted: true, sessions: 1, creates: 1, texts: []string{"although the plan says \"must be replaced\"", "`terraform untaint`"}}.check(t, w.Server, result(o, diags))
				id := o.Text("id")
				if tt.gone {
					w.RemoveSession(id)
				} else {
					w.SetStatus(id, tt.status)
				}
				if !tt.stale {
					o, diags = w.Provider(once).Read(o)
					diags.Must(t)
				}
				if tt.then != nil {
					o = tt.then(t, w, o)
				}
				if tt.status == "PROVISIONING" {
					time.AfterFunc(time.Minute, func() { w.SetStatus(id, "READY") })
				}
				p := w.Provider(once)
				given = given.With(tt.next).With(config{"timeouts": nil})
				now, diags := p.Apply(p.Plan(o, given))
				diags.Must(t)
				if w.Count(simulator.CallCreateSession) != tt.creates || (now.Text("id") == id) != (tt.creates == 1) || now.Tainted || now.Text("status") != "READY" {
					t.Errorf("%d creates, the state has %v: %s", w.Count(simulator.CallCreateSession), now.Attrs(), diags)
				}
				if keeps := strings.Contains(diags.String(), "Live session "+id); tt.next != nil && !keeps {
					t.Errorf("nothing names the session that keeps running: %s", diags)
				}
				o, diags = w.Provider(once).Read(now)
				diags.Must(t)
				w.Provider(once).AssertNoChanges(o, given)
			})
		})
	}
}

// stateLost has the state of the apply that went on with the session lost: the next one has the
// state of before.
func stateLost(t *testing.T, w *acctest.World, o acctest.Instance) acctest.Instance {
	t.Helper()
	p := w.Provider(once)
	_, diags := p.Apply(p.Plan(o, base()))
	diags.Must(t)
	p.End()
	return o
}

// TestKilledBetweenDeleteAndCreate: the next run is told of the session, because a state may still
// have it.
func TestKilledBetweenDeleteAndCreate(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{"killed": false, "refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				w.Fail(notReady)
				given := base().With(config{"timeouts": config{"create": "1m"}})
				o, _ := w.Provider(once).Create(resourceType, given)
				w.ClearFaults()
				p := w.Provider(once)
				if refused {
					w.Fail(simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusForbidden})
					_, diags := p.Apply(p.Plan(o, base()))
					w.ClearFaults()
					if !strings.Contains(diags.String(), "The live session of an earlier run cannot be read") {
						t.Errorf("got %s", diags)
					}
				} else {
					p.ApplyDelete(p.Plan(o, base()))
				}
				p.End()
				for range 2 {
					now, diags := w.Provider(once).Create(resourceType, base())
					if !strings.Contains(diags.String(), "An earlier run has created this live session") || !strings.Contains(diags.String(), o.Text("id")) || now.Exists() {
						t.Errorf("%v: %s", now.Attrs(), diags)
					}
				}
				o, diags := w.Provider(once).Import(resourceType, o.Text("id"))
				diags.Must(t)
				w.Provider(once).AssertNoChanges(o, base())
				w.AssertCalls(t, simulator.CallCreateSession, 1)
			})
		})
	}
}
