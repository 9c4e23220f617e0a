package livesession_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const statusType = "vodlive_live_session_status"

// createAtOnce creates sessions, ten at a time as Terraform does by default.
func createAtOnce(t *testing.T, p *acctest.Provider, n int, c config) (ids []any) {
	t.Helper()
	var creates sync.WaitGroup
	instances, slots := make([]acctest.Instance, n), make(chan struct{}, 10)
	for i := range n {
		creates.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			o, diags := p.Create(resourceType, base().With(c).With(config{"name": fmt.Sprintf("cam-%02d", i)}))
			if len(diags) > 0 {
				t.Error(diags)
			}
			instances[i] = o
		})
	}
	creates.Wait()
	for _, o := range instances {
		ids = append(ids, o.Text("id"))
	}
	return ids
}

// TestStatusOfManySessions: sessions that are waited for together take about as long as one.
func TestStatusOfManySessions(t *testing.T) { //nolint:tparallel // the subtests are compared
	t.Parallel()
	stage.Large(t)
	const sessions = 50
	options := simulator.Options{ReadyAfter: 8 * time.Second, Latency: 50 * time.Millisecond, LateAllocation: true}
	took := map[string]time.Duration{}
	for _, way := range []string{"one by one", "together"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, options)
				p, start := w.Provider(once), time.Now()
				if way == "one by one" {
					createAtOnce(t, p, sessions, nil)
				} else {
					ids := createAtOnce(t, p, sessions, config{"wait_for_status": []any{}, "mode": "HA"})
					o, diags := p.Create(statusType, config{"session_ids": ids, "include_urls": true})
					if len(diags) > 0 {
						t.Fatal(diags)
					}
					checkSessions(t, w, o, ids)
					if n := w.Count(simulator.CallListSessions); n > 15 {
						t.Errorf("%d pages were listed for a wait of 8 s", n)
					}
					w.AssertCalls(t, simulator.CallGetSession, sessions) // those of the creates
				}
				took[way] = time.Since(start)
			})
		})
	}
	t.Logf("%d sessions: %v", sessions, took)
	if took["together"] > 12*time.Second || took["one by one"] < 40*time.Second {
		t.Errorf("%d sessions: %v", sessions, took)
	}
}

// checkSessions fails the test unless the state has every field of each session.
func checkSessions(t *testing.T, w *acctest.World, o acctest.Instance, ids []any) {
	t.Helper()
	sessions, urls := o.Attrs()["sessions"].(config), o.Attrs()["urls"].(config)
	if len(sessions) != len(ids) || len(urls) != len(ids) {
		t.Fatalf("%d sessions and URLs of %d are exported, want %d", len(sessions), len(urls), len(ids))
	}
	for _, record := range w.Sessions() {
		s := sessions[record.ID].(config)
		want := config{
			"name": record.Name, "status": record.Status, "user_id": record.UserID,
			"elastic_ip_a": record.ElasticIPA, "elastic_ip_b": record.ElasticIPB, "port": int(record.Port), "egress_port": int(record.EgressPort),
		}
		for name, want := range want {
			if s[name] != want {
				t.Errorf("%s of %s is %v, want %v", name, record.ID, s[name], want)
			}
		}
		of := urls[record.ID].(config)
		if len(of) != 8 || of["input_endpoint_b"] != record.InputEndpointB || of["output_endpoint_a"] != record.OutputEndpointA || of["input_source_a"] != nil {
			t.Errorf("the URLs of %s are %v", record.ID, of)
		}
	}
}

