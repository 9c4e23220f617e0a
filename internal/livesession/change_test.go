package livesession_test

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// imported is a session with every argument in the state, imported by an earlier run.
func imported(t *testing.T, w *acctest.World, d *acctest.Provider, record simulator.SessionRecord) acctest.Instance {
	t.Helper()
	o, diags := d.Import(resourceType, w.AddSession(record))
	diags.Must(t)
	o, diags = d.Read(o)
	diags.Must(t)
	return o
}

// change is the plan of a change, which must be an update in place.
func change(t *testing.T, d *acctest.Provider, o acctest.Instance, c config) *acctest.Plan {
	t.Helper()
	pl := d.Plan(o, c)
	pl.Diags.Must(t)
	if pl.Action != acctest.Update {
		t.Fatalf("the plan is to %s", pl.Action)
	}
	return pl
}

// TestUnknownThatIsNoChange: a value that is not known while planning, and comes out as it was or
// in another spelling, keeps the session.
func TestUnknownThatIsNoChange(t *testing.T) {
	t.Parallel()
	all := pullPushConfig()
	tests := map[string]struct{ unknown, then config }{
		"several":            {config{"region": acctest.Unknown, "name": acctest.Unknown, "input": acctest.Unknown, "mode": acctest.Unknown}, nil},
		"preset":             {config{"input_preset": acctest.Unknown}, nil},
		"part of the preset": {config{"input_preset": config{"bitrate": acctest.Unknown}}, nil},
		"default of the preset": {
			config{"input_preset": config{"codec": acctest.Unknown}}, config{"input_preset": config{"codec": nil}},
		},
		"region, other spelling":         {config{"region": acctest.Unknown}, config{"region": "EU-Central-1"}},
		"URL, other spelling":            {config{"input_source_a": acctest.Unknown}, config{"input_source_a": "RTMP://A.example.com:1935/in/1"}},
		"time zone, other spelling":      {config{"timezone": acctest.Unknown}, config{"timezone": "Europe/Berlin"}},
		"schedule, other spelling":       {config{"is_scheduled": acctest.Unknown, "scheduled_at": acctest.Unknown}, nil},
		"URL moved to the twin":          {config{"input_source_a": nil, "input_source_a_wo": acctest.Unknown, "urls_wo_version": 1}, config{"input_source_a": nil, "input_source_a_wo": all["input_source_a"], "urls_wo_version": 1}},
		"with a change of an own option": {config{"name": acctest.Unknown, "wait_for_status": []any{"STOPPED"}}, config{"wait_for_status": []any{"STOPPED"}}},
		"own option unknown, too":        {config{"name": acctest.Unknown, "replace_on_status": acctest.Unknown}, config{"replace_on_status": []any{"ERROR"}}},
	}
	for _, name := range []string{
		"name", "region", "input", "mode", "output_mode", "input_source_a", "input_source_b", "output_destination_a", "output_destination_b",
		"enable_input_record", "is_scheduled", "timezone", "scheduled_at",
	} {
		tests[name] = struct{ unknown, then config }{config{name: acctest.Unknown}, nil}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			o := imported(t, w, w.Provider(nil), pullPush)
			pl := change(t, w.Provider(nil), o, all.With(tt.unknown))
			if text := pl.Diags.String(); !strings.Contains(text, "A new live session may be created") || strings.Contains(text, "will be created") {
				t.Errorf("the plan does not say that it may keep the session: %s", text)
			}
			pl.Config = all.With(tt.then)
			kept, diags := w.Provider(nil).Apply(pl)
			diags.Must(t)
			if text := diags.String(); strings.Contains(text, "keeps running") {
				t.Errorf("the apply warns of a session that is in the state: %s", text)
			}
			w.AssertCalls(t, simulator.CallCreateSession, 0)
			was, is := o.Attrs(), kept.Attrs()
			for _, attribute := range []string{"id", "status", "user_id", "elastic_ip_a", "elastic_ip_b", "port", "sub_domain_b"} {
				if was[attribute] == nil || is[attribute] != was[attribute] {
					t.Errorf("%s was %v and is %v", attribute, was[attribute], is[attribute])
				}
			}
			if d := w.Provider(nil); d.IdentityOf(kept)["id"] != o.Text("id") {
				t.Errorf("the identity is %v", d.IdentityOf(kept))
			}
			w.Provider(nil).AssertNoChanges(kept, pl.Config)
		})
	}
}

