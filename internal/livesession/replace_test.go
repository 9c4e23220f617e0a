package livesession_test

import (
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

// imported is a session with every argument in the state.
func imported(t *testing.T, w *acctest.World, d *acctest.Provider, record simulator.SessionRecord) acctest.Instance {
	t.Helper()
	o, diags := d.Import(resourceType, w.AddSession(record))
	diags.Must(t)
	return o
}

// planned is the plan of a change, which must be a replacement.
func replacement(t *testing.T, d *acctest.Provider, o acctest.Instance, c config) *acctest.Plan {
	t.Helper()
	pl := d.Plan(o, c)
	pl.Diags.Must(t)
	if pl.Action != acctest.Replace {
		t.Fatalf("the plan is to %s", pl.Action)
	}
	return pl
}

// TestUnknownThatIsNoChange: a value that is not known while planning, and comes out as it was or in another spelling,
// keeps the session.
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
			pl := replacement(t, w.Provider(nil), o, all.With(tt.unknown))
			if text := pl.Diags.String(); !strings.Contains(text, "The live session may be replaced") || strings.Contains(text, "will be replaced") {
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
		pl := replacement(t, w.Provider(once), o, writeOnly.With(config{"urls_wo_version": acctest.Unknown, "input_source_a_wo": acctest.Unknown}))
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
	pl := replacement(t, w.Provider(nil), o, given.With(config{"name": acctest.Unknown}))
	pl.Config = given
	kept, diags := w.Provider(nil).Apply(pl)
	diags.Must(t)
	if kept.Text("id") != o.Text("id") || w.Count(simulator.CallCreateSession) != 0 {
		t.Errorf("the session was not kept: %v", kept.Attrs())
	}
}

// TestUnknownThatIsAChange: the session is replaced, and its id is in a text.
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
				pl := replacement(t, w.Provider(once), o, base().With(config{"region": acctest.Unknown, "replace_on_status": acctest.Unknown}))
				pl.Config = base().With(then)
				now, diags := w.Provider(once).Apply(pl)
				diags.Must(t)
				if now.Text("id") == o.Text("id") || w.Count(simulator.CallCreateSession) != 1 {
					t.Errorf("the session was not replaced: %v", now.Attrs())
				}
				if text := diags.String(); !strings.Contains(text, block(o.Text("id"))) {
					t.Errorf("the old session is not named: %s", text)
				}
			})
		})
	}
}

// TestUnknownsOfSeveral: sessions with other names keep their own, and no two share one.
func TestUnknownsOfSeveral(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	d := w.Provider(nil)
	var plans []*acctest.Plan
	configs := []config{base(), base().With(config{"name": "final"}), base().With(config{"wait_for_status": []any{"READY"}})}
	for _, c := range configs {
		o := imported(t, w, d, simulator.SessionRecord{Name: c["name"].(string), Region: "eu-central-1"})
		o, diags := d.Change(o, c)
		diags.Must(t)
		plans = append(plans, replacement(t, d, o, c.With(config{"region": acctest.Unknown})))
	}
	d = w.Provider(nil)
	for i, pl := range slices.Backward(plans) { // every Delete before every Create, in another order
		_, diags := d.ApplyDelete(pl)
		diags.Must(t)
		pl.Config = configs[i]
	}
	for i, pl := range plans {
		kept, diags := d.ApplyCreate(pl)
		diags.Must(t)
		if kept.Text("id") != pl.Prior.Text("id") {
			t.Errorf("resource %d had session %s and has %s", i, pl.Prior.Text("id"), kept.Text("id"))
		}
	}
	w.AssertCalls(t, simulator.CallCreateSession, 0)
}

// TestUnknownWithCreateBeforeDestroy: Create runs first and cannot know the session that it replaces. A session that is
// protected is kept.
func TestUnknownWithCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o := imported(t, w, w.Provider(once), matchRecord)
		pl := replacement(t, w.Provider(once), o, base().With(config{"region": acctest.Unknown}))
		if text := pl.Diags.String(); !strings.Contains(text, "With `create_before_destroy` the apply creates a new session in any case") {
			t.Error(text)
		}
		pl.Config, pl.CreateBeforeDestroy = base(), true
		now, diags := w.Provider(once).Apply(pl)
		diags.Must(t)
		if text := diags.String(); now.Deposed != nil || !strings.Contains(text, "Live session "+o.Text("id")) || !strings.Contains(text, "was removed from the state, but keeps running") {
			t.Errorf("%v: %s", now.Attrs(), text)
		}
	})
}

