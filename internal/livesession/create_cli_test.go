package livesession_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const address = "vodlive_live_session.match"

// pushPull is the configuration of a session, PUSH in and PULL out, with more
// arguments where a test wants them.
func pushPull(more ...string) string {
	return `
resource "vodlive_live_session" "match" {
  name         = "match"
  region       = "eu-central-1"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
  ` + strings.Join(more, "\n  ") + `
}
`
}

const noRetries = "provider \"vodlive\" {\n  max_retries = 0\n}\n"

var importBlock = regexp.MustCompile(`import \{\s+to\s+= vodlive_live_session\.NAME\s+id\s+= "([^"]+)"`)

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

func (e ended) check(t *testing.T, s *acctest.Server, cli *acctest.CLI, r acctest.Result) {
	t.Helper()
	if failed := r.Code != 0; failed != e.failed {
		t.Fatalf("exit code %d\n%s", r.Code, r.Output)
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
	resource, inState := cli.State()[address]
	if inState != e.state || resource.Tainted != e.tainted {
		t.Errorf("in state %v, tainted %v; want %v, %v", inState, resource.Tainted, e.state, e.tainted)
	}
	if inState && resource.Values["id"] != id {
		t.Errorf("the state has session %v, the service %s", resource.Values["id"], id)
	}
	flat := r.Flat()
	for _, text := range e.texts {
		if text = strings.ReplaceAll(text, "{id}", id); !strings.Contains(flat, text) {
			t.Errorf("the output lacks %q:\n%s", text, r.Output)
		}
	}
	for _, text := range e.not {
		if strings.Contains(flat, text) {
			t.Errorf("the output has %q:\n%s", text, r.Output)
		}
	}
}

// TestCreateEnds goes through the ways in which a create can end.
func TestCreateEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options  simulator.Options
		fault    *simulator.Fault
		also     *simulator.Fault
		existing []simulator.SessionRecord
		config   string
		want     ended
		after    func(t *testing.T, s *acctest.Server, cli *acctest.CLI, r acctest.Result)
	}{
		"ready": {
			config: pushPull(),
			want:   ended{state: true, sessions: 1, creates: 1},
			after:  cleanPlan,
		},
		"scheduled": {
			options: simulator.Options{StatusPath: []string{"SCHEDULED"}},
			config:  pushPull(`is_scheduled = true`, `timezone = "Europe/Berlin"`, `scheduled_at = "2931-05-17 20:15"`),
			want:    ended{state: true, sessions: 1, creates: 1},
			after:   cleanPlan,
		},
		"not found at first": {
			options: simulator.Options{StatusPath: []string{"READY"}},
			fault:   &simulator.Fault{Call: simulator.CallGetSession, Times: 2, Status: http.StatusNotFound},
			config:  pushPull(),
			want:    ended{state: true, sessions: 1, creates: 1},
			after:   cleanPlan,
		},
		"status that is new to the provider": {
			options: simulator.Options{StatusPath: []string{"WARMING_UP", "READY"}},
			config:  pushPull(),
			want:    ended{state: true, sessions: 1, creates: 1},
			after:   cleanPlan,
		},
		"no waiting": {
			options: simulator.Options{ReadyAfter: time.Hour},
			config:  pushPull(`wait_for_status = []`),
			want:    ended{state: true, sessions: 1, creates: 1},
			after: func(t *testing.T, s *acctest.Server, cli *acctest.CLI, _ acctest.Result) {
				t.Helper()
				if got := cli.State()[address].Values["status"]; got != "PENDING" {
					t.Errorf("status is %v, want PENDING", got)
				}
				s.AssertCalls(t, simulator.CallGetSession, 1)
				s.AssertCalls(t, simulator.CallListSessions, 0)
			},
		},
		"refused": {
			fault:  &simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusBadRequest, Body: `{"message":"the account has too many sessions"}`},
			config: pushPull(),
			want: ended{
				failed: true, creates: 1, texts: []string{"Creating the live session failed", "400 Bad Request: the account has too many sessions"},
				not: []string{"may have been created"},
			},
		},
		"region refused by the service": {
			config: "provider \"vodlive\" {\n  skip_region_validation = true\n}\n" + strings.Replace(pushPull(), "eu-central-1", "mars-1", 1),
			want:   ended{failed: true, creates: 1, texts: []string{"Creating the live session failed", "400"}, not: []string{"may have been created"}},
			after: func(t *testing.T, s *acctest.Server, _ *acctest.CLI, _ acctest.Result) {
				t.Helper()
				s.AssertCalls(t, simulator.CallRegions, 0)
			},
		},
		"429 first": {
			fault:  &simulator.Fault{Call: simulator.CallCreateSession, Times: 1, Status: http.StatusTooManyRequests},
			config: pushPull(),
			want:   ended{state: true, sessions: 1, creates: 2},
			after:  cleanPlan,
		},
		"ambiguous, and listed late": {
			fault:  &simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true},
			also:   &simulator.Fault{Call: simulator.CallListSessions, Times: 1, Body: `{"data":{"Sessions":[]}}`},
			config: pushPull(),
			want:   ended{failed: true, sessions: 1, creates: 1, texts: []string{"The live session may have been created", `id = "{id}"`}},
			after:  importWhatWasNamed,
		},
		"ambiguous, and the listing fails": {
			fault:  &simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true},
			also:   &simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden, Body: `{"message":"not yours"}`},
			config: pushPull(),
			want: ended{failed: true, sessions: 1, creates: 1, texts: []string{
				"The live session may have been created", "listing the sessions of the account failed", "not yours",
				`look for a session named "match" in region eu-central-1 with input RTMP_PUSH, mode NORM and output mode RTMP_PULL`,
			}, not: []string{"{id}"}},
		},
		"ended as ERROR": {
			options: simulator.Options{StatusPath: []string{"PENDING", "ERROR"}},
			config:  pushPull(),
			want: ended{failed: true, state: true, tainted: true, sessions: 1, creates: 1, texts: []string{
				"The live session ended as ERROR", "Live session {id} was created but ended in status ERROR", "`terraform untaint`", "`wait_for_status`",
			}},
			after: func(t *testing.T, _ *acctest.Server, cli *acctest.CLI, _ acctest.Result) {
				t.Helper()
				if plan := cli.Must("plan").Flat(); !strings.Contains(plan, "is tainted, so") {
					t.Errorf("the next plan does not replace:\n%s", plan)
				}
				cli.Must("untaint", address)
				cli.AssertNoChanges()
			},
		},
		"ended as ERROR, which was waited for": {
			options: simulator.Options{StatusPath: []string{"PENDING", "ERROR"}},
			config:  pushPull(`wait_for_status = ["ERROR"]`),
			want:    ended{state: true, sessions: 1, creates: 1},
			after:   cleanPlan,
		},
		"not readable after all": {
			fault:  &simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusForbidden, Body: `{"message":"no reading"}`},
			config: pushPull(),
			want: ended{failed: true, state: true, tainted: true, sessions: 1, creates: 1, texts: []string{
				"The new live session cannot be read", "Live session {id} was created", "no reading", "`terraform untaint`",
			}},
		},
		"listing fails in the end": {
			options: simulator.Options{StatusPath: []string{"READY"}},
			fault:   &simulator.Fault{Call: simulator.CallListSessions, Times: 1, Status: http.StatusForbidden},
			config:  pushPull(),
			want:    ended{state: true, sessions: 1, creates: 1, texts: []string{"Warning: Some values of the live session are missing"}},
			after: func(t *testing.T, _ *acctest.Server, cli *acctest.CLI, _ acctest.Result) {
				t.Helper()
				cli.Must("apply", "-refresh-only", "-auto-approve")
				if got := cli.State()[address].Values["elastic_ip_a"]; got == nil {
					t.Error("a refresh does not look the address up")
				}
			},
		},
		"listed late": {
			options:  simulator.Options{StatusPath: []string{"READY"}},
			fault:    &simulator.Fault{Call: simulator.CallListSessions, Times: 1, Body: `{"data":{"Sessions":[]}}`},
			existing: []simulator.SessionRecord{{Name: "other"}},
			config:   pushPull(),
			want:     ended{state: true, sessions: 2, creates: 1},
			after: func(t *testing.T, _ *acctest.Server, cli *acctest.CLI, _ acctest.Result) {
				t.Helper()
				if got := cli.State()[address].Values["elastic_ip_a"]; got == nil {
					t.Error("the address was not looked up again")
				}
			},
		},
		"not as asked for": {
			options: simulator.Options{StatusPath: []string{"READY"}},
			fault:   &simulator.Fault{Call: simulator.CallGetSession, Rewrite: renamed},
			also:    &simulator.Fault{Call: simulator.CallListSessions, Rewrite: renamed},
			config:  pushPull(),
			want: ended{state: true, sessions: 1, creates: 1, texts: []string{
				"Warning: The service stored other values than configured", `name: configured "match", shown "Match"`,
			}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, tt.options)
			for _, record := range tt.existing {
				s.AddSession(record)
			}
			for _, fault := range []*simulator.Fault{tt.fault, tt.also} {
				if fault != nil {
					s.Fail(*fault)
				}
			}
			cli := acctest.NewCLI(t, s)
			cli.Config(tt.config)
			r := cli.Run("apply", "-auto-approve")
			tt.want.check(t, s, cli, r)
			if tt.after != nil && !t.Failed() {
				tt.after(t, s, cli, r)
			}
		})
	}
}

