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

// gateway answers 404 to each GET of a session, as one does whose routes are being changed.
var gateway = simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusNotFound, Body: "<html><h1>404 Not Found</h1></html>"}

// TestGatewayHidesSessions: a 404 takes no session out of the state that the listing shows, and the
// listing is read once for all. Where it cannot be read, the 404 is an error.
func TestGatewayHidesSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		var states []acctest.Instance
		for range 6 {
			states = append(states, imported(t, w, w.Provider(once), matchRecord))
		}
		w.RemoveSession(states[5].Text("id"))
		w.Fail(gateway)
		w.ResetJournal()
		p := w.Provider(once)
		for i, o := range states {
			after, diags := p.Read(o)
			switch text := diags.String(); {
			case i == 5:
				if after.Exists() || !strings.Contains(text, "was not found") {
					t.Errorf("the session that is gone: %s", text)
				}
			case diags.Failed(), !after.State.Equal(o.State), i == 0 && !strings.Contains(text, "Live session "+o.Text("id")+" is listed, but was not found"):
				t.Errorf("%v: %s", after.Attrs(), text)
			}
		}
		w.AssertCalls(t, simulator.CallListSessions, 1)

		w.Fail(simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden})
		after, diags := w.Provider(once).Read(states[0])
		if !diags.Failed() || !after.State.Equal(states[0].State) || !strings.Contains(diags.String(), "It is not known whether the live session is gone") {
			t.Errorf("without a listing: %v: %s", after.Attrs(), diags)
		}
	})
}

// TestGatewayHidesWhatIsAskedFor: nothing says that there is no such session while the listing
// shows it.
func TestGatewayHidesWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		id := w.AddSession(matchRecord)
		w.Fail(gateway)
		asked := config{"id": id}
		_, data := w.Provider(once).DataSource("vodlive_live_session", asked)
		_, opened := w.Provider(once).Open(resourceType, asked)
		_, imports := w.Provider(once).Import(resourceType, id)
		for name, diags := range map[string]acctest.Diagnostics{"data source": data, "ephemeral resource": opened, "import": imports} {
			if !diags.Failed() || !strings.Contains(diags.String(), "is listed, but was not found") {
				t.Errorf("%s: %s", name, diags)
			}
		}
	})
}

// TestImportOfNoID: the error is about the id, whatever would be wrong with a request for it.
func TestImportOfNoID(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	for _, id := range []string{"", " ", ".", "..", "abc\n", "\tabc", "a\u202eb"} {
		_, diags := w.Provider(once).Import(resourceType, id)
		if text := diags.String(); !diags.Failed() || !strings.Contains(text, "The id to import is not that of a session") || strings.Contains(text, "proxy") {
			t.Errorf("%q: %s", id, text)
		}
		if id == "" {
			continue // the data source takes the name then
		}
		_, diags = w.Provider(once).DataSource("vodlive_live_session", config{"id": id})
		if !strings.Contains(diags.String(), "Invalid value: `id` is") {
			t.Errorf("data source, %q: %s", id, diags)
		}
	}
	if calls := w.Journal(); len(calls) > 0 {
		t.Errorf("%d calls", len(calls))
	}
}

// TestImportThatDiffers: a plan that imports a session makes no other one in its place.
func TestImportThatDiffers(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(nil)
	o, diags := p.Import(resourceType, w.AddSession(matchRecord))
	diags.Must(t)
	text := p.Plan(o, base().With(config{"name": "cups", "mode": "HA"})).Diags.String()
	for _, want := range []string{
		"error : The imported live session differs from the configuration", "Live session " + o.Text("id"),
		"`name`: the session has \"match\", the configuration \"cups\"", "`mode`: the session has \"NORM\", the configuration \"HA\"",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the diagnostics lack %q: %s", want, text)
		}
	}
	p.AssertNoChanges(o, base())
	change(t, p, o, base().With(config{"replace_on_status": []any{"ERROR"}})) // of the provider's own
	w.AssertCalls(t, simulator.CallCreateSession, 0)
	// The next run may change it.
	p = w.Provider(nil)
	o, diags = p.Read(o)
	diags.Must(t)
	if pl := p.Plan(o, base().With(config{"name": "cups"})); pl.Diags.Failed() {
		t.Error(pl.Diags)
	}
}