// TestStatusChanges: a change of what is waited for waits again in place, any other change and a
// refresh make no request.
func TestStatusChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{Latency: time.Millisecond}) // else all listings begin at once
		one, two := w.AddSession(simulator.SessionRecord{Name: "one"}), w.AddSession(simulator.SessionRecord{Name: "two", Status: "SCHEDULED"})
		p := w.Provider(once)
		c := config{"session_ids": []any{one}, "include_urls": true}
		o, diags := p.Create(statusType, c)
		diags.Must(t)
		pages := w.Count(simulator.CallListSessions)

		w.SetStatus(one, "STOPPED")
		p = w.Provider(once)
		p.AssertNoChanges(o, c)
		for _, same := range []config{{"timeouts": config{"create": "1h"}}, {"timeouts": config{"update": "1h"}}} {
			planned := p.Plan(o, c.With(same))
			if planned.Action != acctest.Update || planned.Attrs()["sessions"] == acctest.Unknown || planned.Attrs()["urls"] == acctest.Unknown {
				t.Errorf("%v: %s, sessions %v, urls %v", same, planned.Action, planned.Attrs()["sessions"], planned.Attrs()["urls"])
			}
			after, diags := p.Apply(planned)
			diags.Must(t)
			if s := after.Attrs()["sessions"].(config)[one].(config)["status"]; s != "READY" {
				t.Errorf("the status is %v, want that at the end of the wait", s)
			}
		}
		w.AssertCalls(t, simulator.CallListSessions, pages)

		for i, change := range []config{
			{"wait_for_status": []any{"STOPPED"}},
			{"wait_for_status": []any{"STOPPED"}, "triggers": config{"run": "2"}},
			{"wait_for_status": []any{"STOPPED", "SCHEDULED"}, "triggers": config{"run": "2"}, "session_ids": []any{one, two}},
		} {
			planned := p.Plan(o, c.With(change))
			if planned.Action != acctest.Update || planned.Attrs()["sessions"] != acctest.Unknown {
				t.Errorf("%v: %s, sessions %v", change, planned.Action, planned.Attrs()["sessions"])
			}
			o, diags = p.Apply(planned)
			diags.Must(t)
			if s := o.Attrs()["sessions"].(config)[one].(config)["status"]; s != "STOPPED" {
				t.Errorf("the status is %v", s)
			}
			w.AssertCalls(t, simulator.CallListSessions, pages+i+1)
		}
		requests := len(w.Journal())
		if o, diags = p.Destroy(o); o.Exists() || len(diags) > 0 || len(w.Journal()) != requests {
			t.Errorf("a destroy said %s, and made %d requests", diags, len(w.Journal())-requests)
		}
	})
}

// TestStatusOfEndedSessions: a change of the ids does not judge again the sessions that have been
// waited for.
func TestStatusOfEndedSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		one, two, three := w.AddSession(simulator.SessionRecord{}), w.AddSession(simulator.SessionRecord{}), w.AddSession(simulator.SessionRecord{Status: "PENDING"})
		p := w.Provider(once)
		o, diags := p.Create(statusType, config{"session_ids": []any{one, two}})
		diags.Must(t)
		w.SetStatus(one, "STOPPED")

		// A removal, of the ended or of the other one, is known while planning and makes no
		// request.
		requests := len(w.Journal())
		for _, left := range []string{one, two} {
			planned := p.Plan(o, config{"session_ids": []any{left}})
			after, diags := p.Apply(planned)
			diags.Must(t)
			for _, attrs := range []config{planned.Attrs(), after.Attrs()} {
				if sessions, _ := attrs["sessions"].(config); len(sessions) != 1 || sessions[left] == nil {
					t.Errorf("sessions %v", attrs["sessions"])
				}
			}
		}
		if n := len(w.Journal()) - requests; n > 0 {
			t.Errorf("%d requests for a removal", n)
		}

		// Only the new one is waited for, even when its id is unknown while planning.
		start := time.Now()
		time.AfterFunc(20*time.Second, func() { w.SetStatus(three, "READY") })
		c := config{"session_ids": []any{one, two, three}}
		planned := p.Plan(o, config{"session_ids": []any{one, two, acctest.Unknown}})
		planned.Config = c
		if o, diags = p.Apply(planned); len(diags) > 0 || time.Since(start) < 20*time.Second {
			t.Fatalf("after %s: %s", time.Since(start), diags)
		}
		status := func(id string) any { return o.Attrs()["sessions"].(config)[id].(config)["status"] }
		if status(one) != "READY" || status(three) != "READY" {
			t.Errorf("the statuses are %v", o.Attrs()["sessions"])
		}
		p.AssertNoChanges(o, c)

		// URLs that are asked for later are read without judging a status.
		c["include_urls"] = true
		if o, diags = p.Change(o, c); len(diags) > 0 || len(o.Attrs()["urls"].(config)) != 3 || o.Attrs()["urls"].(config)[one].(config)["input_endpoint_a"] == nil {
			t.Errorf("%s: %v", diags, o.Attrs()["urls"])
		}
		p.AssertNoChanges(o, c)

		// No triggers in another spelling wait for nothing. What the user triggers waits again for
		// all.
		for _, none := range []any{config{}, config{"again": nil}, nil} {
			c["triggers"] = none
			o, diags = p.Change(o, c)
			diags.Must(t)
		}
		c["triggers"] = config{"again": "1"}
		if _, diags = p.Change(o, c); !strings.Contains(diags.String(), one+` ("`) {
			t.Errorf("a trigger says %s", diags)
		}
	})
}