// TestUnknownVersionOfURLs is TestUnknownThatIsNoChange for URLs that no state has.
func TestUnknownVersionOfURLs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o, diags := w.Provider(once).Create(resourceType, writeOnly)
		diags.Must(t)
		pl := change(t, w.Provider(once), o, writeOnly.With(config{"urls_wo_version": acctest.Unknown, "input_source_a_wo": acctest.Unknown}))
		pl.Config = writeOnly
		kept, diags := w.Provider(once).Apply(pl)
		diags.Must(t)
		if kept.Text("id") != o.Text("id") || w.Count(simulator.CallCreateSession) != 1 {
			t.Errorf("session %s was not kept: %v", o.Text("id"), kept.Attrs())
		}
		checkNoURL(t, kept)
		w.Provider(once).AssertNoChanges(kept, writeOnly)
	})
}

// TestUnknownOfAnEarlierSchedule: a session whose start has passed is kept, too.
func TestUnknownOfAnEarlierSchedule(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	record := pullPush
	record.ScheduledAt = "2001-05-17 20:15"
	given := pullPushConfig().With(config{"scheduled_at": record.ScheduledAt})
	o := imported(t, w, w.Provider(nil), record)
	pl := change(t, w.Provider(nil), o, given.With(config{"name": acctest.Unknown}))
	pl.Config = given
	kept, diags := w.Provider(nil).Apply(pl)
	diags.Must(t)
	if kept.Text("id") != o.Text("id") || w.Count(simulator.CallCreateSession) != 0 {
		t.Errorf("the session was not kept: %v", kept.Attrs())
	}
}

// TestUnknownThatIsAChange: a new session is created, and the old one is named.
func TestUnknownThatIsAChange(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]config{
		"another value":            {"region": "us-east-1"},
		"a status to replace upon": {"replace_on_status": []any{"READY"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				o := imported(t, w, w.Provider(once), matchRecord)
				pl := change(t, w.Provider(once), o, base().With(config{"region": acctest.Unknown, "replace_on_status": acctest.Unknown}))
				pl.Config = base().With(then)
				now, diags := w.Provider(once).Apply(pl)
				diags.Must(t)
				if now.Text("id") == o.Text("id") || w.Count(simulator.CallCreateSession) != 1 {
					t.Errorf("no session was created: %v", now.Attrs())
				}
				if d := w.Provider(once); d.IdentityOf(now)["id"] != now.Text("id") {
					t.Errorf("the identity is %v", d.IdentityOf(now))
				}
				for _, want := range []string{"Live session " + o.Text("id"), "was replaced in the state by the new live session " + now.Text("id") + " because of `" + slices.Collect(maps.Keys(then))[0] + "`, but keeps running"} {
					if !strings.Contains(diags.String(), want) {
						t.Errorf("the diagnostics lack %q: %s", want, diags)
					}
				}
				if name == "another value" {
					w.Provider(once).AssertNoChanges(now, pl.Config)
				}
			})
		})
	}
}

// refusals are what makes an apply fail before it creates the session that was planned.
var refusals = map[string]struct {
	change config // planned
	spoil  func(w *acctest.World)
	block  config // of the provider that applies
	text   string
}{
	"wrong secret": {
		config{"name": "other"},
		func(w *acctest.World) { w.Env["VODLIVE_SECRET_KEY"] = "wrong" }, once,
		"The service did not accept the credentials",
	},
	"no secret": {
		config{"name": "other"},
		func(w *acctest.World) { w.Env["VODLIVE_SECRET_KEY"] = "" }, once,
		"`secret_key`",
	},
	"service out of reach": {
		config{"name": "other"}, func(w *acctest.World) {
			w.Fail(simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusTooManyRequests})
		}, once, "429",
	},
	"refused": {
		config{"name": "other"}, func(w *acctest.World) {
			w.Fail(simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusForbidden})
		}, once, "Creating the live session failed",
	},
	"region no longer allocated": {
		config{"region": "us-east-1"}, func(w *acctest.World) {
			w.Fail(simulator.Fault{Call: simulator.CallRegions, Body: `{"data":["eu-central-1"]}`})
		}, nil, `"us-east-1" was given; the regions allocated to this account are eu-central-1.`,
	},
	"start passed": {
		config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2000-01-01 02:00"},
		func(*acctest.World) { <-time.After(2 * time.Hour) }, nil, "`scheduled_at` is \"2000-01-01 02:00\"; in Europe/Berlin it is now",
	},
}

