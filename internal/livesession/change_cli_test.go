package livesession_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// unknownRegion is a session whose region is not known while planning, whenever version has
// changed.
func unknownRegion(version string, more ...string) string {
	return `
resource "terraform_data" "region" {
  input            = "eu-central-1"
  triggers_replace = "` + version + `"
}
` + strings.Replace(pushPull(more...), `"eu-central-1"`, "terraform_data.region.output", 1)
}

// TestUnknownWithTheCLI changes what the region comes from, but not the region.
func TestUnknownWithTheCLI(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, s)
	more := []string{"deletion_protection = true", "lifecycle {\n    create_before_destroy = true\n  }"}
	cli.Config(unknownRegion("1", more...))
	cli.Must("apply", "-auto-approve")
	before := cli.State()[address].Values
	cli.Config(unknownRegion("2", more...))
	r := cli.Must("apply", "-auto-approve")
	if !strings.Contains(r.Flat(), "A new live session may be created") {
		t.Errorf("the plan does not say what may happen:\n%s", r.Output)
	}
	after := cli.State()[address].Values
	if after["id"] != before["id"] || after["input_endpoint_a"] != before["input_endpoint_a"] || len(s.Sessions()) != 1 {
		t.Errorf("the session was not kept:\n%s", r.Output)
	}
	if strings.Contains(r.Flat(), "was replaced in the state") {
		t.Errorf("the apply warns of a session that is in the state:\n%s", r.Output)
	}
	cli.AssertNoChanges()
}

// TestRefusedChangeWithTheCLI: the state keeps the session while no new one can be created. What
// depends on it is not touched.
func TestRefusedChangeWithTheCLI(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, s)
	config := pushPull() + "resource \"terraform_data\" \"dependant\" {\n  input = vodlive_live_session.match.id\n}\n"
	cli.Config(config)
	cli.Must("apply", "-auto-approve")
	before := cli.State()
	cli.Config(strings.Replace(config, `"match"`+"\n", `"other"`+"\n", 1))
	if plan := cli.Must("plan", "-out=saved.plan").Flat(); !strings.Contains(plan, "A new live session will be created") || !strings.Contains(plan, "will be updated in-place") {
		t.Errorf("the plan:\n%s", plan)
	}
	s.Fail(simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusForbidden})
	r := cli.Run("apply", "saved.plan")
	if after := cli.State(); r.Code == 0 || after[address].Values["id"] != before[address].Values["id"] || after[address].Tainted || after["terraform_data.dependant"].Values["input"] != before["terraform_data.dependant"].Values["input"] {
		t.Fatalf("exit code %d, %v\n%s", r.Code, after, r.Output)
	}
	if len(s.Sessions()) != 1 {
		t.Errorf("the service has %d sessions", len(s.Sessions()))
	}
	s.ClearFaults()
	cli.Must("apply", "-auto-approve")
	if got := cli.State(); got[address].Values["id"] == before[address].Values["id"] || got["terraform_data.dependant"].Values["input"] != got[address].Values["id"] {
		t.Errorf("the next apply left %v", got)
	}
	cli.AssertNoChanges()
}

// TestReplaceWithTheCLI: -replace replaces, also while an argument is not known that comes out the
// same.
func TestReplaceWithTheCLI(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, s)
	cli.Config(unknownRegion("1"))
	cli.Must("apply", "-auto-approve")
	before := cli.State()[address].Values["id"]
	cli.Config(unknownRegion("2"))
	r := cli.Must("apply", "-auto-approve", "-replace="+address)
	if after := cli.State()[address].Values["id"]; after == before || len(s.Sessions()) != 2 {
		t.Errorf("the session was not replaced:\n%s", r.Output)
	}
}

// TestRefusedReplacementWithTheCLI: core passes the private data of the plan to the Delete of a
// replacement, which tells it from a deletion. A create with the same arguments has no answer.
func TestRefusedReplacementWithTheCLI(t *testing.T) {
	t.Parallel()
	for name, tainted := range map[string]bool{"-replace": false, "tainted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
			cli := acctest.NewCLI(t, s)
			cli.Config(pushPull())
			cli.Must("apply", "-auto-approve")
			id := cli.State()[address].Values["id"]
			cli.Config(pushPull() + strings.Replace(pushPull(), `"vodlive_live_session" "match"`, `"vodlive_live_session" "other"`, 1))
			s.Fail(simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true})
			s.Fail(simulator.Fault{Call: simulator.CallListSessions, After: 1, Times: 1, Status: http.StatusForbidden}) // ends the search at once
			cli.Run("apply", "-auto-approve")
			s.Fail(simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden})
			replace := "-replace=" + address
			if tainted {
				cli.Must("taint", address)
				replace = "-refresh=true"
			}
			r := cli.Run("apply", "-auto-approve", "-target="+address, replace)
			if got := cli.State()[address].Values["id"]; r.Code == 0 || got != id || !strings.Contains(r.Flat(), "The live session may have been created") || len(s.Sessions()) != 2 {
				t.Errorf("exit code %d, the state has %v, the service %d sessions:\n%s", r.Code, got, len(s.Sessions()), r.Output)
			}
			cli.Config("")
			cli.Must("apply", "-auto-approve")
		})
	}
}

// TestDeletionProtectionWithTheCLI: what a configuration without the resource cannot do.
func TestDeletionProtectionWithTheCLI(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, s)
	const trigger = "resource \"terraform_data\" \"x\" {\n  input = 1\n}\n"
	protected := pushPull("deletion_protection = true") + trigger
	cli.Config(protected)
	cli.Must("apply", "-auto-approve")
	for name, run := range map[string]struct {
		config string
		args   []string
	}{
		"destroy":              {protected, []string{"plan", "-destroy"}},
		"no block":             {"", []string{"plan"}},
		"replace":              {protected, []string{"plan", "-replace=" + address}},
		"replace_triggered_by": {strings.NewReplacer("deletion", "lifecycle {\n  replace_triggered_by = [terraform_data.x]\n  }\n  deletion", "input = 1", "input = 2").Replace(protected), []string{"plan"}},
		"changed":              {strings.Replace(protected, "NORM", "HA", 1), []string{"apply", "-auto-approve"}},
	} {
		cli.Config(run.config)
		if r := cli.Run(run.args...); r.Code == 0 || !strings.Contains(r.Flat(), "The live session is protected from deletion") {
			t.Errorf("%s: exit code %d\n%s", name, r.Code, r.Output)
		}
	}
	cli.Config(protected)
	cli.Must("taint", address)
	if r := cli.Run("apply", "-auto-approve"); r.Code == 0 || !strings.Contains(r.Flat(), "The live session is protected from deletion") {
		t.Errorf("tainted: exit code %d\n%s", r.Code, r.Output)
	}
	cli.Must("untaint", address)
	cli.AssertNoChanges()
	cli.Config(pushPull())
	cli.Must("apply", "-auto-approve")
	cli.Must("destroy", "-auto-approve")
	s.AssertCalls(t, simulator.CallCreateSession, 1)
}

// TestCountOverWhatCannotApply: the plan knows that a session with one pipeline has no second
// address.
func TestCountOverWhatCannotApply(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, s)
	cli.Config(pushPull() + `
resource "terraform_data" "rule" {
  count = vodlive_live_session.match.elastic_ip_b == null ? 0 : 1
}
`)
	cli.Must("apply", "-auto-approve")
	if n := len(cli.State()); n != 1 {
		t.Errorf("the state has %d resources", n)
	}
}
