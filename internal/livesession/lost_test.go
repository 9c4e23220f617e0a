package livesession_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func block(id string) string {
	return "import {\n  to = vodlive_live_session.NAME\n  id = \"" + id + "\"\n}"
}

// lostBefore breaks the connection of the next create before the service takes it. A session that
// the test adds later is then one that the service made, and lists, late.
var lostBefore = simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakBefore: true}

const (
	mayAppear = "The session may still appear."
	listAgain = `Before you apply, list the sessions of the account again (data source vodlive_live_sessions) and look for a session named "match" ` +
		"in region eu-central-1 with input RTMP_PUSH, mode NORM and output mode RTMP_PULL that no resource manages."
)

// TestLostCreateKnowsOlderSessions: a session that a page showed before the create, or that is in a
// state, is not offered.
func TestLostCreateKnowsOlderSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
		w.AddSession(simulator.SessionRecord{ID: "listed", Name: "match", Region: "eu-central-1"})
		managed := w.AddSession(simulator.SessionRecord{ID: "managed", Name: "match", Region: "eu-central-1"})
		d := w.Provider(once)
		_, diags := d.Import(resourceType, managed)
		diags.Must(t)
		_, diags = d.Create(resourceType, base().With(config{"name": "first"})) // lists the account in the end
		diags.Must(t)
		<-time.After(time.Second)

		w.Fail(lostBefore)
		time.AfterFunc(5*time.Second, func() { w.AddSession(simulator.SessionRecord{ID: "late", Name: "match", Region: "eu-central-1"}) })
		_, diags = d.Create(resourceType, base())
		text := diags.String()
		for _, want := range []string{block("late"), "found 1 session"} {
			if !strings.Contains(text, want) {
				t.Errorf("the diagnostic lacks %q:\n%s", want, text)
			}
		}
		for _, never := range []string{"listed\"", "managed"} {
			if strings.Contains(text, never) {
				t.Errorf("the diagnostic has %q:\n%s", never, text)
			}
		}
	})
}

// TestLostCreates loses three creates with equal arguments in one run. Each names all sessions that
// appear, because none can tell which of them is its own.
func TestLostCreates(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		appear []string
		shown  int // how often each is shown
	}{
		"one appears":  {[]string{"one"}, 3},
		"two appear":   {[]string{"one", "two"}, 3},
		"none appears": {nil, 0},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			w.Fail(simulator.Fault{Call: simulator.CallCreateSession, Times: 3, BreakBefore: true})
			time.AfterFunc(5*time.Second, func() {
				for _, id := range tt.appear {
					w.AddSession(simulator.SessionRecord{ID: id, Name: "match", Region: "eu-central-1"})
				}
			})
			d := w.Provider(once)
			texts := make([]string, 3)
			var creates sync.WaitGroup
			for i := range texts {
				creates.Go(func() {
					_, diags := d.Create(resourceType, base())
					texts[i] = diags.String()
				})
			}
			creates.Wait()
			all := strings.Join(texts, "\n")
			if strings.Contains(all, "most likely") {
				t.Errorf("a create is sure of a session that may be that of another:\n%s", all)
			}
			for _, id := range tt.appear {
				if n := strings.Count(all, block(id)); n != tt.shown {
					t.Errorf("the import block of %s is shown %d times, want %d:\n%s", id, n, tt.shown, all)
				}
			}
			if n, want := strings.Count(all, mayAppear), 3-tt.shown; n != want {
				t.Errorf("%d of the three creates found nothing, want %d:\n%s", n, want, all)
			}
		})
	}
}

// TestLostCreateLeavesTheSessionOfAnother: while a create with equal arguments waits for its
// answer, the session that appears may be that one's.
func TestLostCreateLeavesTheSessionOfAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
		w.Fail(lostBefore)
		w.Fail(simulator.Fault{
			Call: simulator.CallCreateSession, Times: 1, Delay: 5 * time.Second, // listed after 5 s, answered after 15 s
			Rewrite: func(body []byte) []byte { <-time.After(10 * time.Second); return body },
		})
		d := w.Provider(once)
		var text string
		var creates sync.WaitGroup
		creates.Go(func() {
			_, diags := d.Create(resourceType, base())
			text = diags.String()
		})
		synctest.Wait() // the first create has lost its answer
		o, diags := d.Create(resourceType, base())
		diags.Must(t)
		creates.Wait()
		if id := o.Text("id"); strings.Contains(text, id) || !strings.Contains(text, mayAppear) {
			t.Errorf("the lost create reports session %s, which is in the state of the other:\n%s", id, text)
		}
	})
}

// TestLostCreateInterruptedAsAPageArrives: what that page shows is not taken for the last word.
func TestLostCreateInterruptedAsAPageArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		w.Fail(lostBefore)
		d, cancel := w.Provider(once).WithCancel()
		defer cancel()
		w.Fail(simulator.Fault{Call: simulator.CallListSessions, Rewrite: func(body []byte) []byte { cancel(); return body }})
		_, diags := d.Create(resourceType, base())
		// Whether the page was still read decides between two texts.
		if text := diags.String(); !strings.Contains(text, "he run was interrupted") || !strings.Contains(text, listAgain) {
			t.Error(text)
		}
	})
}

// TestLostCreateAmongMany: the nights of an event have one name. The text has few blocks, of
// sessions that may still run.
func TestLostCreateAmongMany(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"short ids": "session-", "long ids": strings.Repeat(`"`, 1000)} {
		bubble.Run(t, name, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			w.Quiet = true
			add := func(kind string, n int) {
				for i := range n {
					status := "TERMINATED"
					if i%100 == 7 {
						status = "READY"
					}
					w.AddSession(simulator.SessionRecord{ID: fmt.Sprintf("%s%s-%d", id, kind, i), Name: "match", Region: "eu-central-1", Status: status})
				}
			}
			d := w.Provider(once)
			add("older", 300)
			_, diags := d.DataSource("vodlive_live_sessions", config{}) // a page shows them before the create
			diags.Must(t)
			<-time.After(time.Second)
			add("either", 600)
			w.Fail(lostBefore)
			time.AfterFunc(5*time.Second, func() { add("late", 300) })
			_, diags = d.Create(resourceType, base())
			text := diags.String()
			if len(text) > 14<<10 {
				t.Errorf("the diagnostic has %d bytes:\n%.2000s", len(text), text)
			}
			blocks, running := strings.Count(text, "import {"), strings.Count(text, "# status READY")
			if name == "short ids" && (blocks != 10 || running != 9) {
				t.Errorf("%d blocks, %d of sessions that may run:\n%s", blocks, running, text)
			}
			if blocks == 0 || blocks > 10 || !strings.Contains(text, "Not shown here: ") {
				t.Errorf("%d blocks:\n%s", blocks, text)
			}
		})
	}
}
