package livesession_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// unknownRegion is a session whose region is not known while planning, whenever version has changed.
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
	for name, tt := range map[string]struct {
		more  string
		shown string
		kept  bool
	}{
		"destroy first":                {"", "The live session may be replaced", true},
		"create before destroy":        {"lifecycle {\n    create_before_destroy = true\n  }", "The live session may be replaced", false},
		"create before, but protected": {"deletion_protection = true\n  lifecycle {\n    create_before_destroy = true\n  }", "The live session is assumed to be unchanged", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
			cli := acctest.NewCLI(t, s)
			cli.Config(unknownRegion("1", tt.more))
			cli.Must("apply", "-auto-approve")
			before := cli.State()[address].Values
			cli.Config(unknownRegion("2", tt.more))
			r := cli.Must("apply", "-auto-approve")
			if !strings.Contains(r.Flat(), tt.shown) {
				t.Errorf("the output lacks %q:\n%s", tt.shown, r.Output)
			}
			after := cli.State()[address].Values
			if kept := after["id"] == before["id"] && after["input_endpoint_a"] == before["input_endpoint_a"] && len(s.Sessions()) == 1; kept != tt.kept {
				t.Errorf("kept %v, want %v:\n%s", kept, tt.kept, r.Output)
			}
			if warned := strings.Contains(r.Flat(), "keeps running"); warned == tt.kept {
				t.Errorf("warned of a session that keeps running: %v\n%s", warned, r.Output)
			}
			cli.AssertNoChanges()
		})
	}
}

// TestRefusedReplacementWithTheCLI: Terraform keeps the session of a replacement that cannot be created.
func TestRefusedReplacementWithTheCLI(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{"destroy first": "", "create before destroy": "lifecycle {\n    create_before_destroy = true\n  }"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
			cli := acctest.NewCLI(t, s)
			cli.Config(pushPull(more))
			cli.Must("apply", "-auto-approve")
			id := cli.State()[address].Values["id"]
			cli.Config(strings.Replace(pushPull(more), `"match"`+"\n", `"other"`+"\n", 1))
			cli.Must("plan", "-out=saved.plan")

			secret := cli.Env("VODLIVE_SECRET_KEY")
			cli.Setenv("VODLIVE_SECRET_KEY", "wrong")
			r := cli.Run("apply", "saved.plan")
			if got := cli.State()[address]; r.Code == 0 || got.Values["id"] != id || got.Tainted {
				t.Fatalf("exit code %d, %v\n%s", r.Code, got, r.Output)
			}
			cli.Setenv("VODLIVE_SECRET_KEY", secret)
			s.Fail(simulator.Fault{Call: simulator.CallCreateSession, Status: http.StatusForbidden})
			r = cli.Run("apply", "-auto-approve")
			if got := cli.State()[address]; r.Code == 0 || got.Values["id"] != id || got.Tainted != (more == "") {
				t.Fatalf("exit code %d, %v\n%s", r.Code, got, r.Output)
			}
			if len(s.Sessions()) != 1 {
				t.Errorf("the service has %d sessions", len(s.Sessions()))
			}
			s.ClearFaults()
			cli.Must("apply", "-auto-approve")
			if got := cli.State(); len(got) != 1 || got[address].Values["id"] == id || got[address].Tainted {
				t.Errorf("the next apply left %v", got)
			}
			cli.AssertNoChanges()
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

// TestCountOverWhatCannotApply: the plan knows that a session with one pipeline has no second address.
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