// TestRefusedChangeKeepsTheSession applies saved plans that no longer hold.
func TestRefusedChangeKeepsTheSession(t *testing.T) {
	t.Parallel()
	for name, tt := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // it begins at 2000-01-01 00:00 UTC
				w := acctest.NewWorld(t, simulator.Options{})
				o := imported(t, w, w.Provider(nil), matchRecord)
				pl := change(t, w.Provider(once), o, base().With(tt.change))
				env := maps.Clone(w.Env)
				tt.spoil(w)
				now, diags := w.Provider(tt.block).Apply(pl)
				if text := diags.String(); !strings.Contains(text, tt.text) {
					t.Errorf("the diagnostics lack %q: %s", tt.text, text)
				}
				if !diags.Failed() || !now.State.Equal(o.State) || now.Tainted {
					t.Errorf("the state is not as it was: %v: %s", now.Attrs(), diags)
				}
				if n := len(w.Sessions()); n != 1 {
					t.Errorf("the service has %d sessions", n)
				}
				w.Env = env
				w.ClearFaults()
				w.Provider(nil).AssertNoChanges(now, base())
				if name == "start passed" {
					return
				}
				next, diags := w.Provider(nil).Change(now, pl.Config)
				diags.Must(t)
				if next.Text("id") == o.Text("id") {
					t.Errorf("the next apply created no session: %v", next.Attrs())
				}
			})
		})
	}
}

// TestRulesThatOnlyTheApplyKnows: an unknown input turns out to need a source.
func TestRulesThatOnlyTheApplyKnows(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	o := imported(t, w, w.Provider(once), matchRecord)
	pl := change(t, w.Provider(once), o, base().With(config{"input": acctest.Unknown}))
	pl.Config = base().With(config{"input": "RTMP_PULL"})
	now, diags := w.Provider(once).Apply(pl)
	if !diags.Failed() || !strings.Contains(diags.String(), "input_source_a") || !now.State.Equal(o.State) {
		t.Errorf("%v: %s", now.Attrs(), diags)
	}
	w.AssertCalls(t, simulator.CallCreateSession, 0)
}

// TestLostCreateOfAChange: the state keeps the session that it has, and the text says how to import
// the new one.
func TestLostCreateOfAChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o := imported(t, w, w.Provider(once), matchRecord)
		pl := change(t, w.Provider(once), o, base().With(config{"name": "other"}))
		w.Fail(simulator.Fault{Call: simulator.CallCreateSession, BreakAfter: true})
		now, diags := w.Provider(once).Apply(pl)
		if !now.State.Equal(o.State) || now.Tainted {
			t.Errorf("the state is not as it was: %v", now.Attrs())
		}
		created := w.Sessions()[1].ID
		for _, want := range []string{"The live session may have been created", "The state still has live session " + o.Text("id"), "first run `terraform state rm`", block(created)} {
			if !strings.Contains(diags.String(), want) {
				t.Errorf("the diagnostics lack %q: %s", want, diags)
			}
		}
		taken, diags := w.Provider(once).Import(resourceType, created)
		diags.Must(t)
		w.Provider(once).AssertNoChanges(taken, pl.Config)
	})
}

// notReady has every GET of a session show it as on its way, where it is ready.
var notReady = simulator.Fault{Call: simulator.CallGetSession, Rewrite: func(body []byte) []byte {
	return bytes.ReplaceAll(body, []byte("READY"), []byte("PROVISIONING"))
}}

