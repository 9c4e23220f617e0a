package livesession_test

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// shows has the service show each text as another one, whatever it is asked.
func shows(w *acctest.World, texts map[string]string) {
	for _, call := range []string{simulator.CallCreateSession, simulator.CallGetSession, simulator.CallListSessions} {
		w.Fail(simulator.Fault{Call: call, Rewrite: func(body []byte) []byte {
			for from, to := range texts {
				body = bytes.ReplaceAll(body, []byte(from), []byte(to))
			}
			return body
		}})
	}
}

var (
	scheduledPull = config{
		"name": "match", "region": "eu-central-1", "input": "RTMP_PULL", "mode": "NORM", "output_mode": "RTMPS_PUSH",
		"input_preset":   config{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
		"input_source_a": "rtmp://a.example.com/in/Key1", "output_destination_a": "rtmps://b.example.com/out/Key2",
		"is_scheduled": true, "timezone": "Asia/Kolkata", "scheduled_at": "2931-05-17 20:15",
	}
	// spellings are other ways to write the values above.
	spellings = map[string]string{
		`"eu-central-1"`: `"EU-CENTRAL-1"`, `"RTMP_PULL"`: `"rtmp_pull"`, `"NORM"`: `"norm"`, `"RTMPS_PUSH"`: `"Rtmps_Push"`,
		`"H264"`: `"h264"`, `"HD"`: `"hd"`, `"MAX_10_MBPS"`: `"max_10_mbps"`,
		"rtmp://a.example.com/in/Key1": "RTMP://A.example.com:1935/in/Key1", "rtmps://b.example.com/out/Key2": "rtmps://b.example.com:443/out/Key2",
		"Asia/Kolkata": "Asia/Calcutta", "2931-05-17 20:15": "2931-05-17T20:15:00",
	}
)

// TestOtherSpellingAfterCreate: a service that stores values in another spelling causes no
// difference and no warning.
func TestOtherSpellingAfterCreate(t *testing.T) {
	t.Parallel()
	for from, to := range spellings {
		bubble.Run(t, to, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			shows(w, map[string]string{from: to})
			o, diags := w.Provider(once).Create(resourceType, scheduledPull)
			if len(diags) > 0 {
				t.Fatal(diags.String())
			}
			checkEmptyPlan(t, w, o, scheduledPull)
		})
	}
}

// TestNamesWithFormatCharacters: a name keeps its identity although the provider shows characters
// that are not seen as escapes.
func TestNamesWithFormatCharacters(t *testing.T) {
	t.Parallel()
	const name = "\u200fשידור\u200b soft\u00adhyphen"
	c := base().With(config{"name": name})
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		named := func(id string) string {
			i := slices.IndexFunc(w.Sessions(), func(s simulator.SessionRecord) bool { return s.ID == id })
			return w.Sessions()[i].Name
		}
		p := w.Provider(once)
		o, diags := p.Create(resourceType, c)
		if len(diags) > 0 || named(o.Text("id")) != name {
			t.Errorf("create: %s", diags)
		}
		checkEmptyPlan(t, w, o, c)

		o, diags = p.Import(resourceType, o.Text("id"))
		diags.Must(t)
		p.AssertNoChanges(o, c)
		if found := names(t, p, config{"name": name}); len(found) != 1 {
			t.Errorf("the filter finds %q", found)
		}
		p = w.Provider(once) // the next run
		o, diags = p.Read(o)
		diags.Must(t)
		changed := c.With(config{"mode": "HA"})
		o, diags = p.Change(o, changed)
		if diags.Failed() || named(o.Text("id")) != name {
			t.Errorf("replaced: %q, %s", named(o.Text("id")), diags)
		}

		w.Fail(simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true})
		_, diags = p.Create(resourceType, c.With(config{"region": "us-east-1"}))
		if !strings.Contains(diags.String(), "with exactly these arguments") || strings.Contains(diags.String(), "No session") {
			t.Errorf("lost: %s", diags)
		}
	})
}

// TestLongNamesAndURLs: what the provider could not read again is refused before a session has it.
func TestLongNamesAndURLs(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p, url := w.Provider(once), "rtmp://a.example.com/in/key?token="
	c := scheduledPull.With(config{"name": strings.Repeat("é", 512), "input_source_a": url + strings.Repeat("x", 16<<10-len(url))})
	o, diags := p.Create(resourceType, c)
	if len(diags) > 0 {
		t.Error(diags)
	}
	checkEmptyPlan(t, w, o, c)
	for name, tt := range map[string][2]string{
		"name":           {strings.Repeat("é", 513), "length must be at most 1024, got: 1026"},
		"input_source_a": {url + strings.Repeat("x", 16<<10), "is longer than 16 KiB"},
	} {
		if text := p.Validate(resourceType, scheduledPull.With(config{name: tt[0]})).String(); !strings.Contains(text, tt[1]) || strings.Contains(text, "xxx") {
			t.Errorf("%s: %.300s", name, text)
		}
	}
}

// TestPorts: url.Parse accepts ports that no host has.
func TestPorts(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	for authority, problem := range map[string]string{
		"a.example.com:1935:1935": "has two ports", "a.example.com:99999": "has the port 99999", "a.example.com:0": "has the port 0", "::1:1935": "has two ports",
		"a.example.com:99999999999999999999": "has a port of 20 digits", "a.example.com:": "", "[::1]:1935": "", "a.example.com:65535": "",
	} {
		text := w.Provider(once).Validate(resourceType, scheduledPull.With(config{"input_source_a": "rtmp://" + authority + "/in/stream-key"})).String()
		if (problem == "") != (text == "") || !strings.Contains(text, problem) || strings.Contains(text, "stream-key") {
			t.Errorf("%s: %s", authority, text)
		}
	}
}

