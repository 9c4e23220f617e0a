package provider_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestQueryImportsAWholeAccount lists an account, has Terraform write its configuration, and plans
// that without an edit.
func TestQueryImportsAWholeAccount(t *testing.T) {
	t.Parallel()
	const sessions = 250
	server := acctest.Start(t, simulator.Options{})
	for i := range sessions {
		record := simulator.SessionRecord{
			Name: fmt.Sprintf("studio-%03d", i), Region: "eu-central-1", Input: "RTMP_PUSH", Mode: "NORM", OutputMode: "RTMPS_PULL",
			Codec: "H264", Resolution: "HD", Bitrate: "MAX_20_MBPS", Status: "READY", EnableInputRecord: i%2 == 0,
		}
		if i%3 == 0 {
			record.Mode = "HA"
		}
		if i%5 == 0 {
			record.IsScheduled, record.Timezone, record.ScheduledAt, record.Status = true, "Europe/Berlin", "2020-05-17 20:15", "STOPPED"
		}
		server.AddSession(record)
	}
	cli := acctest.NewCLI(t, server)
	cli.SkipBelow("queries", "1.14.1", "")
	cli.Config("")
	cli.Write("sessions.tfquery.hcl", "list \"vodlive_live_session\" \"all\" {\n  provider = vodlive\n  limit    = 1000\n}\n")

	r := cli.Must("query", "-generate-config-out=generated.tf")
	if n := strings.Count(r.Output, "studio-"); n != sessions {
		t.Errorf("the query shows %d sessions, want %d", n, sessions)
	}
	server.AssertCalls(t, simulator.CallListSessions, 3)
	server.AssertCalls(t, simulator.CallGetSession, 0)

	want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", sessions)
	if r = cli.Must("plan"); !strings.Contains(r.Output, want) {
		t.Errorf("the plan lacks %q:\n%s", want, r.Output)
	}
	cli.Must("apply", "-auto-approve")
	cli.AssertNoChanges()
	t.Logf("calls: %v", server.Counts())
}

func TestActionsRunWhenInvokedAndWhenTriggered(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	cli.SkipBelow("actions", "1.14.1", "")
	cli.Write("promo.mp4", "promo")
	cli.Write("other.mp4", "other")
	cli.Config(`
resource "vodlive_media_upload" "promo" {
  source = "promo.mp4"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.vodlive_submit_batch_job.optimize]
    }
  }
}
action "vodlive_submit_batch_job" "optimize" {
  config {
    paths         = [vodlive_media_upload.promo.key_path]
    service_modes = ["video_optimizer"]
  }
}
action "vodlive_process_media" "other" {
  config {
    source        = "other.mp4"
    service_modes = ["video_optimizer"]
  }
}`)
	r := cli.Must("apply", "-auto-approve")
	if !strings.Contains(r.Output, "submitting a batch job on vod/input/") {
		t.Errorf("the action showed no progress:\n%s", r.Output)
	}
	server.AssertCalls(t, simulator.CallBatch, 1)
	cli.AssertNoChanges()

	r = cli.Must("apply", "-auto-approve", "-invoke=action.vodlive_process_media.other")
	for _, part := range []string{"other.mp4: 100 %, 5 B of 5 B", "submitting a batch job on the stored files (1)"} {
		if !strings.Contains(r.Output, part) {
			t.Errorf("the output lacks %q:\n%s", part, r.Output)
		}
	}
	server.AssertCalls(t, simulator.CallBatch, 2)
	objects := server.Objects()
	if len(objects) != 2 || objects[1].SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte("other"))) {
		t.Errorf("objects: %+v", objects)
	}
}