// TestNewSessionThatIsNotReady: an update has created a session that did not become ready: in time,
// before an interrupt, or at all. The state keeps the session that it has, and no other session is
// made beside the new one while that may become ready.
func TestNewSessionThatIsNotReady(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status  string // that the new session has by the next plan
		refresh bool
		next    config
		action  acctest.Action
		creates int // after the next apply
		final   string
		warned  bool // of the session that is left behind
	}{
		"ready by then":            {"READY", true, nil, acctest.Update, 1, "READY", false},
		"ready, without a refresh": {"READY", false, nil, acctest.Update, 1, "READY", false},
		"on its way":               {"PROVISIONING", true, nil, acctest.Update, 1, "READY", false},
		"ended":                    {"ERROR", true, nil, acctest.Update, 2, "READY", false},
		"ended, without a refresh": {"ERROR", false, nil, acctest.Update, 2, "READY", false},
		"ended, as asked for":      {"STOPPED", true, config{"wait_for_status": []any{"STOPPED"}}, acctest.Update, 1, "STOPPED", false},
		"not waited for any more":  {"PROVISIONING", true, config{"wait_for_status": []any{}}, acctest.Update, 1, "PROVISIONING", false},
		"on its way, changed":      {"PROVISIONING", true, config{"name": "third"}, acctest.Update, 2, "READY", true},
		"reverted":                 {"PROVISIONING", true, config{"name": "match"}, acctest.NoOp, 1, "READY", true},
		"ended, and reverted":      {"ERROR", true, config{"name": "match"}, acctest.NoOp, 1, "READY", false},
	} {
		for _, how := range []string{"time limit", "interrupt"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
					o := imported(t, w, w.Provider(once), matchRecord)
					changed := base().With(config{"name": "other"})
					w.Fail(notReady)
					p, cancel := w.Provider(once).WithCancel()
					defer cancel()
					text := "The live session was not ready in time"
					if how == "interrupt" {
						text = "Waiting for the live session was interrupted"
						time.AfterFunc(10*time.Second, cancel)
					}
					now, diags := p.Change(o, changed)
					w.ClearFaults()
					created := w.Sessions()[1]
					if !diags.Failed() || now.Tainted || !now.State.Equal(o.State) {
						t.Fatalf("the state has %v: %s", now.Attrs(), diags)
					}
					for _, want := range []string{text, "Live session " + created.ID, "The next apply with the same arguments waits for it again", "The state still has live session " + o.Text("id")} {
						if !strings.Contains(diags.String(), want) {
							t.Errorf("the diagnostics lack %q: %s", want, diags)
						}
					}
					w.SetStatus(created.ID, tt.status)
					given := changed.With(tt.next)
					if tt.refresh {
						now, diags = w.Provider(once).Read(now)
						diags.Must(t)
					}
					pl := w.Provider(once).Plan(now, given)
					pl.Diags.Must(t)
					if pl.Action != tt.action {
						t.Fatalf("the next plan is to %s", pl.Action)
					}
					for what, want := range map[string]bool{
						"The apply waits for live session " + created.ID:                   tt.creates == 1 && !tt.warned && tt.action == acctest.Update || tt.status == "ERROR" && !tt.refresh,
						"Live session " + created.ID + " (\"other\") keeps running beside": tt.warned,
					} {
						if strings.Contains(pl.Diags.String(), what) != want {
							t.Errorf("the plan says %q: %t, want %t: %s", what, !want, want, pl.Diags)
						}
					}
					if tt.creates == 1 && tt.final != tt.status {
						time.AfterFunc(time.Minute, func() { w.SetStatus(created.ID, tt.final) })
					}
					now, diags = w.Provider(once).Apply(pl)
					diags.Must(t)
					moved := tt.creates == 1 && tt.action == acctest.Update
					if now.Text("status") != tt.final || w.Count(simulator.CallCreateSession) != tt.creates || (now.Text("id") == created.ID) != moved {
						t.Errorf("%d creates, the state has %v", w.Count(simulator.CallCreateSession), now.Attrs())
					}
					if tt.warned {
						if pl := w.Provider(once).Plan(now, given); pl.Action != acctest.NoOp || !strings.Contains(pl.Diags.String(), created.ID) {
							t.Errorf("the plan after that says nothing of session %s: %s", created.ID, pl.Diags)
						}
						w.SetStatus(created.ID, "STOPPED")
						now, diags = w.Provider(once).Read(now)
						diags.Must(t)
					}
					w.Provider(once).AssertNoChanges(now, given)
					w.SetStatus(now.Text("id"), "STOPPED") // later, as every session ends
					w.Provider(once).AssertNoChanges(now, given)
				})
			})
		}
	}
}

// TestChangeThatEnds: the new session of an update ends before it is ready. The state keeps the one
// that it has, and reverting creates nothing.
func TestChangeThatEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"PENDING", "ERROR"}})
		o := imported(t, w, w.Provider(once), matchRecord)
		now, diags := w.Provider(once).Change(o, base().With(config{"name": "other"}))
		if !diags.Failed() || !now.State.Equal(o.State) || !strings.Contains(diags.String(), "The live session ended in a final status") ||
			!strings.Contains(diags.String(), "The state still has live session "+o.Text("id")) {
			t.Errorf("%v: %s", now.Attrs(), diags)
		}
		w.Provider(once).AssertNoChanges(now, base())
		w.AssertCalls(t, simulator.CallCreateSession, 1)
	})
}