// TestImportWithUnknownArguments: what the plan of an import does not know may come out different.
// Then the apply, which is another process, sends nothing.
func TestImportWithUnknownArguments(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		unknown, comesOut config
		differs           bool
	}{
		"same":                 {config{"name": acctest.Unknown}, nil, false},
		"another name":         {config{"name": acctest.Unknown}, config{"name": "cups"}, true},
		"another part":         {config{"input_preset": config{"bitrate": acctest.Unknown}}, config{"input_preset": config{"bitrate": "MAX_20_MBPS"}}, true},
		"another way to stop":  {config{"replace_on_status": acctest.Unknown}, config{"replace_on_status": []any{"ERROR"}}, false},
		"a status of the set":  {config{"replace_on_status": acctest.Unknown}, config{"replace_on_status": []any{"READY"}}, true},
		"another input source": {config{"input": acctest.Unknown, "input_source_a": acctest.Unknown}, config{"input": "RTMP_PULL", "input_source_a": "rtmp://a.example.com/in/1"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			p := w.Provider(once)
			o, diags := p.Import(resourceType, w.AddSession(matchRecord))
			diags.Must(t)
			pl := p.Plan(o, base().With(tt.unknown))
			pl.Diags.Must(t)
			pl.Config = base().With(tt.comesOut)
			after, diags := w.Provider(once).Apply(pl)
			if failed := strings.Contains(diags.String(), "The imported live session differs from the configuration"); failed != tt.differs || diags.Failed() != tt.differs {
				t.Errorf("differs: %t, want %t: %s", failed, tt.differs, diags)
			}
			if after.Text("id") != o.Text("id") {
				t.Errorf("the state has %s, imported was %s", after.Text("id"), o.Text("id"))
			}
			w.AssertCalls(t, simulator.CallCreateSession, 0)
		})
	}
}

// TestBrokenResponsesWhileWaiting: a 2xx that is no JSON passes, as a 5xx does.
func TestBrokenResponsesWhileWaiting(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]simulator.Fault{
		"HTML":   {Body: "<html><title>Welcome</title></html>", Header: http.Header{"Content-Type": {"text/html"}}, Status: http.StatusOK},
		"empty":  {Body: " ", Status: http.StatusOK},
		"cut":    {Truncate: true},
		"server": {Status: http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{ReadyAfter: 40 * time.Second})
				fault.Call, fault.Times, fault.After = simulator.CallGetSession, 3, 1
				w.Fail(fault)
				fault.Call = simulator.CallListSessions
				w.Fail(fault)
				o, diags := w.Provider(config{"max_retries": 0}).Create(resourceType, base())
				if diags.Must(t); o.Text("status") != "READY" {
					t.Errorf("the status is %s", o.Text("status"))
				}
			})
		})
	}
}

// TestTwoSessionsOfOneName: after a change of a session, both may run.
func TestTwoSessionsOfOneName(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	for id, status := range map[string]string{"old": "READY", "new": "PROVISIONING", "ended": "STOPPED"} {
		w.AddSession(simulator.SessionRecord{ID: id, Name: "match", Status: status})
	}
	_, diags := w.Provider(once).DataSource(resourceType, config{"name": "match"})
	for _, want := range []string{"old (status READY)", "new (status PROVISIONING)", "Set `id` to the id of one of them"} {
		if !strings.Contains(diags.String(), want) {
			t.Errorf("the error lacks %q: %s", want, diags)
		}
	}
	read, diags := w.Provider(once).DataSource(resourceType, config{"name": "match", "statuses": []any{"READY"}})
	if diags.Must(t); read["id"] != "old" {
		t.Errorf("read %v", read["id"])
	}
}

// TestListedLate: what only the listing shows is waited for. If it does not come, a warning names
// what is null.
func TestListedLate(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]time.Duration{"in time": 15 * time.Second, "too late": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				until := time.Now().Add(late)
				w.Fail(simulator.Fault{Call: simulator.CallListSessions, Body: `{"data":{"Sessions":[]}}`, Match: func(*http.Request) bool { return time.Now().Before(until) }})
				start := time.Now()
				o, diags := w.Provider(once).Create(resourceType, base())
				diags.Must(t)
				took, missing := time.Since(start), strings.Contains(diags.String(), "warning : Some values of live session "+o.Text("id")) && strings.Contains(diags.String(), "`port`")
				if (o.Attrs()["port"] == nil) != (late > time.Minute) || missing != (late > time.Minute) || took > 35*time.Second {
					t.Errorf("after %s: %v: %s", took, o.Attrs(), diags)
				}
			})
		})
	}
}