func cleanPlan(t *testing.T, _ *acctest.Server, cli *acctest.CLI, _ acctest.Result) {
	t.Helper()
	cli.AssertNoChanges()
	values := cli.State()[address].Values
	for _, name := range []string{"id", "status", "input_endpoint_a", "output_endpoint_a", "user_id", "transcoder_id", "elastic_ip_a", "port", "egress_port"} {
		if values[name] == nil {
			t.Errorf("%s is null", name)
		}
	}
}

// importWhatWasNamed pastes the import block of the error and applies: the
// session is adopted and no second one made.
func importWhatWasNamed(t *testing.T, s *acctest.Server, cli *acctest.CLI, r acctest.Result) {
	t.Helper()
	block := importBlock.FindStringSubmatch(r.Flat())
	if block == nil {
		t.Fatalf("no import block in:\n%s", r.Output)
	}
	cli.Write("import.tf", fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, block[1]))
	out := cli.Must("apply", "-auto-approve").Flat()
	if !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
		t.Errorf("adopting the session:\n%s", out)
	}
	if n := len(s.Sessions()); n != 1 {
		t.Errorf("the service has %d sessions", n)
	}
	cli.AssertNoChanges()
}

// TestCreateWithoutConnection fails before a request is out.
func TestCreateWithoutConnection(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, s)
	cli.Setenv("VODLIVE_BASE_URL", "http://127.0.0.1:1")
	cli.Config(noRetries + pushPull())
	r := cli.Run("apply", "-auto-approve")
	ended{failed: true, texts: []string{
		"Warning: The region was not checked", "Creating the live session failed", "http://127.0.0.1:1/live/v1/live-streams/session",
	}, not: []string{"may have been created"}}.check(t, s, cli, r)
}