// TestInterruptedCreate: the state has the session, untainted, and the next apply waits for it. Its
// plan opens only what can still come.
func TestInterruptedCreate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status  string
		refresh bool
		next    config
		action  acctest.Action
		creates int
	}{
		"ready by then":            {"READY", true, nil, acctest.NoOp, 1},
		"ready, without a refresh": {"READY", false, nil, acctest.Update, 1},
		"on its way":               {"PROVISIONING", true, nil, acctest.Update, 1},
		"ended":                    {"ERROR", true, nil, acctest.Update, 2},
		"changed":                  {"PROVISIONING", true, config{"name": "other"}, acctest.Update, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				w.Fail(notReady)
				p, cancel := w.Provider(once).WithCancel()
				defer cancel()
				time.AfterFunc(10*time.Second, cancel)
				o, diags := p.Create(resourceType, base())
				w.ClearFaults()
				ended{state: true, sessions: 1, creates: 1, texts: []string{
					"warning : Waiting for the live session was interrupted", "Live session {id} was created; its last status seen was PROVISIONING", "The next apply waits for it again",
				}}.check(t, w.Server, result(o, diags))
				id := o.Text("id")
				w.SetStatus(id, tt.status)
				if tt.refresh {
					o, diags = w.Provider(once).Read(o)
					diags.Must(t)
				}
				given := base().With(tt.next)
				pl := w.Provider(once).Plan(o, given)
				pl.Diags.Must(t)
				if pl.Action != tt.action {
					t.Fatalf("the next plan is to %s: %s", pl.Action, pl.Diags)
				}
				if waits := strings.Contains(pl.Diags.String(), "The apply waits for live session "+id); waits != (tt.creates == 1 && tt.action == acctest.Update) {
					t.Errorf("the plan: %s", pl.Diags)
				}
				if tt.status == "PROVISIONING" {
					time.AfterFunc(time.Minute, func() { w.SetStatus(id, "READY") })
				}
				o, diags = w.Provider(once).Apply(pl)
				diags.Must(t)
				if w.Count(simulator.CallCreateSession) != tt.creates || (o.Text("id") == id) != (tt.creates == 1) || o.Text("status") != "READY" {
					t.Errorf("%d creates, the state has %v", w.Count(simulator.CallCreateSession), o.Attrs())
				}
				w.SetStatus(id, "STOPPED") // a plan warns of one that was left behind until it has ended
				o, diags = w.Provider(once).Read(o)
				diags.Must(t)
				w.Provider(once).AssertNoChanges(o, given)
			})
		})
	}
}

// TestReplaceReplaces: what the user asks for is done, also while a value is not known.
func TestReplaceReplaces(t *testing.T) {
	t.Parallel()
	for name, unknown := range map[string]config{"known": nil, "not known": {"region": acctest.Unknown}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				o := imported(t, w, w.Provider(once), matchRecord)
				pl := w.Provider(once).PlanReplace(o, base().With(unknown))
				pl.Diags.Must(t)
				pl.Config = base()
				now, diags := w.Provider(once).Apply(pl)
				diags.Must(t)
				if now.Text("id") == o.Text("id") || w.Count(simulator.CallCreateSession) != 1 {
					t.Errorf("the session was not replaced: %v", now.Attrs())
				}
				if want := "Live session " + o.Text("id"); !strings.Contains(diags.String(), want) || !strings.Contains(diags.String(), "was removed from the state, but keeps running") {
					t.Errorf("the old session is not named: %s", diags)
				}
			})
		})
	}
}

// TestEndpointsShownLater: one apply fills in what the state did not have.
func TestEndpointsShownLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o, diags := w.Provider(once).Create(resourceType, base().With(config{"endpoints_in_state": false}))
		diags.Must(t)
		for name, shown := range map[string]any{"true": true, "by default": nil} {
			pl := change(t, w.Provider(once), o, base().With(config{"endpoints_in_state": shown}))
			w.ResetJournal()
			now, diags := w.Provider(once).Apply(pl)
			diags.Must(t)
			if now.Text("input_endpoint_a") == "" || now.Text("id") != o.Text("id") {
				t.Errorf("%s: the state has %v", name, now.Attrs())
			}
			if calls := w.Journal(); len(calls) != 1 || calls[0].Call != simulator.CallGetSession {
				t.Errorf("%s:\n%s", name, w.JournalText())
			}
			w.Provider(once).AssertNoChanges(now, pl.Config)
			w.Fail(simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusForbidden})
			if now, diags := w.Provider(once).Apply(pl); !diags.Failed() || !now.State.Equal(o.State) {
				t.Errorf("%s: %v: %s", name, now.Attrs(), diags)
			}
			w.ClearFaults()
		}
	})
}

const protectedText = "error : The live session is protected from deletion: Live session "

