package livesession_test

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

var importBlock = regexp.MustCompile(`import \{\s+to\s+= vodlive_live_session\.NAME\s+id\s+= "([^"]+)"`)

// applied is what an apply that creates a session leaves behind.
type applied struct {
	failed, state, tainted bool // state: the session is in the state

	id   any // in the state
	text string
}

func result(o acctest.Instance, diags acctest.Diagnostics) applied {
	return applied{diags.Failed(), o.Exists(), o.Tainted, o.Attrs()["id"], diags.String()}
}

// ended is what a create has to leave behind.
type ended struct {
	failed   bool
	state    bool // the session is in the state
	tainted  bool
	sessions int      // in the service
	creates  int      // requests
	texts    []string // in the output; {id} is that of the service's last session
	not      []string // not in it
}

func (e ended) check(t *testing.T, s *acctest.Server, got applied) {
	t.Helper()
	if got.failed != e.failed {
		t.Fatalf("failed %v, want %v:\n%s", got.failed, e.failed, got.text)
	}
	sessions := s.Sessions()
	if len(sessions) != e.sessions {
		t.Errorf("the service has %d sessions, want %d", len(sessions), e.sessions)
	}
	s.AssertCalls(t, simulator.CallCreateSession, e.creates)
	id := ""
	if len(sessions) > 0 {
		id = sessions[len(sessions)-1].ID
	}
	if got.state != e.state || got.tainted != e.tainted {
		t.Errorf("in state %v, tainted %v; want %v, %v", got.state, got.tainted, e.state, e.tainted)
	}
	if got.state && got.id != id {
		t.Errorf("the state has session %v, the service %s", got.id, id)
	}
	for _, text := range e.texts {
		if text = strings.ReplaceAll(text, "{id}", id); !strings.Contains(got.text, text) {
			t.Errorf("the output lacks %q:\n%s", text, got.text)
		}
	}
	for _, text := range e.not {
		if text = strings.ReplaceAll(text, "{id}", id); strings.Contains(got.text, text) {
			t.Errorf("the output has %q:\n%s", text, got.text)
		}
	}
}

// checkComplete fails the test if a session that is ready lacks a value in the state.
func checkComplete(t *testing.T, values map[string]any) {
	t.Helper()
	for _, name := range []string{"id", "status", "input_endpoint_a", "output_endpoint_a", "user_id", "transcoder_id", "elastic_ip_a", "port", "egress_port"} {
		if values[name] == nil {
			t.Errorf("%s is null", name)
		}
	}
}