// TestStatusListsOnceForAChange: one listing shows a new session, and the URLs that the state lacks
// of the others, also if these have ended or are gone.
func TestStatusListsOnceForAChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{Latency: time.Millisecond}) // else all listings begin at once
		stopped, gone, added := w.AddSession(simulator.SessionRecord{}), w.AddSession(simulator.SessionRecord{}), w.AddSession(simulator.SessionRecord{})
		p := w.Provider(once)
		o, diags := p.Create(statusType, config{"session_ids": []any{stopped, gone}})
		diags.Must(t)
		w.SetStatus(stopped, "STOPPED")
		w.RemoveSession(gone)
		listings := w.Count(simulator.CallListSessions)
		c := config{"session_ids": []any{stopped, gone, added}, "include_urls": true}
		o, diags = p.Change(o, c)
		diags.Must(t)
		w.AssertCalls(t, simulator.CallListSessions, listings+1)
		urls, sessions := o.Attrs()["urls"].(config), o.Attrs()["sessions"].(config)
		for id, shown := range map[string]bool{stopped: true, gone: false, added: true} {
			if got := urls[id].(config)["input_endpoint_a"] != nil; got != shown {
				t.Errorf("the URLs of %s are shown: %v, want %v", id, got, shown)
			}
			if status := sessions[id].(config)["status"]; status != "READY" {
				t.Errorf("the status of %s is %v, want that at the end of its wait", id, status)
			}
		}
		p.AssertNoChanges(o, c)
	})
}

// TestStatusOfNoSessions: an empty set, as of sessions with count = 0, is waited for without a
// request.
func TestStatusOfNoSessions(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	id := w.AddSession(simulator.SessionRecord{})
	p, none := w.Provider(once), config{"session_ids": []any{}, "include_urls": true}
	o, diags := p.Create(statusType, none)
	if diags.Must(t); len(o.Attrs()["sessions"].(config)) != 0 || len(o.Attrs()["urls"].(config)) != 0 {
		t.Errorf("sessions %v, urls %v", o.Attrs()["sessions"], o.Attrs()["urls"])
	}
	if n := len(w.Journal()); n > 0 {
		t.Errorf("%d requests for no session", n)
	}
	p.AssertNoChanges(o, none)
	for _, ids := range [][]any{{id}, {}} {
		o, diags = p.Change(o, none.With(config{"session_ids": ids}))
		if diags.Must(t); len(o.Attrs()["sessions"].(config)) != len(ids) {
			t.Errorf("%d sessions, want %d", len(o.Attrs()["sessions"].(config)), len(ids))
		}
	}
}

// TestStatusOfScheduledSessions: by default, a session that waits for its start is waited for no
// longer, as its own resource does.
func TestStatusOfScheduledSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		ids := []any{w.AddSession(simulator.SessionRecord{Status: "SCHEDULED"}), w.AddSession(simulator.SessionRecord{})}
		p, start := w.Provider(once), time.Now()
		_, diags := p.Create(statusType, config{"session_ids": ids})
		if took := time.Since(start); len(diags) > 0 || took > time.Second {
			t.Errorf("after %v: %s", took, diags)
		}
		_, diags = p.Create(statusType, config{"session_ids": ids, "wait_for_status": []any{"READY"}, "timeouts": config{"create": "30s"}})
		if !strings.Contains(diags.String(), "The live sessions were not ready in time") {
			t.Errorf("waiting for READY alone says %s", diags)
		}
	})
}

// TestStatusOfUnknownValues: what was unknown while planning and turned out the same is no change,
// so the apply does not wait for sessions that have ended since.
func TestStatusOfUnknownValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		id := w.AddSession(simulator.SessionRecord{})
		p := w.Provider(once)
		c := config{"session_ids": []any{id}, "wait_for_status": []any{"READY"}, "triggers": config{"run": "1"}, "include_urls": true}
		o, diags := p.Create(statusType, c)
		diags.Must(t)
		w.SetStatus(id, "STOPPED")
		requests := len(w.Journal())
		for name, unknown := range map[string]any{
			"session_ids": acctest.Unknown, "wait_for_status": []any{acctest.Unknown}, "triggers": config{"run": acctest.Unknown},
		} {
			planned := p.Plan(o, c.With(config{name: unknown}))
			if planned.Action != acctest.Update || planned.Attrs()["sessions"] != acctest.Unknown || planned.Attrs()["urls"] != acctest.Unknown {
				t.Errorf("%s: %s, %v", name, planned.Action, planned.Attrs())
			}
			planned.Config = c
			after, diags := p.Apply(planned)
			if len(diags) > 0 || !after.State.Equal(o.State) || len(w.Journal()) != requests {
				t.Errorf("%s: %d requests: %s", name, len(w.Journal())-requests, diags)
			}
		}
	})
}