func TestDeletionProtection(t *testing.T) {
	t.Parallel()
	on, off := config{"deletion_protection": true}, config{"deletion_protection": false}
	w := acctest.NewWorld(t, simulator.Options{})
	d := w.Provider(nil)
	o, diags := d.Change(imported(t, w, d, matchRecord), base().With(on))
	diags.Must(t)
	before := len(w.Journal())
	for name, tt := range map[string]struct {
		config config
		what   string
	}{
		"destroy, or no block":          {nil, "remove it from the state"},
		"replace":                       {base().With(on).With(config{"mode": "HA"}), "create a new session in its place because of `mode`"},
		"replace on status":             {base().With(on).With(config{"replace_on_status": []any{"READY"}}), "create a new session in its place because of `replace_on_status`"},
		"one change known, one unknown": {base().With(on).With(config{"name": "other", "region": acctest.Unknown}), "create a new session in its place because of `name` and `region`"},
	} {
		text := d.Plan(o, tt.config).Diags.String()
		for _, want := range []string{protectedText + o.Text("id"), "this plan would " + tt.what, "set `deletion_protection = false`"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the diagnostics lack %q: %s", name, want, text)
			}
		}
	}
	// What is not known may be unchanged. The apply refuses it otherwise, before it makes a
	// request.
	unknown := base().With(on).With(config{"region": acctest.Unknown, "input_preset": config{"bitrate": acctest.Unknown}})
	pl := change(t, d, o, unknown)
	if text := pl.Diags.String(); !strings.Contains(text, "A new live session may be created") {
		t.Errorf("the plan does not say what may happen: %s", text)
	}
	pl.Config = base().With(on)
	if now, diags := d.Apply(pl); diags.Failed() || !now.State.Equal(o.State) || strings.Contains(diags.String(), "was replaced in the state") {
		t.Errorf("%v: %s", now.Attrs(), diags)
	}
	pl = change(t, d, o, unknown.With(config{"wait_for_status": []any{}}))
	pl.Config = base().With(on).With(config{"region": "us-east-1", "wait_for_status": []any{}})
	if now, diags := d.Apply(pl); !now.State.Equal(o.State) || !strings.Contains(diags.String(), protectedText) {
		t.Errorf("%v: %s", now.Attrs(), diags)
	}
	// The plan of a tainted session does not see its state. The apply does.
	tainted := o
	tainted.Tainted = true
	pl = d.Plan(tainted, base().With(on))
	pl.Diags.Must(t)
	if now, diags := d.Apply(pl); !now.Tainted || !now.State.Equal(o.State) || !strings.Contains(diags.String(), "`terraform untaint`") {
		t.Errorf("%v: %s", now.Attrs(), diags)
	}
	if now, diags := d.DestroyUnplanned(o); !now.State.Equal(o.State) || !strings.Contains(diags.String(), protectedText) {
		t.Errorf("without a plan: %v: %s", now.Attrs(), diags)
	}
	if calls := len(w.Journal()) - before; calls > 1 { // the list of regions
		t.Errorf("%d calls were made:\n%s", calls, w.JournalText())
	}
	// A plan that lifts it may make the change, too.
	for name, c := range map[string]config{"name": {"name": "other"}, "replace_on_status": {"replace_on_status": []any{"READY"}}} {
		if text := change(t, d, o, base().With(off).With(c)).Diags.String(); !strings.Contains(text, "A new live session will be created") {
			t.Errorf("%s with the lift: %s", name, text)
		}
	}
	// Lifted, in place, it may go.
	o, diags = d.Change(o, base().With(off))
	diags.Must(t)
	if o, diags = d.Destroy(o); o.Exists() || diags.Failed() {
		t.Error(diags)
	}
}

// TestProtectionBeginsWithSuccess: a session whose create failed can be replaced and destroyed.
func TestProtectionBeginsWithSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"ERROR"}})
		given := base().With(config{"deletion_protection": true})
		o, diags := w.Provider(once).Create(resourceType, given)
		if !o.Tainted || !diags.Failed() {
			t.Fatal(diags)
		}
		again, diags := w.Provider(once).Change(o, given)
		if again.Text("id") == o.Text("id") {
			t.Errorf("the tainted session was not replaced: %s", diags)
		}
		if o, diags := w.Provider(once).Destroy(again); o.Exists() || diags.Failed() {
			t.Error(diags)
		}
		kept, diags := w.Provider(once).Change(again.Untainted(), given)
		diags.Must(t)
		if _, diags = w.Provider(once).Destroy(kept); !diags.Failed() {
			t.Error("a session that was untainted is not protected")
		}
	})
}

// TestPlannedNull: what can never apply to a session is known to be null.
func TestPlannedNull(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	d := w.Provider(nil)
	second := []string{"input_endpoint_b", "output_endpoint_b", "sub_domain_b", "elastic_ip_b"}
	endpoints := []string{"input_endpoint_a", "input_endpoint_b", "output_endpoint_a", "output_endpoint_b"}
	for name, tt := range map[string]struct {
		config config
		null   []string
	}{
		"one pipeline":       {base(), second},
		"two pipelines":      {base().With(config{"mode": "HA"}), nil},
		"mode not known":     {base().With(config{"mode": acctest.Unknown}), nil},
		"pull in, push out":  {pullPushConfig().With(config{"scheduled_at": "2931-05-17 20:15"}), endpoints},
		"none in the state":  {base().With(config{"mode": "HA", "endpoints_in_state": false}), endpoints},
		"perhaps none in it": {base().With(config{"mode": "HA", "endpoints_in_state": acctest.Unknown}), nil},
	} {
		for from, prior := range map[string]acctest.Instance{
			"created": d.New(resourceType), "replaced": imported(t, w, d, simulator.SessionRecord{Name: "earlier", Region: "eu-central-1", Mode: "HA"}),
		} {
			pl := d.Plan(prior, tt.config)
			pl.Diags.Must(t)
			for _, attribute := range slices.Concat(second, endpoints) {
				want := any(acctest.Unknown)
				if slices.Contains(tt.null, attribute) {
					want = nil
				}
				if got := pl.Attrs()[attribute]; got != want {
					t.Errorf("%s, %s: %s is planned as %v, want %v", name, from, attribute, got, want)
				}
			}
		}
	}
}