// TestInterrupt sends SIGINT, as Ctrl-C does, in the two places where a create
// spends its time.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	t.Run("while waiting", func(t *testing.T) {
		t.Parallel()
		s := acctest.Start(t, simulator.Options{ReadyAfter: time.Hour})
		cli := acctest.NewCLI(t, s)
		cli.Config(pushPull())
		p := cli.Start("apply", "-auto-approve")
		p.Until(func(ctx context.Context) error { return s.Answered(ctx, simulator.CallGetSession, 2) })
		p.Signal(os.Interrupt)
		r := p.Wait()
		ended{failed: true, state: true, tainted: true, sessions: 1, creates: 1, texts: []string{
			"Waiting for the live session was interrupted", "Live session {id} was created; its last status seen was PENDING", "`terraform untaint`",
		}}.check(t, s, cli, r)
		cli.Must("untaint", address)
		cli.AssertNoChanges()
	})
	t.Run("before a GET has shown the session", func(t *testing.T) {
		t.Parallel()
		s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
		s.Fail(simulator.Fault{Call: simulator.CallGetSession, Times: 4, Status: http.StatusNotFound})
		cli := acctest.NewCLI(t, s)
		cli.Config(pushPull())
		p := cli.Start("apply", "-auto-approve")
		p.Until(func(ctx context.Context) error { return s.Answered(ctx, simulator.CallGetSession, 2) })
		p.Signal(os.Interrupt)
		ended{failed: true, state: true, tainted: true, sessions: 1, creates: 1, texts: []string{
			"Waiting for the live session was interrupted", "`terraform untaint`",
		}}.check(t, s, cli, p.Wait())
		cli.Must("untaint", address)
		if out := cli.Must("apply", "-auto-approve").Flat(); !strings.Contains(out, "0 added, 0 changed, 0 destroyed") {
			t.Errorf("the session that appears late is not kept:\n%s", out)
		}
		cli.AssertNoChanges()
	})
	t.Run("while creating", func(t *testing.T) {
		t.Parallel()
		s := acctest.Start(t, simulator.Options{})
		hold := s.Hold(simulator.CallCreateSession, nil)
		cli := acctest.NewCLI(t, s)
		cli.Config(pushPull())
		p := cli.Start("apply", "-auto-approve")
		p.Until(func(ctx context.Context) error { return hold.Arrived(ctx, 1) })
		p.Signal(os.Interrupt)
		r := p.Wait()
		hold.Release()
		ended{failed: true, creates: 1, texts: []string{
			"The live session may have been created", "interrupted before the provider could look for the session", `look for a session named "match"`,
		}}.check(t, s, cli, r)
		s.AssertCalls(t, simulator.CallListSessions, 0)
	})
}