// TestRendition: what the service shows in place of a configured value is told once, and only a
// change of it is drift.
func TestRendition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, from, to, said, later string }{
		{"name", `"match"`, `"match (1)"`, `name: configured "match", shown "match (1)"`, `"other"`},
		{"input_preset", `"HD"`, `"720P"`, "input_preset: configured", `"SD"`},
		{"input_source_a", "/in/Key1", "/in/Key1?v=2", "input_source_a (sensitive, so not shown)", "/in/Key9"},
		{"input", `"RTMP_PULL"`, `"PULL"`, `input: configured "RTMP_PULL", shown "PULL"`, `"RTMPS_PULL"`},
		{"enable_input_record", `"enable_input_record":false`, `"enable_input_record":true`, "enable_input_record: configured false, shown true", ""},
	} {
		bubble.Run(t, tt.name, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			changed := map[string]string{tt.from: tt.to}
			shows(w, changed)
			d := w.Provider(once)
			o, diags := d.Create(resourceType, scheduledPull)
			diags.Must(t)
			text := diags.String()
			if !strings.Contains(text, "The service stored other values than configured") || !strings.Contains(text, tt.said) || strings.Contains(text, "rtmp://") {
				t.Errorf("said: %s", text)
			}
			if o.Text("input_source_a") == "" {
				t.Error("input_source_a is null")
			}
			o = checkEmptyPlan(t, w, o, scheduledPull)
			if tt.later == "" {
				return
			}
			changed[tt.from] = tt.later
			d = w.Provider(once)
			o, diags = d.Read(o)
			diags.Must(t)
			if planned := d.Plan(o, scheduledPull); planned.Action != acctest.Update {
				t.Error("a later change is not shown as drift")
			}
		})
	}
}

// TestListingRendersDifferently: a value that the listing and the GET show differently is no drift,
// whichever of them a session was first read from. A value that both show differently is.
func TestListingRendersDifferently(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, from, to string }{
		{"name", `"match"`, `"match (1)"`},
		{"input_preset", `"HD"`, `"SD"`},
		{"input_source_a", "/in/Key1", "/in/Key1?v=2"},
		{"enable_input_record", `"enable_input_record":false`, `"enable_input_record":true`},
	} {
		for _, made := range []string{"imported by GET", "imported from a page", "created", "created without waiting"} {
			bubble.Run(t, tt.name+" "+made, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				listed := tt.to
				w.Fail(simulator.Fault{Call: simulator.CallListSessions, Rewrite: func(body []byte) []byte {
					return bytes.ReplaceAll(body, []byte(tt.from), []byte(listed))
				}})
				c, d := scheduledPull, w.Provider(once)
				if made == "created without waiting" {
					c = c.With(config{"wait_for_status": []any{}})
				}
				o, diags := d.Create(resourceType, c)
				diags.Must(t)
				if strings.HasPrefix(made, "imported") {
					d = w.Provider(once)
					if made == "imported from a page" {
						names(t, d, nil)
					}
					o, diags = d.Import(resourceType, o.Text("id"))
					diags.Must(t)
					c = c.With(config{"enable_input_record": nil})
					for name := range c { // as Terraform generates it
						c[name] = o.Attrs()[name]
					}
				}
				for _, paged := range []bool{false, true, false} {
					d = w.Provider(once)
					if paged {
						names(t, d, nil)
					}
					if o, diags = d.Read(o); len(diags) > 0 {
						t.Error(diags)
					}
					if planned := d.Plan(o, c); planned.Action != acctest.NoOp {
						t.Fatalf("from a page: %v: %s of %v", paged, planned.Action, planned.Replaces)
					}
				}
				calls := len(w.Journal())
				if o, _ = w.Provider(once).Read(o); len(w.Journal()) != calls+1 {
					t.Errorf("the difference is looked into again:\n%s", w.JournalText())
				}

				// What both show differently is drift.
				later := strings.ReplaceAll(tt.from, "Key1", "Key9")
				later = strings.NewReplacer(`"match"`, `"other"`, `"HD"`, `"FULL_HD"`).Replace(later)
				if later == tt.from {
					return
				}
				listed = later
				w.Fail(simulator.Fault{Call: simulator.CallGetSession, Rewrite: func(body []byte) []byte {
					return bytes.ReplaceAll(body, []byte(tt.from), []byte(later))
				}})
				d = w.Provider(once)
				o, _ = d.Read(o)
				if planned := d.Plan(o, c); planned.Action != acctest.Update {
					t.Errorf("a change is not shown as drift: %s", planned.Action)
				}
			})
		}
	}
}

// checkEmptyPlan refreshes in other runs, by GET and from a page, and plans.
func checkEmptyPlan(t *testing.T, w *acctest.World, o acctest.Instance, c config) acctest.Instance {
	t.Helper()
	for range 2 {
		d := w.Provider(once)
		d.AssertNoChanges(o, c)
		was := o.Attrs()
		o, _ = d.Read(o)
		is := o.Attrs()
		for _, name := range slices.Sorted(maps.Keys(c)) {
			if !reflect.DeepEqual(was[name], is[name]) {
				t.Errorf("%s was %v and is %v after a refresh", name, was[name], is[name])
			}
		}
	}
	return o
}