// TestIgnoredArgumentIsNotSent: with ignore_changes, the configuration has another value than the
// plan, which counts.
func TestIgnoredArgumentIsNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o := imported(t, w, w.Provider(once), matchRecord)
		pl := w.Provider(once).PlanIgnoring(o, base().With(config{"name": "ignored", "mode": "HA"}), "name")
		pl.Diags.Must(t)
		now, diags := w.Provider(once).Apply(pl)
		diags.Must(t)
		if made := w.Sessions()[1]; made.Name != "match" || now.Text("name") != "match" {
			t.Errorf("the service has %q, the state %q", made.Name, now.Text("name"))
		}
	})
}

// TestEndpointsShownWhileTheStatusChanges: the read for them changes nothing else that the plan
// knew.
func TestEndpointsShownWhileTheStatusChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o, diags := w.Provider(once).Create(resourceType, base().With(config{"endpoints_in_state": false}))
		diags.Must(t)
		pl := change(t, w.Provider(once), o, base())
		w.SetStatus(o.Text("id"), "STOPPING")
		now, diags := w.Provider(once).Apply(pl)
		diags.Must(t)
		if now.Text("status") != o.Text("status") || now.Text("input_endpoint_a") == "" {
			t.Errorf("the state has %v", now.Attrs())
		}
	})
}

// TestAnotherURLWhileMoving: only the version says that a write-only URL is another one, so moving
// it to the plain argument creates nothing. The next GET shows which URL the session has.
func TestAnotherURLWhileMoving(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o, diags := w.Provider(once).Create(resourceType, writeOnly)
		diags.Must(t)
		other := plainly.With(config{"input_source_a": "rtmp://a.example.com/in/Key-of-c"})
		moved, diags := w.Provider(once).Change(o, other)
		if len(diags) > 0 || moved.Text("id") != o.Text("id") {
			t.Fatalf("the move made %s: %s", moved.Text("id"), diags)
		}
		p := w.Provider(once)
		read, diags := p.Read(moved)
		diags.Must(t)
		if pl := p.Plan(read, other); !strings.Contains(pl.Diags.String(), "A new live session will be created") {
			t.Errorf("the URL that was never sent: %s", pl.Diags)
		}
		p.AssertNoChanges(read, plainly)
	})
}

// TestUnknownWaitForASessionThatIsNotReady: what to wait for is known at apply.
func TestUnknownWaitForASessionThatIsNotReady(t *testing.T) {
	t.Parallel()
	for status, then := range map[string]config{
		"PROVISIONING": {"wait_for_status": []any{"PROVISIONING"}}, "READY": {"wait_for_status": []any{"READY"}}, "ERROR": {"wait_for_status": []any{"READY"}},
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				o := imported(t, w, w.Provider(once), matchRecord)
				given := base().With(config{"name": "other"})
				w.Fail(simulator.Fault{Call: simulator.CallGetSession, Rewrite: func(body []byte) []byte {
					return bytes.ReplaceAll(body, []byte("READY"), []byte("PROVISIONING"))
				}})
				o, _ = w.Provider(once).Change(o, given)
				w.ClearFaults()
				w.SetStatus(w.Sessions()[1].ID, status)
				o, diags := w.Provider(once).Read(o)
				diags.Must(t)
				pl := w.Provider(once).Plan(o, given.With(config{"wait_for_status": acctest.Unknown}))
				pl.Diags.Must(t)
				pl.Config = given.With(then)
				_, diags = w.Provider(once).Apply(pl)
				diags.Must(t)
				if creates := w.Count(simulator.CallCreateSession); (creates == 2) != (status == "ERROR") {
					t.Errorf("%d sessions were created", creates)
				}
			})
		})
	}
}

