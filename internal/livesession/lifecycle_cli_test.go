package livesession_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

var matchRecord = simulator.SessionRecord{Name: "match", Region: "eu-central-1"}

// TestLifeCycle has the test framework of Terraform create, refresh, import and
// compare, change in place, replace and destroy a session.
func TestLifeCycle(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: s.Factories(t),
		Steps: []resource.TestStep{
			{
				Config: pushPull(),
				Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr(address, "status", "READY"),
					resource.TestCheckResourceAttr(address, "input_preset.codec", "H264"),
					resource.TestCheckResourceAttr(address, "is_scheduled", "false"),
					resource.TestCheckResourceAttrSet(address, "input_endpoint_a"),
					resource.TestCheckNoResourceAttr(address, "input_endpoint_b"),
					resource.TestCheckNoResourceAttr(address, "input_source_a"),
					resource.TestCheckNoResourceAttr(address, "elastic_ip_b"),
				),
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true},
			{
				Config: pushPull(`replace_on_status = ["ERROR"]`, `wait_for_status = ["READY"]`),
				Check:  resource.TestCheckResourceAttr(address, "replace_on_status.0", "ERROR"),
			},
			{
				Config: strings.Replace(pushPull(), `"NORM"`, `"HA"`, 1),
				Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr(address, "mode", "HA"),
					resource.TestCheckResourceAttrSet(address, "input_endpoint_b"),
					resource.TestCheckResourceAttrSet(address, "elastic_ip_b"),
				),
			},
		},
	})
	s.AssertCalls(t, simulator.CallCreateSession, 2)
	if n := len(s.Sessions()); n != 2 {
		t.Errorf("the service has %d sessions, want both: nothing ends one", n)
	}
}

func TestImportCommand(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, s)
	cli.Config(pushPull())
	id := s.AddSession(matchRecord)
	cli.Must("import", address, id)
	cli.AssertNoChanges()

	other := acctest.NewCLI(t, s)
	other.Config(pushPull())
	r := other.Run("import", address, "nobody")
	for _, text := range []string{`No session of this account has the id "nobody"`, "The provider looked for it at " + s.URL} {
		if r.Code == 0 || !strings.Contains(r.Flat(), text) {
			t.Errorf("the output lacks %q:\n%s", text, r.Output)
		}
	}
}

func TestImportBlock(t *testing.T) {
	t.Parallel()
	for kind, by := range map[string]string{"id": `id = "%s"`, "identity": `identity = { id = "%s" }`} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{OutputModeShape: "empty-object"})
			cli := acctest.NewCLI(t, s)
			if kind == "identity" {
				cli.SkipBelow("import by identity", "1.12.0", "1.12.0")
			}
			id := s.AddSession(matchRecord)
			cli.Config(pushPull() + "import {\n  to = " + address + "\n  " + fmt.Sprintf(by, id) + "\n}\n")
			if out := cli.Must("apply", "-auto-approve").Flat(); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
				t.Error(out)
			}
			cli.AssertNoChanges()
			s.AssertCalls(t, simulator.CallCreateSession, 0)
		})
	}
}

// TestGeneratedConfiguration has Terraform write the configuration of sessions
// that it imports.
func TestGeneratedConfiguration(t *testing.T) {
	t.Parallel()
	generate := func(t *testing.T, record simulator.SessionRecord) (*acctest.CLI, acctest.Result) {
		t.Helper()
		s := acctest.Start(t, simulator.Options{})
		cli := acctest.NewCLI(t, s)
		block := fmt.Sprintf("import {\n  to = %s\n  id = %q\n", address, s.AddSession(record))
		plan := func(block string) acctest.Result {
			cli.Config(block + "}\n")
			return cli.Run("plan", "-generate-config-out=generated.tf")
		}
		r := plan(block)
		if strings.Contains(r.Output, "hashicorp/vodlive") { // Terraform 1.16.0 to 1.16.2; see the guide
			r = plan(block + "  provider = vodlive\n")
			cli.Config(block + "}\n")
		}
		return cli, r
	}
	t.Run("push in, pull out", func(t *testing.T) {
		t.Parallel()
		cli, r := generate(t, matchRecord)
		if r.Code != 0 || !strings.Contains(r.Flat(), "1 to import, 0 to add, 0 to change, 0 to destroy") {
			t.Fatalf("exit code %d\n%s", r.Code, r.Output)
		}
		cli.Must("apply", "-auto-approve")
		cli.AssertNoChanges()
	})
	t.Run("pull in, push out", func(t *testing.T) {
		t.Parallel()
		cli, r := generate(t, pullPush)
		for _, name := range []string{"input_source_a", "input_source_b", "output_destination_a", "output_destination_b"} {
			want := fmt.Sprintf("`%s` is required when", name)
			if !strings.Contains(r.Flat(), want) {
				t.Errorf("the output lacks %q:\n%s", want, r.Output)
			}
		}
		if hint := "leaves this value out because it is sensitive: fill it in"; !strings.Contains(r.Flat(), hint) {
			t.Errorf("the output lacks %q:\n%s", hint, r.Output)
		}
		// Filled in as told, the plan is empty.
		path := filepath.Join(cli.Dir, "generated.tf")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		filled := string(text)
		for name, url := range map[string]string{
			"input_source_a": pullPush.InputSourceA, "input_source_b": pullPush.InputSourceB,
			"output_destination_a": pullPush.OutputDestinationA, "output_destination_b": pullPush.OutputDestinationB,
		} {
			var lines []string
			for line := range strings.Lines(filled) {
				if strings.HasPrefix(strings.TrimSpace(line), name+" ") {
					line = fmt.Sprintf("  %s = %q\n", name, url)
				}
				lines = append(lines, line)
			}
			filled = strings.Join(lines, "")
		}
		if err := os.WriteFile(path, []byte(filled), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := cli.Must("apply", "-auto-approve").Flat(); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
			t.Error(out)
		}
		cli.AssertNoChanges()
	})
}

