package provider_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// everyKind makes a session, an upload and a job.
const everyKind = `
provider "vodlive" {
  max_retries = 0
}

resource "vodlive_live_session" "match" {
  name          = "match"
  region        = "eu-central-1"
  input         = "RTMP_PUSH"
  mode          = "NORM"
  output_mode   = "RTMP_PULL"
  input_preset  = { resolution = "HD", bitrate = "MAX_10_MBPS" }
}

resource "vodlive_media_upload" "promo" {
  content   = "WEBVTT"
  file_name = "promo.vtt"
}

resource "vodlive_batch_job" "promo" {
  paths         = [vodlive_media_upload.promo.key_path]
  service_modes = ["video_optimizer"]
}
`

// TestStateThatABackendDidNotSave: nothing is made again after a run whose state a remote backend
// refused, lost, or had not got yet when the CLI was killed. The provider has ended by then, as the
// CLI asked it to.
func TestStateThatABackendDidNotSave(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(t *testing.T, b *acctest.Backend, cli *acctest.CLI){
		"refused": func(t *testing.T, b *acctest.Backend, cli *acctest.CLI) {
			t.Helper()
			b.Saves(func() (int, bool) { return http.StatusInternalServerError, false })
			if r := cli.Start("apply", "-auto-approve").Wait(); r.Code == 0 {
				t.Errorf("the apply ended well\n%s", r.Output)
			}
		},
		"dropped": func(t *testing.T, b *acctest.Backend, cli *acctest.CLI) {
			t.Helper()
			b.Saves(func() (int, bool) { return http.StatusOK, false })
			cli.Start("apply", "-auto-approve").Wait()
		},
		"killed while the backend holds the state": func(t *testing.T, b *acctest.Backend, cli *acctest.CLI) {
			t.Helper()
			arrived, over := make(chan struct{}, 1), make(chan struct{})
			b.Saves(func() (int, bool) {
				arrived <- struct{}{}
				<-over
				return http.StatusOK, false
			})
			p := cli.Start("apply", "-auto-approve")
			p.Until(func(ctx context.Context) error {
				select {
				case <-arrived:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			p.Signal(os.Kill)
			p.Wait()
			close(over)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{})
			cli := acctest.NewCLI(t, s)
			b := acctest.NewBackend(t)
			cli.Init(b.Block())
			cli.Config(b.Block() + everyKind)
			fail(t, b, cli)
			made := s.Sessions()
			if len(made) != 1 || len(s.Objects()) != 1 || len(s.Batches()) != 1 {
				t.Fatalf("%d sessions, %d objects, %d jobs", len(made), len(s.Objects()), len(s.Batches()))
			}
			for _, name := range ledgerLines(t, cli) {
				line, err := os.ReadFile(cli.Env("VODLIVE_RESUME_DIR") + "/terraform-provider-vodlive/" + name)
				if err != nil || runtime.GOOS == "linux" && !runWithStart.Match(line) {
					t.Errorf("the run lacks the time of its start: %s, %v", line, err)
				}
			}
			_ = os.Remove(cli.Dir + "/errored.tfstate")
			b.Saves(func() (int, bool) { return http.StatusOK, true })
			for range 2 { // the same at every further apply
				r := cli.Run("apply", "-auto-approve")
				if r.Code == 0 || !strings.Contains(r.Flat(), "An earlier run has created this live session") || !strings.Contains(r.Flat(), "terraform state list -id='"+made[0].ID) {
					t.Fatalf("exit code %d\n%s", r.Code, r.Output)
				}
			}
			cli.Config(b.Block() + everyKind + fmt.Sprintf("\nimport {\n  to = vodlive_live_session.match\n  id = %q\n}\n", made[0].ID))
			cli.Must("apply", "-auto-approve")
			cli.AssertNoChanges()
			if lines := ledgerLines(t, cli); len(lines) > 0 {
				t.Errorf("lines of what the state has: %q", lines)
			}
			s.AssertCalls(t, simulator.CallCreateSession, 1)
			s.AssertCalls(t, simulator.CallBatch, 1)
			s.AssertCalls(t, simulator.CallPutObject, 1)
		})
	}
}

// runWithStart is a run in a line: a process id, which may be used again, and when it began.
var runWithStart = regexp.MustCompile(`"run": ?"\d+ \d+"`)

// ledgerLines are the files of the ledger.
func ledgerLines(t *testing.T, cli *acctest.CLI) (lines []string) {
	t.Helper()
	entries, err := os.ReadDir(cli.Env("VODLIVE_RESUME_DIR") + "/terraform-provider-vodlive")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".json") && !strings.HasPrefix(e.Name(), "upload-") {
			lines = append(lines, e.Name())
		}
	}
	return lines
}

// TestTwoBackendsOfOneFolder: what a run for production made gets into no state of staging.
func TestTwoBackendsOfOneFolder(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, s)
	const block = "terraform {\n  backend \"local\" {}\n}\n"
	initialize := func(name string) {
		cli.Write("main.tf", block)
		cli.Must("init", "-reconfigure", "-backend-config=path="+name+".tfstate")
		cli.Config(block + everyKind)
	}
	initialize("production")
	all := func(*http.Request) bool { return true }
	submitted, created := s.Hold(simulator.CallBatch, all), s.Hold(simulator.CallGetSession, all)
	p := cli.Start("apply", "-auto-approve")
	p.Until(func(ctx context.Context) error {
		return errors.Join(submitted.Arrived(ctx, 1), created.Arrived(ctx, 1))
	})
	p.Signal(os.Kill)
	p.Wait()
	submitted.Release()
	created.Release()
	initialize("staging")
	cli.Must("apply", "-auto-approve")
	cli.AssertNoChanges()
	s.AssertCalls(t, simulator.CallPutObject, 2)
	sessions := s.Sessions()
	if len(sessions) != 2 {
		t.Fatalf("%d sessions", len(sessions))
	}
	state, err := os.ReadFile(cli.Dir + "/staging.tfstate")
	if err != nil || strings.Contains(string(state), sessions[0].ID) || strings.Contains(string(state), s.Objects()[0].KeyPath) {
		t.Errorf("the state of staging has what is production's: %v\n%s", err, state)
	}
}