// TestWaitingAgainWithWriteOnlyURLs: what the state must not have is not taken for another value.
func TestWaitingAgainWithWriteOnlyURLs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
		o, diags := w.Provider(once).Create(resourceType, writeOnly)
		diags.Must(t)
		given := writeOnly.With(config{"name": "other"})
		w.Fail(simulator.Fault{Call: simulator.CallGetSession, Rewrite: func(body []byte) []byte {
			return bytes.ReplaceAll(body, []byte("READY"), []byte("PROVISIONING"))
		}})
		o, _ = w.Provider(once).Change(o, given)
		w.ClearFaults()
		o, diags = w.Provider(once).Change(o, given) // without a refresh
		if diags.Failed() || o.Text("status") != "READY" || len(w.Sessions()) != 2 || o.Text("id") != w.Sessions()[1].ID {
			t.Errorf("%v: %s", o.Attrs(), diags)
		}
		checkNoURL(t, o)
	})
}

// TestNewSessionForOneThatEnded is announced by the plan, too, though nothing is left running.
func TestNewSessionForOneThatEnded(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	ended := matchRecord
	ended.Status = "ERROR"
	o := imported(t, w, w.Provider(once), ended)
	for _, changes := range []config{{"name": "other"}, {"replace_on_status": []any{"ERROR"}}} {
		text := change(t, w.Provider(once), o, base().With(changes)).Diags.String()
		if !strings.Contains(text, "A new live session will be created") || strings.Contains(text, "keeps running") {
			t.Error(text)
		}
	}
}

// TestReplaceAndDestroy looks at what the user is told, and that the service is told nothing.
func TestReplaceAndDestroy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
		o := imported(t, w, w.Provider(nil), matchRecord)
		lacks := func(diags acctest.Diagnostics, texts ...string) {
			t.Helper()
			for _, text := range texts {
				if !strings.Contains(diags.String(), text) {
					t.Errorf("the diagnostics lack %q: %s", text, diags)
				}
			}
		}
		running := "Live session " + o.Text("id") + ` ("match", status READY) `
		pl := change(t, w.Provider(nil), o, base().With(config{"input_preset": config{"resolution": "SD"}}))
		lacks(pl.Diags, "because of `input_preset`, since the service has no call to change a session", running+"keeps running")
		o, diags := w.Provider(nil).Apply(pl)
		diags.Must(t)
		lacks(diags, running+"was replaced in the state by")
		if sessions := w.Sessions(); len(sessions) != 2 || o.Text("id") != sessions[1].ID {
			t.Fatalf("the state has %s, the service %v", o.Text("id"), sessions)
		}

		pl = w.Provider(nil).Plan(o, nil)
		pl.Diags.Must(t)
		lacks(pl.Diags, "Live session "+o.Text("id")+` ("match", status READY) will be removed from the state, but keeps running`)
		w.SetStatus(o.Text("id"), "STOPPED")
		o, diags = w.Provider(nil).Read(o)
		diags.Must(t)
		o, diags = w.Provider(nil).Destroy(o)
		if diags.Must(t); o.Exists() || strings.Contains(diags.String(), "keeps running") {
			t.Errorf("a session that has ended is said to go on: %s", diags)
		}
		if n := len(w.Sessions()); n != 2 {
			t.Errorf("the service has %d sessions, want both", n)
		}
	})
}

// TestTimeLimitOfAnUpdate: an update has its own limit, and that of a create without one.
func TestTimeLimitOfAnUpdate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limits config
		ready  bool
		text   string
	}{
		"its own":            {config{"create": "3s", "update": "40s"}, true, ""},
		"its own, shorter":   {config{"create": "40s", "update": "3s"}, false, "when `timeouts.update` ended after 3s"},
		"that of the create": {config{"create": "3s"}, false, "when `timeouts.create` ended after 3s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{ReadyAfter: 10 * time.Second})
				o := imported(t, w, w.Provider(once), matchRecord)
				now, diags := w.Provider(once).Change(o, base().With(config{"name": "other", "timeouts": tt.limits}))
				if diags.Failed() == tt.ready || (now.Text("id") != o.Text("id")) != tt.ready || !strings.Contains(diags.String(), tt.text) {
					t.Errorf("%v: %s", now.Attrs(), diags)
				}
			})
		})
	}
}

// TestLeavingAScheduledSession: the warning tells when the old session will run.
func TestLeavingAScheduledSession(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	record := matchRecord
	record.IsScheduled, record.Timezone, record.ScheduledAt, record.Status = true, "Europe/Berlin", "2931-05-17 20:15", "SCHEDULED"
	o := imported(t, w, w.Provider(once), record)
	given := base().With(config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2931-05-17 20:15"})
	pl := change(t, w.Provider(once), o, given.With(config{"scheduled_at": "2931-05-18 20:15"}))
	for _, want := range []string{"in place of " + o.Text("id") + ` ("match"):`, "stays scheduled for 2931-05-17 20:15 (Europe/Berlin)", "`change.after_unknown.id`"} {
		if !strings.Contains(pl.Diags.String(), want) {
			t.Errorf("the plan lacks %q: %s", want, pl.Diags)
		}
	}
}