// TestReplaceOnStatusConverges: one apply replaces the broken session, and the
// next plan is empty.
func TestReplaceOnStatusConverges(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, s)
	cli.Config(pushPull(`replace_on_status = ["ERROR", "TERMINATED"]`))
	cli.Must("apply", "-auto-approve")
	first := s.Sessions()[0].ID
	s.SetStatus(first, "ERROR")
	out := cli.Must("apply", "-auto-approve").Flat()
	if !strings.Contains(out, "0 added, 1 changed, 0 destroyed") || strings.Contains(out, "keeps running") {
		t.Error(out)
	}
	if id := cli.State()[address].Values["id"]; id == first {
		t.Error("the session was not replaced")
	}
	cli.AssertNoChanges()
}

// TestGoneSession: one that was removed outside of Terraform is created again.
func TestGoneSession(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, s)
	cli.Config(pushPull())
	cli.Must("apply", "-auto-approve")
	id := s.Sessions()[0].ID
	s.RemoveSession(id)
	out := cli.Must("plan").Flat()
	for _, text := range []string{"1 to add, 0 to change, 0 to destroy", "was not found", "Live session " + id + ` ("match") was removed from the state`} {
		if !strings.Contains(out, text) {
			t.Errorf("the plan lacks %q:\n%s", text, out)
		}
	}
}

// TestImportInAnotherSpelling imports a session of a service that writes values differently.
func TestImportInAnotherSpelling(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	id := s.AddSession(simulator.SessionRecord{
		Name: "match", Region: "EU-CENTRAL-1", Input: "rtmp_push", IsScheduled: true, Timezone: "Asia/Calcutta", ScheduledAt: "2931-05-17 20:15", Status: "SCHEDULED",
	})
	cli := acctest.NewCLI(t, s)
	cli.Config(pushPull(`is_scheduled = true`, `timezone = "Asia/Kolkata"`, `scheduled_at = "2931-05-17 20:15"`))
	cli.Must("import", address, id)
	cli.AssertNoChanges()
}

// TestRegionsAreListedOnce: whoever asks in one run, the call is made once.
func TestRegionsAreListedOnce(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, s)
	cli.Write("child/main.tf", `
terraform {
  required_providers {
    vodlive = { source = "vodlive/vodlive" }
  }
}
data "vodlive_regions" "all" {}
`+strings.Replace(pushPull("count = 5"), "eu-central-1", "us-east-1", 1))
	cli.Config(`
data "vodlive_regions" "all" {}
module "one" { source = "./child" }
module "two" { source = "./child" }
` + strings.Replace(pushPull("count = 20"), `"eu-central-1"`, "data.vodlive_regions.all.names[1]", 1))
	cli.Must("get")
	if out := cli.Must("plan").Flat(); !strings.Contains(out, "30 to add") {
		t.Error(out)
	}
	s.AssertCalls(t, simulator.CallRegions, 1)
	if n := len(s.Journal()); n != 1 {
		t.Errorf("planning made %d calls:\n%s", n, s.JournalText())
	}
}

// TestValidateNeedsNoNetwork runs `terraform validate` on some of the invalid
// configurations; all of them are in invalid_cases_test.go.
func TestValidateNeedsNoNetwork(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	for name, tt := range map[string]struct{ config, want string }{
		"valid":   {pushPull(), "Success! The configuration is valid"},
		"missing": {strings.Replace(pushPull(), "RTMP_PUSH", "RTMP_PULL", 1), "`input_source_a` is required when `input` is RTMP_PULL or RTMPS_PULL."},
		"surplus": {pushPull(`timezone = "UTC"`), "`timezone` may only be set when `is_scheduled` is true."},
		"enum":    {strings.Replace(pushPull(), "NORM", "norm", 1), `is "norm"; it must be "HA" or "NORM". Write "NORM".`},
		"skipped": {
			pushPull(`is_scheduled = true`, `timezone = "Europe/Berlin"`, `scheduled_at = "2031-03-30 02:30"`),
			`The nearest valid times are "2031-03-30 01:59" and "2031-03-30 03:00".`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli := acctest.NewCLI(t, s)
			cli.Config(tt.config)
			if r := cli.Run("validate"); !strings.Contains(r.Flat(), tt.want) || (r.Code == 0) != (name == "valid") {
				t.Errorf("exit code %d, want %q in:\n%s", r.Code, tt.want, r.Output)
			}
		})
	}
	t.Cleanup(func() {
		if n := len(s.Journal()); n > 0 {
			t.Errorf("validating made %d calls:\n%s", n, s.JournalText())
		}
	})
}