// refusals are what makes a replacement fail that was planned before.
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
	"wrong secret, regions checked": {
		config{"name": "other"},
		func(w *acctest.World) { w.Env["VODLIVE_SECRET_KEY"] = "wrong" },
		config{"max_retries": 0},
		"The service did not accept the credentials",
	},
	"no secret": {
		config{"name": "other"},
		func(w *acctest.World) { w.Env["VODLIVE_SECRET_KEY"] = "" }, once,
		"`secret_key`",
	},
	"service out of reach": {
		config{"name": "other"}, func(w *acctest.World) {
			w.Fail(simulator.Fault{Call: simulator.CallRegions, BreakBefore: true})
			w.Fail(simulator.Fault{Call: simulator.CallGetSession, BreakBefore: true})
		}, config{"max_retries": 0}, "GET",
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

// TestReplacementIsCheckedBeforeTheSessionIsForgotten applies saved plans that no longer hold.
func TestReplacementIsCheckedBeforeTheSessionIsForgotten(t *testing.T) {
	t.Parallel()
	for name, tt := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // it begins at 2000-01-01 00:00 UTC
				w := acctest.NewWorld(t, simulator.Options{})
				o := imported(t, w, w.Provider(nil), matchRecord)
				pl := replacement(t, w.Provider(nil), o, base().With(tt.change))
				env := maps.Clone(w.Env)
				tt.spoil(w)
				now, diags := w.Provider(tt.block).Apply(pl)
				text := diags.String()
				for _, want := range []string{"The live session was not replaced", "Live session " + o.Text("id"), tt.text} {
					if !strings.Contains(text, want) {
						t.Errorf("the diagnostics lack %q: %s", want, text)
					}
				}
				if !now.State.Equal(o.State) || now.Tainted || string(now.Private) != string(o.Private) {
					t.Errorf("the state is not as it was: %v", now.Attrs())
				}
				if n := len(w.Sessions()); n != 1 {
					t.Errorf("the service has %d sessions", n)
				}
				// Nothing of this blocks a destroy.
				pl = w.Provider(tt.block).Plan(now, nil)
				pl.Diags.Must(t)
				before := len(w.Journal())
				gone, diags := w.Provider(tt.block).Apply(pl)
				diags.Must(t)
				if gone.Exists() || len(w.Journal()) != before {
					t.Errorf("the destroy failed, or made a request:\n%s", w.JournalText())
				}
				w.Env = env
				w.ClearFaults()
			})
		})
	}
}

