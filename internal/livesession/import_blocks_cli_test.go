package livesession_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestImportBlocksImportAnAccount imports what the data source returned, with a real CLI: nothing
// changes, and the plan is empty afterwards. VODLIVE_TEST_SESSIONS sets the number of sessions.
func TestImportBlocksImportAnAccount(t *testing.T) {
	t.Parallel()
	sessions := 120
	if n, err := strconv.Atoi(os.Getenv("VODLIVE_TEST_SESSIONS")); err == nil {
		sessions = n
	}
	s := acctest.Start(t, simulator.Options{})
	for i := range sessions {
		r := simulator.SessionRecord{ID: fmt.Sprintf("session-%04d", i), Name: fmt.Sprintf("studio %d", i/2), Region: "eu-central-1", EnableInputRecord: i%2 == 0}
		switch i % 5 {
		case 1:
			r.Mode, r.Input, r.OutputMode = "HA", "RTMP_PULL", "RTMPS_PUSH"
			r.InputSourceA, r.InputSourceB = "rtmp://a.example.com/in/s3cret-a-"+r.ID, "rtmp://b.example.com/in/s3cret-b-"+r.ID
			r.OutputDestinationA, r.OutputDestinationB = "rtmps://a.example.com/out/s3cret-${a}-"+r.ID, "rtmps://b.example.com/out/s3cret-b-"+r.ID
		case 2:
			r.IsScheduled, r.Timezone, r.ScheduledAt, r.Status = true, "Europe/Berlin", "2020-05-17 20:15", "STOPPED"
		case 3:
			r.Name = []string{"${path.module} %{ if true }", `quoted "name" \ $${x}`, "決勝 – \u00ad", "tab", "$", "%{"}[i/5%6]
		}
		s.AddSession(r)
	}
	cli := acctest.NewCLI(t, s)
	cli.SkipBelow("provider functions", "1.8.0", "1.7.0")
	cli.Config(`
data "vodlive_live_sessions" "all" {
  include_urls = true
}
output "blocks" {
  value = provider::vodlive::format_import_blocks(data.vodlive_live_sessions.all.sessions)
}
output "urls" {
  value     = jsonencode({ session_urls = data.vodlive_live_sessions.all.urls })
  sensitive = true
}
`)
	cli.Must("apply", "-auto-approve")
	blocks := cli.Must("output", "-raw", "blocks").Output
	if strings.Contains(blocks, "s3cret") {
		t.Error("the text has a stream key")
	}

	fresh := acctest.NewCLI(t, s)
	fresh.Config(blocks)
	fresh.Must("fmt", "-check", "-diff", "main.tf")
	page, err := os.ReadFile("../../docs/guides/importing.md")
	redirected := regexp.MustCompile(`terraform output -raw urls > (\S+)`).FindSubmatch(page)
	if err != nil || redirected == nil {
		t.Fatal("the page does not write the URLs into a file", err)
	}
	cli.Write(string(redirected[1]), "") // as the shell does, before it runs the command
	fresh.Write("urls.auto.tfvars.json", cli.Must("output", "-raw", "urls").Output)
	start := time.Now()
	out := fresh.Must("apply", "-auto-approve").Flat()
	if want := fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", sessions); !strings.Contains(out, want) {
		t.Errorf("the output lacks %q: %.3000s", want, out)
	}
	t.Logf("%d sessions imported in %v", sessions, time.Since(start).Round(time.Millisecond))
	fresh.AssertNoChanges()
	s.AssertCalls(t, simulator.CallCreateSession, 0)
}