// TestManyAtOnce creates fifty sessions in one apply: they share the list of
// regions and the pages of the listing.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"PENDING", "READY"}})
	cli := acctest.NewCLI(t, s)
	cli.Config(strings.Replace(pushPull("count = 50"), `"match"
`, `"match${count.index}"
`, 1))
	plan := cli.Must("plan", "-out=plan.bin").Flat()
	if !strings.Contains(plan, "50 to add") {
		t.Fatal(plan)
	}
	s.AssertCalls(t, simulator.CallRegions, 1)
	cli.Must("apply", "plan.bin")
	s.AssertCalls(t, simulator.CallCreateSession, 50)
	s.AssertCalls(t, simulator.CallRegions, 2) // plan and apply are two provider processes
	gets, lists := s.Count(simulator.CallGetSession), s.Count(simulator.CallListSessions)
	t.Logf("%d GETs, %d pages", gets, lists)
	// One GET each, and a page for each of the five rounds of ten, is the least
	// without sharing polls.
	if gets+lists > 100 {
		t.Errorf("%d GETs and %d pages for 50 sessions", gets, lists)
	}
	for name, r := range cli.State() {
		if r.Values["elastic_ip_a"] == nil || r.Values["user_id"] == nil {
			t.Errorf("%s lacks what the listing shows", name)
		}
	}
	before := len(s.Journal())
	cli.AssertNoChanges()
	if calls := len(s.Journal()) - before; calls > 50+50/4 {
		t.Errorf("refreshing 50 sessions took %d calls, want at most 62", calls)
	}
}

// renamed has a response show another name than was asked for.
func renamed(body []byte) []byte { return bytes.Replace(body, []byte(`"match"`), []byte(`"Match"`), 1) }