// TestStatusFails goes through the waits that end with an error.
func TestStatusFails(t *testing.T) {
	t.Parallel()
	type records = []simulator.SessionRecord
	tests := map[string]struct {
		records records
		ids     []any // beside those of the records
		config  config
		fault   *simulator.Fault
		cancel  time.Duration
		at      time.Duration
		texts   []string
		not     []string
	}{
		"terminal statuses": {
			records: records{{ID: "s1", Name: "one", Status: "ERROR"}, {ID: "s2", Name: "two"}, {ID: "s3", Name: "three", Status: "STOPPED"}, {ID: "s4", Name: "four", Status: "PENDING"}},
			texts: []string{
				"Live sessions ended in another status", "2 of 4 sessions ended in a final status that is not in `wait_for_status` (READY or SCHEDULED):\n",
				`  - s1 ("one", status ERROR)`, `  - s3 ("three", status STOPPED)`, "1 session had no status of `wait_for_status` (READY or SCHEDULED) yet:\n  - s4 (\"four\", status PENDING)",
			},
			not: []string{"s2"},
		},
		"time limit": {
			records: records{{ID: "s1", Name: "one", Status: "PENDING"}, {ID: "s2"}}, config: config{"timeouts": config{"create": "90s"}}, at: 90 * time.Second,
			texts: []string{"The live sessions were not ready in time", "ended after 1m30s", `s1 ("one", status PENDING)`, `timeouts = { create = "40m" }`}, not: []string{"s2"},
		},
		"time limit, status that nobody knows": {
			records: records{{ID: "s1", Name: "one"}}, config: config{"timeouts": config{"create": "90s"}, "wait_for_status": []any{"RUNNING"}}, at: 90 * time.Second,
			texts: []string{"no status of `wait_for_status` (RUNNING) yet", `s1 ("one", status READY)`, "The provider does not know RUNNING: check `wait_for_status`. The known statuses are PENDING,"}, not: []string{"40m"},
		},
		"time limit, listing fails": {
			records: records{{ID: "s1"}}, config: config{"timeouts": config{"create": "90s"}}, at: 90 * time.Second,
			fault: &simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusBadGateway},
			texts: []string{"The live sessions were not ready in time", "s1 (not listed)", "The last listing failed: ", "502 Bad Gateway"},
		},
		"interrupt": {
			records: records{{ID: "s1", Status: "PENDING"}}, cancel: 20 * time.Second, at: 20 * time.Second,
			texts: []string{"Waiting for the live sessions was interrupted", "s1"},
		},
		"not listed": {
			records: records{{ID: "s1"}}, ids: []any{"s7", "s8"}, at: 30 * time.Second,
			texts: []string{"error session_ids: Live sessions are not listed", "has not shown 2 sessions of `session_ids`:\n  - s7 (not listed)\n  - s8 (not listed)"}, not: []string{"s1"},
		},
		"very many": {
			records: slices.Repeat(records{{Status: "ERROR"}}, 201),
			texts:   []string{"201 of 201 sessions ended", "\n  and 1 more\n\n"},
		},
		"refused": {
			records: records{{ID: "s1"}}, fault: &simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden, Body: `{"message":"not yours"}`},
			texts: []string{"Listing the live sessions failed", "403 Forbidden: the text of the response is not shown"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				ids := tt.ids
				for _, record := range tt.records {
					ids = append(ids, w.AddSession(record))
				}
				if tt.fault != nil {
					w.Fail(*tt.fault)
				}
				p, cancel := w.Provider(once).WithCancel()
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				start := time.Now()
				o, diags := p.Create(statusType, config{"session_ids": ids}.With(tt.config))
				if took := time.Since(start); took < tt.at || took > tt.at+10*time.Second {
					t.Errorf("took %v, want %v", took, tt.at)
				}
				if o.Exists() || !diags.Failed() {
					t.Fatalf("no failure: %s", diags)
				}
				text := diags.String()
				for _, want := range tt.texts {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not in: %s", want, text)
					}
				}
				for _, not := range tt.not {
					if strings.Contains(text, not) {
						t.Errorf("%q is in: %s", not, text)
					}
				}
			})
		})
	}
}

