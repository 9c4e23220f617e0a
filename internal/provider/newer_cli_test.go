package provider_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
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

func TestQueryStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	for i := range 250 {
		server.AddSession(simulator.SessionRecord{
			Name: fmt.Sprintf("studio-%03d", i), Region: "eu-central-1", Input: "RTMP_PUSH", Mode: "NORM", OutputMode: "RTMP_PULL",
			Codec: "H264", Resolution: "HD", Bitrate: "MAX_20_MBPS", Status: "READY",
		})
	}
	cli := acctest.NewCLI(t, server)
	cli.SkipBelow("queries", "1.14.1", "")
	cli.Config("")
	cli.Write("sessions.tfquery.hcl", "list \"vodlive_live_session\" \"some\" {\n  provider = vodlive\n  limit    = 30\n}\n")
	if n := strings.Count(cli.Must("query").Output, "studio-"); n != 30 {
		t.Errorf("the query shows %d sessions, want 30", n)
	}
	server.AssertCalls(t, simulator.CallListSessions, 1)
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
	for _, part := range []string{"other.mp4 100 %, 5 of 5 B", "submitted vod/input/"} {
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

// TestActionOnAFolderContinues interrupts or kills an action at one of many files, and invokes it
// again.
func TestActionOnAFolderContinues(t *testing.T) {
	t.Parallel()
	for name, blow := range map[string]func(*acctest.Process){
		"killed":      func(p *acctest.Process) { p.KillProvider() },
		"interrupted": func(p *acctest.Process) { p.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const files, stored = 12, 7
			server := acctest.Start(t, simulator.Options{})
			cli := acctest.NewCLI(t, server)
			cli.SkipBelow("actions", "1.14.1", "")
			for i := range files {
				cli.Write(fmt.Sprintf("media/%02d.mp4", i), fmt.Sprintf("content %d", i))
			}
			cli.Config(`
provider "vodlive" {
  upload_concurrency = 1
}
action "vodlive_process_media" "clips" {
  config {
    source_dir    = "media"
    service_modes = ["video_optimizer"]
  }
}`)
			n := 0 // PUTs come one at a time
			hold := server.Hold(simulator.CallPutObject, func(*http.Request) bool { n++; return n > stored })
			p := cli.Start("apply", "-auto-approve", "-invoke=action.vodlive_process_media.clips")
			p.Until(func(ctx context.Context) error { return hold.Arrived(ctx, 1) })
			blow(p)
			if r := p.Wait(); r.Code == 0 {
				t.Fatalf("the action succeeded:\n%s", r.Output)
			} else if name == "interrupted" && !strings.Contains(r.Flat(), "5 of 12 files could not be uploaded") {
				t.Errorf("the output does not say what became of the files:\n%s", r.Output)
			}
			hold.Release()
			server.AssertCalls(t, simulator.CallBatch, 0)
			server.ResetJournal()
			r := cli.Must("apply", "-auto-approve", "-invoke=action.vodlive_process_media.clips")
			for _, part := range []string{"media: 12 of 12 files, 100 %", "submitted all files of media (12): "} {
				if !strings.Contains(r.Output, part) {
					t.Errorf("the output lacks %q:\n%s", part, r.Output)
				}
			}
			server.AssertCalls(t, simulator.CallPutObject, files-stored)
			server.AssertCalls(t, simulator.CallBatch, 1)
		})
	}
}

// TestOnFailureOfAnUploadsAction holds the table of the guide on lifecycle rules.
func TestOnFailureOfAnUploadsAction(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct{ code, jobs, uploads int }{
		"halt":     {code: 1, jobs: 1, uploads: 1},
		"continue": {code: 0, jobs: 1, uploads: 1},
		"taint":    {code: 1, jobs: 2, uploads: 2},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			server := acctest.Start(t, simulator.Options{})
			cli := acctest.NewCLI(t, server)
			cli.SkipBelow("on_failure", "1.16.0", "")
			cli.Write("promo.mp4", "promo")
			cli.Config(`
resource "vodlive_media_upload" "promo" {
  source = "promo.mp4"
  lifecycle {
    action_trigger {
      events     = [after_create]
      actions    = [action.vodlive_submit_batch_job.optimize]
      on_failure = ` + mode + `
    }
  }
}
action "vodlive_submit_batch_job" "optimize" {
  config {
    paths         = [caller.key_path]
    service_modes = ["video_optimizer"]
  }
}`)
			server.Fail(simulator.Fault{Call: simulator.CallBatch, Times: 1, Status: http.StatusForbidden})
			if r := cli.Run("apply", "-auto-approve"); r.Code != want.code {
				t.Errorf("exit code %d, want %d\n%s", r.Code, want.code, r.Output)
			}
			cli.Must("apply", "-auto-approve")
			server.AssertCalls(t, simulator.CallBatch, want.jobs)
			cli.Must("apply", "-auto-approve", "-invoke=action.vodlive_submit_batch_job.optimize")
			server.AssertCalls(t, simulator.CallBatch, want.jobs+1)
			server.AssertCalls(t, simulator.CallPutObject, want.uploads)
		})
	}
}