// TestCreateEnds goes through the ways in which a create can end. TestCreateEndsWithTheCLI has one
// that Terraform taints.
func TestCreateEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options  simulator.Options
		fault    *simulator.Fault
		also     *simulator.Fault
		existing []simulator.SessionRecord
		block    config // of the provider
		config   config
		want     ended
		after    func(t *testing.T, w *acctest.World, o acctest.Instance, c config, text string)
	}{
		"ready": {
			want:  ended{state: true, sessions: 1, creates: 1},
			after: cleanPlan,
		},
		"scheduled": {
			options: simulator.Options{StatusPath: []string{"SCHEDULED"}},
			config:  config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2931-05-17 20:15"},
			want:    ended{state: true, sessions: 1, creates: 1},
			after: func(t *testing.T, w *acctest.World, o acctest.Instance, c config, _ string) {
				t.Helper()
				w.Provider(nil).AssertNoChanges(o, c)
				if values := o.Attrs(); values["elastic_ip_a"] != nil || values["user_id"] == nil {
					t.Errorf("before it is provisioned, a session has %v", values)
				}
			},
		},
		"not found at first": {
			options: simulator.Options{StatusPath: []string{"READY"}},
			fault:   &simulator.Fault{Call: simulator.CallGetSession, Times: 2, Status: http.StatusNotFound},
			want:    ended{state: true, sessions: 1, creates: 1},
			after:   cleanPlan,
		},
		"status that is new to the provider": {
			options: simulator.Options{StatusPath: []string{"WARMING_UP", "WARMING_UP", "READY"}},
			want:    ended{state: true, sessions: 1, creates: 1},
			after:   cleanPlan,
		},
		"no waiting": {
			options: simulator.Options{ReadyAfter: time.Hour},
			config:  config{"wait_for_status": []any{}},
			want:    ended{state: true, sessions: 1, creates: 1},
			after: func(t *testing.T, w *acctest.World, o acctest.Instance, _ config, _ string) {
				t.Helper()
				if got := o.Text("status"); got != "PENDING" {
					t.Errorf("status is %s, want PENDING", got)
				}
				w.AssertCalls(t, simulator.CallGetSession, 1)
				w.AssertCalls(t, simulator.CallListSessions, 0)
			},
		},
		"refused": {
			fault: &simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusBadRequest, Body: `{"message":"the account has too many sessions"}`},
			want: ended{
				failed: true, creates: 1, texts: []string{"Creating the live session failed", "400 Bad Request: the account has too many sessions"},
				not: []string{"may have been created"},
			},
		},
		"region refused by the service": {
			block:  config{"skip_region_validation": true},
			config: config{"region": "mars-1"},
			want:   ended{failed: true, creates: 1, texts: []string{"Creating the live session failed", "400"}, not: []string{"may have been created"}},
			after: func(t *testing.T, w *acctest.World, _ acctest.Instance, _ config, _ string) {
				t.Helper()
				w.AssertCalls(t, simulator.CallRegions, 0)
			},
		},
		"429 first": {
			fault: &simulator.Fault{Call: simulator.CallCreateSession, Times: 1, Status: http.StatusTooManyRequests},
			want:  ended{state: true, sessions: 1, creates: 2},
			after: cleanPlan,
		},
		"ambiguous, and listed late": {
			fault: &simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true},
			also:  &simulator.Fault{Call: simulator.CallListSessions, Times: 1, Body: `{"data":{"Sessions":[]}}`},
			want:  ended{failed: true, sessions: 1, creates: 1, texts: []string{"The live session may have been created", `id = "{id}"`}},
			after: importWhatWasNamed,
		},
		"ambiguous, and the listing fails": {
			fault: &simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true},
			also:  &simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden, Body: `{"message":"not yours"}`},
			want: ended{failed: true, sessions: 1, creates: 1, texts: []string{
				"The live session may have been created", "listing the sessions of the account failed", "403 Forbidden: the text of the response is not shown",
				`look for a session named "match" in region eu-central-1 with input RTMP_PUSH, mode NORM and output mode RTMP_PULL`,
			}, not: []string{"{id}"}},
		},
		"ended as ERROR, which was waited for": {
			options: simulator.Options{StatusPath: []string{"PENDING", "ERROR"}},
			config:  config{"wait_for_status": []any{"ERROR"}},
			want:    ended{state: true, sessions: 1, creates: 1},
			after:   cleanPlan,
		},
		"not readable after all": {
			fault: &simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusForbidden, Body: `{"message":"no reading"}`},
			want: ended{failed: true, state: true, tainted: true, sessions: 1, creates: 1, texts: []string{
				"The new live session cannot be read", "Live session {id} was created", "403 Forbidden", "`terraform untaint`",
			}},
		},
		"listing fails in the end": {
			options: simulator.Options{StatusPath: []string{"READY"}},
			fault:   &simulator.Fault{Call: simulator.CallListSessions, Times: 1, Status: http.StatusForbidden},
			want:    ended{state: true, sessions: 1, creates: 1, texts: []string{"warning : Some values of live session {id} are missing"}},
			after: func(t *testing.T, w *acctest.World, o acctest.Instance, _ config, _ string) {
				t.Helper()
				o, diags := w.Provider(nil).Read(o)
				if diags.Must(t); o.Text("elastic_ip_a") == "" {
					t.Error("a refresh does not look the address up")
				}
			},
		},
		"listed late": {
			options:  simulator.Options{StatusPath: []string{"READY"}},
			fault:    &simulator.Fault{Call: simulator.CallListSessions, Times: 1, Body: `{"data":{"Sessions":[]}}`},
			existing: []simulator.SessionRecord{{Name: "other"}},
			want:     ended{state: true, sessions: 2, creates: 1},
			after: func(t *testing.T, _ *acctest.World, o acctest.Instance, _ config, _ string) {
				t.Helper()
				if o.Text("elastic_ip_a") == "" {
					t.Error("the address was not looked up again")
				}
			},
		},
		"not as asked for": {
			options: simulator.Options{StatusPath: []string{"READY"}},
			fault:   &simulator.Fault{Call: simulator.CallGetSession, Rewrite: renamed},
			also:    &simulator.Fault{Call: simulator.CallListSessions, Rewrite: renamed},
			want: ended{state: true, sessions: 1, creates: 1, texts: []string{
				"warning : The service stored other values than configured", `name: configured "match", shown "Match"`,
			}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, tt.options)
				for _, record := range tt.existing {
					w.AddSession(record)
				}
				for _, fault := range []*simulator.Fault{tt.fault, tt.also} {
					if fault != nil {
						w.Fail(*fault)
					}
				}
				c := base().With(tt.config)
				o, diags := w.Provider(tt.block).Create(resourceType, c)
				tt.want.check(t, w.Server, result(o, diags))
				if tt.after != nil && !t.Failed() {
					tt.after(t, w, o, c, diags.String())
				}
			})
		})
	}
}