// TestStatusWaitsOn: a session that is not listed at first, a failing listing and an unknown status
// do not end the wait.
func TestStatusWaitsOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		first := w.AddSession(simulator.SessionRecord{Status: "WARMING_UP"})
		w.Fail(simulator.Fault{Call: simulator.CallListSessions, After: 2, Times: 2, Status: http.StatusBadGateway})
		time.AfterFunc(20*time.Second, func() { w.AddSession(simulator.SessionRecord{ID: "late", Status: "ready"}) })
		time.AfterFunc(3*time.Minute, func() { w.SetStatus(first, "READY") })
		start := time.Now()
		o, diags := w.Provider(once).Create(statusType, config{"session_ids": []any{first, "late"}})
		if took := time.Since(start); len(diags) > 0 || took < 3*time.Minute || took > 3*time.Minute+15*time.Second {
			t.Errorf("took %v: %s", took, diags)
		}
		if s := o.Attrs()["sessions"].(config)["late"].(config)["status"]; s != "READY" {
			t.Errorf("the status is %v", s)
		}
	})
}

// TestStatusWaitsForSlowListings: a session that one listing lacks may be in the next one, however
// long a listing takes.
func TestStatusWaitsForSlowListings(t *testing.T) {
	t.Parallel()
	stage.Large(t)
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{Latency: time.Second})
		w.Quiet = true
		for range 3_500 {
			w.AddSession(simulator.SessionRecord{})
		}
		time.AfterFunc(20*time.Second, func() { w.AddSession(simulator.SessionRecord{ID: "late"}) })
		p, start := w.Provider(once), time.Now()
		_, diags := p.Create(statusType, config{"session_ids": []any{"late"}})
		if took := time.Since(start); len(diags) > 0 || took < 30*time.Second {
			t.Errorf("after %s: %s", took, diags)
		}
		_, diags = p.Create(statusType, config{"session_ids": []any{"never"}})
		if took := time.Since(start); took > 5*time.Minute || !strings.Contains(diags.String(), "Live sessions are not listed") {
			t.Errorf("after %s: %s", took, diags)
		}
	})
}

// TestStatusFailureKeepsTheState: an update that fails changes nothing, so the next apply waits
// again.
func TestStatusFailureKeepsTheState(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	id := w.AddSession(simulator.SessionRecord{})
	p := w.Provider(once)
	o, diags := p.Create(statusType, config{"session_ids": []any{id}})
	diags.Must(t)
	w.SetStatus(id, "ERROR")
	changed := config{"session_ids": []any{id}, "triggers": config{"run": "2"}}
	after, diags := p.Change(o, changed)
	if !diags.Failed() || !after.State.Equal(o.State) || after.Tainted {
		t.Errorf("%s\n%v", diags, after)
	}
	w.SetStatus(id, "READY")
	if o, diags = p.Change(after, changed); len(diags) > 0 {
		t.Error(diags)
	}
	p.AssertNoChanges(o, changed)
}

// TestStatusListsNoMoreThanNeeded: the listing stops at the page that shows the last of the
// sessions, and a large account is not listed all the time.
func TestStatusListsNoMoreThanNeeded(t *testing.T) {
	t.Parallel()
	stage.Large(t)
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{Latency: time.Second})
		w.Quiet = true
		old := w.AddSession(simulator.SessionRecord{Status: "PENDING"})
		for range 5_000 {
			w.AddSession(simulator.SessionRecord{})
		}
		recent := w.AddSession(simulator.SessionRecord{})
		p := w.Provider(once)
		_, diags := p.Create(statusType, config{"session_ids": []any{recent}})
		diags.Must(t)
		w.AssertCalls(t, simulator.CallListSessions, 1)
		// 51 pages take 51 s, and then nothing is listed for 51 s.
		time.AfterFunc(5*time.Minute, func() { w.SetStatus(old, "READY") })
		_, diags = p.Create(statusType, config{"session_ids": []any{recent, old}})
		diags.Must(t)
		if n := w.Count(simulator.CallListSessions); n > 1+4*51 {
			t.Errorf("%d pages were listed in six minutes", n)
		}
	})
}

