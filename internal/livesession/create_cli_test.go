package livesession_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
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

// end is what a run of the CLI has left behind.
func end(cli *acctest.CLI, r acctest.Result) applied {
	resource, inState := cli.State()[address]
	return applied{r.Code != 0, inState, resource.Tainted, resource.Values["id"], r.Flat()}
}

// TestCreateEndsWithTheCLI shows that Terraform taints a session whose create fails. TestCreateEnds
// has the other ends.
func TestCreateEndsWithTheCLI(t *testing.T) {
	t.Parallel()
	t.Run("ready", func(t *testing.T) {
		t.Parallel()
		s := acctest.Start(t, simulator.Options{StatusPath: []string{"PENDING", "READY"}})
		cli := acctest.NewCLI(t, s)
		cli.Config(pushPull())
		ended{state: true, sessions: 1, creates: 1}.check(t, s, end(cli, cli.Run("apply", "-auto-approve")))
		cli.AssertNoChanges()
		checkComplete(t, cli.State()[address].Values)
	})
	t.Run("ended as ERROR", func(t *testing.T) {
		t.Parallel()
		s := acctest.Start(t, simulator.Options{StatusPath: []string{"PENDING", "ERROR"}})
		cli := acctest.NewCLI(t, s)
		cli.Config(pushPull())
		ended{failed: true, state: true, tainted: true, sessions: 1, creates: 1, texts: []string{
			"The live session ended in a final status", "Live session {id} was created but ended in status ERROR", "`terraform untaint`", "`wait_for_status`",
		}}.check(t, s, end(cli, cli.Run("apply", "-auto-approve")))
		if plan := cli.Must("plan").Flat(); !strings.Contains(plan, "is tainted, so") {
			t.Errorf("the next plan does not replace:\n%s", plan)
		}
		cli.Must("untaint", address)
		cli.AssertNoChanges()
	})
}

// TestLostCreateWithTheCLI pastes the import block of the error and applies: the session is adopted
// and no second one made. The search for the session takes 30 s, unless a listing is refused: here
// the second one, after 2 s.
func TestLostCreateWithTheCLI(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	s.Fail(simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true})
	s.Fail(simulator.Fault{Call: simulator.CallListSessions, After: 1, Times: 1, Status: http.StatusForbidden})
	cli := acctest.NewCLI(t, s)
	cli.Config(pushPull())
	r := cli.Run("apply", "-auto-approve")
	ended{failed: true, sessions: 1, creates: 1, texts: []string{"The live session may have been created", `id = "{id}"`}}.check(t, s, end(cli, r))
	block := importBlock.FindStringSubmatch(r.Flat())
	if block == nil {
		t.Fatalf("no import block in:\n%s", r.Output)
	}
	cli.Write("import.tf", fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, block[1]))
	if out := cli.Must("apply", "-auto-approve").Flat(); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
		t.Errorf("adopting the session:\n%s", out)
	}
	if n := len(s.Sessions()); n != 1 {
		t.Errorf("the service has %d sessions", n)
	}
	cli.AssertNoChanges()
}

// TestInterruptWithTheCLI sends SIGINT, as Ctrl-C does, while a create waits.
func TestInterruptWithTheCLI(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{ReadyAfter: time.Hour})
	cli := acctest.NewCLI(t, s)
	cli.Config(pushPull())
	p := cli.Start("apply", "-auto-approve")
	p.Until(func(ctx context.Context) error { return s.Answered(ctx, simulator.CallGetSession, 2) })
	p.Signal(os.Interrupt)
	got := end(cli, p.Wait())
	got.failed = false // Terraform 1.14 ends with an error after an interrupt, others do not
	ended{state: true, sessions: 1, creates: 1, texts: []string{
		"Warning: Waiting for the live session was interrupted", "Live session {id} was created; its last status seen was PENDING",
	}}.check(t, s, got)
	if plan := cli.Must("plan").Flat(); !strings.Contains(plan, "The apply waits for live session "+got.id.(string)) || !strings.Contains(plan, "1 to change") {
		t.Errorf("the next plan:\n%s", plan)
	}
	s.SetStatus(got.id.(string), "READY")
	cli.AssertNoChanges()
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