func cleanPlan(t *testing.T, w *acctest.World, o acctest.Instance, c config, _ string) {
	t.Helper()
	w.Provider(nil).AssertNoChanges(o, c)
	checkComplete(t, o.Attrs())
}

// importWhatWasNamed imports by the block of the error: the plan is empty, and no second session is
// made.
func importWhatWasNamed(t *testing.T, w *acctest.World, _ acctest.Instance, c config, text string) {
	t.Helper()
	block := importBlock.FindStringSubmatch(text)
	if block == nil {
		t.Fatalf("no import block in:\n%s", text)
	}
	o, diags := w.Provider(nil).Import(resourceType, block[1])
	diags.Must(t)
	w.Provider(nil).AssertNoChanges(o, c)
	if n := len(w.Sessions()); n != 1 {
		t.Errorf("the service has %d sessions", n)
	}
}

// renamed has a response show another name than was asked for.
func renamed(body []byte) []byte { return bytes.Replace(body, []byte(`"match"`), []byte(`"Match"`), 1) }

// TestCreateWithoutConnection fails before a request is out.
func TestCreateWithoutConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		w.Live.Refuse(-1)
		ended{failed: true, texts: []string{
			"warning region: The region was not checked", "Creating the live session failed", w.Live.URL() + "/live/v1/live-streams/session",
		}, not: []string{"may have been created"}}.check(t, w.Server, result(w.Provider(config{"max_retries": 0}).Create(resourceType, base())))
	})
}

// TestAnsweredAfterAnInterrupt: a create that is on the wire gets four seconds for its response
// after an interrupt, and after the time limit.
func TestAnsweredAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]any{"interrupt": nil, "time limit": "500ms"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				w.Fail(simulator.Fault{Call: simulator.CallCreateSession, Delay: 1500 * time.Millisecond})
				p, cancel := w.Provider(once).WithCancel()
				defer cancel()
				if limit == nil {
					time.AfterFunc(500*time.Millisecond, cancel)
				}
				start := time.Now()
				o, _ := p.Create(resourceType, base().With(config{"timeouts": config{"create": limit}}))
				if took := time.Since(start); took != 1500*time.Millisecond || len(w.Sessions()) != 1 || o.Text("id") != w.Sessions()[0].ID {
					t.Errorf("after %s, the state has %v", took, o.Attrs())
				}
			})
		})
	}
}

// TestInterruptedWhileCreating interrupts a create before the service has answered.
func TestInterruptedWhileCreating(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		hold := w.Hold(simulator.CallCreateSession, nil)
		p, cancel := w.Provider(nil).WithCancel()
		defer cancel()
		go func() {
			if err := hold.Arrived(t.Context(), 1); err != nil {
				t.Error(err)
			}
			cancel()
		}()
		got := result(p.Create(resourceType, base()))
		hold.Release()
		ended{failed: true, creates: 1, texts: []string{
			"The live session may have been created", "interrupted before the provider could look for the session", `look for a session named "match"`,
		}}.check(t, w.Server, got)
		w.AssertCalls(t, simulator.CallListSessions, 0)
	})
}