func TestStatusInvalid(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for want, c := range map[string]config{
		"error session_ids: ":                                {"session_ids": []any{nil}},
		"error session_ids.[]: Invalid value: `session_ids`": {"session_ids": []any{" "}},
		"error wait_for_status":                              {"session_ids": []any{"s1"}, "wait_for_status": []any{}},
		"warning wait_for_status.[]: Unknown status: `wait_for_status` has \"READDY\", which is not a known status":              {"session_ids": []any{"s1"}, "wait_for_status": []any{"READDY"}},
		"error wait_for_status.[]: Invalid value: `wait_for_status` has \"ready\"; no session has this status. Write \"READY\".": {"session_ids": []any{"s1"}, "wait_for_status": []any{"ready"}},
		"error timeouts: Invalid value: `timeouts.update`":                                                                       {"session_ids": []any{"s1"}, "timeouts": config{"update": "soon"}},
	} {
		if texts := p.Validate(statusType, c).Texts(); len(texts) != 1 || !strings.HasPrefix(texts[0], want) {
			t.Errorf("%v: %q, want %q", c, texts, want)
		}
	}
	w := acctest.NewWorld(t, simulator.Options{})
	w.Env["VODLIVE_SECRET_KEY"] = ""
	if planned := w.Provider(nil).Plan(p.New(statusType), config{"session_ids": acctest.Unknown}); !strings.Contains(planned.Diags.String(), "`secret_key`") {
		t.Errorf("a plan without credentials says %s", planned.Diags)
	}
}

// TestStatusCLI creates sessions with for_each and waits for them together, with a real CLI.
func TestStatusCLI(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"PENDING", "PENDING", "READY"}, LateAllocation: true})
	cli := acctest.NewCLI(t, s)
	cli.Config(strings.Replace(pushPull(`for_each = toset(["a", "b", "c"])`, "wait_for_status = []"), `"match"
  region`, `each.key
  region`, 1) + `
resource "vodlive_live_session_status" "ready" {
  session_ids = [for s in vodlive_live_session.match : s.id]
}
output "addresses" {
  value = { for s in vodlive_live_session_status.ready.sessions : s.name => s.elastic_ip_a }
}
`)
	out := cli.Must("apply", "-auto-approve").Flat()
	for _, record := range s.Sessions() {
		if want := fmt.Sprintf("%q = %q", record.Name, record.ElasticIPA); !strings.Contains(out, want) {
			t.Errorf("the output lacks %s:\n%s", want, out)
		}
		if strings.Contains(out, record.InputEndpointA) {
			t.Error("the output shows an endpoint")
		}
	}
	cli.AssertNoChanges()
}

// TestStatusOfOneSessionMore: it is created and waited for, and the others are not touched. A
// destroy says nothing of the wait.
func TestStatusOfOneSessionMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{ReadyAfter: 2 * time.Second, LateAllocation: true})
		w.Quiet = true
		p := w.Provider(nil)
		given := config{"wait_for_status": []any{}}
		ids := createAtOnce(t, p, 3, given)
		status, diags := p.Create(statusType, config{"session_ids": ids})
		diags.Must(t)
		w.Provider(nil).AssertNoChanges(status, config{"session_ids": ids})

		p = w.Provider(nil)
		pl := change(t, p, status, config{"session_ids": append(slices.Clone(ids), acctest.Unknown)})
		more, diags := p.Create(resourceType, base().With(given).With(config{"name": "one more"}))
		diags.Must(t)
		pl.Config = config{"session_ids": append(slices.Clone(ids), more.Text("id"))}
		status, diags = p.Apply(pl)
		diags.Must(t)
		names := []string{}
		for _, s := range status.Attrs()["sessions"].(config) {
			names = append(names, s.(config)["name"].(string))
		}
		if slices.Sort(names); !slices.Equal(names, []string{"cam-00", "cam-01", "cam-02", "one more"}) {
			t.Errorf("the sessions are %v", names)
		}
		w.Provider(nil).AssertNoChanges(status, pl.Config)
		w.Provider(nil).AssertNoChanges(more, base().With(given).With(config{"name": "one more"}))
		w.AssertCalls(t, simulator.CallCreateSession, 4)
		for _, o := range []acctest.Instance{status, more} {
			if o, diags := w.Provider(nil).Destroy(o); diags.Failed() || o.Exists() {
				t.Error(diags)
			}
		}
	})
}
