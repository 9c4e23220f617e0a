package livesession_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const address = "vodlive_live_session.match"

// pushPull is the configuration of a session, PUSH in and PULL out, with more arguments.
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

var matchRecord = simulator.SessionRecord{Name: "match", Region: "eu-central-1"}

func TestImportBlockWithIdentity(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{OutputModeShape: "empty-object"})
	cli := acctest.NewCLI(t, s)
	cli.SkipBelow("import by identity", "1.12.0", "1.12.0")
	cli.Config(pushPull() + fmt.Sprintf("import {\n  to = %s\n  identity = { id = %q }\n}\n", address, s.AddSession(matchRecord)))
	if out := cli.Must("apply", "-auto-approve").Flat(); !strings.Contains(out, "1 imported, 0 added, 0 changed, 0 destroyed") {
		t.Error(out)
	}
	cli.AssertNoChanges()
	s.AssertCalls(t, simulator.CallCreateSession, 0)
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