// TestFailingActionStopsAReplacement: a session whose before_destroy fails stays in the state.
func TestFailingActionStopsAReplacement(t *testing.T) {
	t.Parallel()
	cli := acctest.NewCLI(t, acctest.Start(t, simulator.Options{}))
	cli.SkipBelow("before_destroy", "1.16.0", "")
	config := `
resource "vodlive_live_session" "channel" {
  name         = "NAME"
  region       = "eu-central-1"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
  lifecycle {
    action_trigger {
      events  = [before_destroy]
      actions = [action.vodlive_process_media.running]
    }
  }
}
action "vodlive_process_media" "running" {
  config {
    source        = "missing.txt"
    service_modes = ["video_optimizer"]
  }
}`
	cli.Config(strings.Replace(config, "NAME", "first", 1))
	cli.Must("apply", "-auto-approve")
	before := cli.State()["vodlive_live_session.channel"].Values["id"]
	cli.Config(strings.Replace(config, "NAME", "second", 1))
	if r := cli.Run("apply", "-auto-approve"); r.Code != 1 {
		t.Errorf("exit code %d\n%s", r.Code, r.Output)
	}
	if after := cli.State()["vodlive_live_session.channel"].Values["id"]; after != before || before == nil {
		t.Errorf("the state has session %v, want %v", after, before)
	}
}

// TestDestroyFalseAsksNoProvider holds what the guide on lifecycle rules says of a session with
// destroy = false: deletion_protection refuses only a change of an argument.
func TestDestroyFalseAsksNoProvider(t *testing.T) {
	t.Parallel()
	cli := acctest.NewCLI(t, acctest.Start(t, simulator.Options{}))
	cli.SkipBelow("destroy = false", "1.16.0", "1.12.0")
	configure := func(name, lifecycle string) {
		cli.Config(fmt.Sprintf(`
resource "vodlive_live_session" "main" {
  name                = %q
  region              = "eu-central-1"
  input               = "RTMP_PUSH"
  mode                = "NORM"
  output_mode         = "RTMP_PULL"
  input_preset        = { resolution = "HD", bitrate = "MAX_10_MBPS" }
  deletion_protection = true
  lifecycle {
    destroy         = false
    prevent_destroy = %s
  }
}`, name, lifecycle))
	}
	configure("first", "false")
	cli.Must("apply", "-auto-approve")
	configure("second", "false")
	if r := cli.Run("plan"); r.Code != 1 || !strings.Contains(r.Flat(), "is protected from deletion") {
		t.Errorf("a change of the name is not refused: exit code %d\n%s", r.Code, r.Output)
	}
	configure("first", "false")
	cli.Must("plan", "-destroy")
	cli.Must("taint", "vodlive_live_session.main")
	cli.Must("plan")
	configure("first", "true")
	code := 1
	if cli.IsTofu() {
		code = 0
	}
	for _, args := range [][]string{{"plan"}, {"plan", "-destroy"}} {
		if r := cli.Run(args...); r.Code != code {
			t.Errorf("%v with prevent_destroy: exit code %d, want %d\n%s", args, r.Code, code, r.Output)
		}
	}
}

// TestDestroyFalseHidesATaintedUpload holds what the guide on lifecycle rules says of an
// interrupted upload with destroy = false: without a record, only untaint resumes it.
func TestDestroyFalseHidesATaintedUpload(t *testing.T) {
	t.Parallel()
	const parts = 3
	for name, again := range map[string]int{"tainted": parts, "untainted": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := acctest.Start(t, simulator.Options{})
			cli := acctest.NewCLI(t, server)
			cli.SkipBelow("destroy = false", "1.16.0", "1.12.0")
			cli.Write("promo.mp4", strings.Repeat("promo ", parts*5<<20/6))
			cli.Config(`
provider "vodlive" {
  max_retries        = 0
  resume_dir         = ""
  upload_concurrency = 1
}
resource "vodlive_media_upload" "promo" {
  source    = "promo.mp4"
  method    = "multipart"
  part_size = 5242880
  lifecycle {
    destroy = false
  }
}`)
			server.Fail(simulator.Fault{Call: simulator.CallPutPart, After: parts - 1, Status: http.StatusForbidden})
			if r := cli.Run("apply", "-auto-approve"); r.Code != 1 {
				t.Fatalf("exit code %d\n%s", r.Code, r.Output)
			}
			if name == "untainted" {
				cli.Must("untaint", "vodlive_media_upload.promo")
			}
			server.ClearFaults()
			server.ResetJournal()
			cli.Must("apply", "-auto-approve")
			server.AssertCalls(t, simulator.CallPutPart, again)
		})
	}
}
