package livesession_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
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

// TestStatusWaitsForSlowListings: a session that one listing lacks may be in the next one, however
// long a listing takes.
func TestStatusWaitsForSlowListings(t *testing.T) {
	t.Parallel()
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

// TestStatusListsNoMoreThanNeeded: the listing stops at the page that shows the last of the
// sessions, and a large account is not listed all the time.
func TestStatusListsNoMoreThanNeeded(t *testing.T) {
	t.Parallel()
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

// TestStatusOfTooManyToName: an error names 200 sessions at most.
func TestStatusOfTooManyToName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		var ids []any
		for range 201 {
			ids = append(ids, w.AddSession(simulator.SessionRecord{Status: "ERROR"}))
		}
		o, diags := w.Provider(once).Create(statusType, config{"session_ids": ids})
		if text := diags.String(); o.Exists() || !strings.Contains(text, "201 of 201 sessions ended") || !strings.Contains(text, "\n  and 1 more\n\n") {
			t.Error(text)
		}
	})
}