// TestRefusedCreateOfAReplacement: what no check can see.
func TestRefusedCreateOfAReplacement(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		planned, applied config
		first            bool // create_before_destroy
		fault            simulator.Fault
		state, tainted   bool
		texts            []string
	}{
		"refused": {
			planned: config{"name": "other"}, applied: config{"name": "other"},
			fault: simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusForbidden}, state: true, tainted: true,
			texts: []string{"Creating the live session failed", "is in the state again, as tainted", "`terraform untaint`"},
		},
		"refused, decided at apply": {
			planned: config{"name": acctest.Unknown}, applied: config{"name": "other"},
			fault: simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusForbidden}, state: true, tainted: true,
			texts: []string{"Creating the live session failed", "is in the state again, as tainted"},
		},
		"refused, create_before_destroy": {
			planned: config{"name": "other"}, applied: config{"name": "other"}, first: true,
			fault: simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusForbidden}, state: true,
			texts: []string{"Creating the live session failed"},
		},
		"answer lost": {
			planned: config{"name": "other"}, applied: config{"name": "other"},
			fault: simulator.Fault{Call: simulator.CallCreateSession, BreakAfter: true},
			texts: []string{"The live session may have been created", "was to be replaced. It is no longer in the state, but keeps running", "{block}"},
		},
		"region refused by the plan at apply": {
			planned: config{"region": acctest.Unknown}, applied: config{"region": "mars"},
			texts: []string{"The region is not allocated to the account", "was to be replaced. It is no longer in the state, but keeps running", "{block}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				o := imported(t, w, w.Provider(nil), matchRecord)
				pl := replacement(t, w.Provider(nil), o, base().With(tt.planned))
				pl.Config, pl.CreateBeforeDestroy = base().With(tt.applied), tt.first
				if tt.fault.Call != "" {
					w.Fail(tt.fault)
				}
				now, diags := w.Provider(config{"max_retries": 0}).Apply(pl)
				if !diags.Failed() {
					t.Error("the apply did not fail")
				}
				for _, want := range tt.texts {
					if want = strings.ReplaceAll(want, "{block}", block(o.Text("id"))); !strings.Contains(diags.String(), want) {
						t.Errorf("the diagnostics lack %q: %s", want, diags)
					}
				}
				if now.Exists() != tt.state || now.Tainted != tt.tainted || tt.state && !now.State.Equal(o.State) {
					t.Fatalf("exists %v, tainted %v: %v", now.Exists(), now.Tainted, now.Attrs())
				}
				w.ClearFaults()
				if tt.state { // the next apply can replace it, or keep it
					w.Provider(nil).AssertNoChanges(now.Untainted(), base())
					next, diags := w.Provider(nil).Change(now, pl.Config)
					diags.Must(t)
					if next.Text("id") == o.Text("id") || next.Tainted {
						t.Errorf("the next apply did not replace the session: %v", next.Attrs())
					}
				}
			})
		})
	}
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
		"replace":                       {base().With(on).With(config{"mode": "HA"}), "replace it because of `mode`"},
		"replace and lift at once":      {base().With(off).With(config{"name": "other"}), "replace it because of `name`"},
		"replace on status":             {base().With(on).With(config{"replace_on_status": []any{"READY"}}), "replace it because of `replace_on_status`"},
		"one change known, one unknown": {base().With(on).With(config{"name": "other", "region": acctest.Unknown}), "replace it because of `name` and `region`"},
	} {
		text := d.Plan(o, tt.config).Diags.String()
		for _, want := range []string{protectedText + o.Text("id"), "this plan would " + tt.what, "set `deletion_protection = false`"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the diagnostics lack %q: %s", name, want, text)
			}
		}
	}
	// What is not known is taken for unchanged, since it could not be changed.
	pl := d.Plan(o, base().With(on).With(config{"region": acctest.Unknown, "input_preset": config{"bitrate": acctest.Unknown}}))
	if pl.Diags.Must(t); pl.Action != acctest.NoOp || !strings.Contains(pl.Diags.String(), "The value of `region` and `input_preset` is not known yet") {
		t.Errorf("the plan is to %s %v: %s", pl.Action, pl.Replaces, pl.Diags)
	}
	pl = d.Plan(o, base().With(on).With(config{"region": acctest.Unknown, "wait_for_status": []any{}}))
	if pl.Diags.Must(t); pl.Action != acctest.Update {
		t.Errorf("the plan is to %s %v: %s", pl.Action, pl.Replaces, pl.Diags)
	}
	pl.Config = base().With(config{"region": "us-east-1", "wait_for_status": []any{}})
	if now, diags := d.Apply(pl); !now.State.Equal(o.State) || !strings.Contains(diags.String(), protectedText) {
		t.Errorf("%v: %s", now.Attrs(), diags)
	}
	// The plan of a tainted session does not see its state. The apply does.
	tainted := o
	tainted.Tainted = true
	pl = replacement(t, d, tainted, base().With(on))
	if now, diags := d.Apply(pl); !now.Tainted || !now.State.Equal(o.State) || !strings.Contains(diags.String(), "`terraform untaint`") {
		t.Errorf("%v: %s", now.Attrs(), diags)
	}
	if now, diags := d.DestroyUnplanned(o); !now.State.Equal(o.State) || !strings.Contains(diags.String(), protectedText) {
		t.Errorf("without a plan: %v: %s", now.Attrs(), diags)
	}
	if calls := len(w.Journal()) - before; calls > 1 { // the list of regions
		t.Errorf("%d calls were made:\n%s", calls, w.JournalText())
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
