package mediaupload_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestFileMadeAnewByTheApply has a resource make the file, and make it again as it was on a runner
// that does not have it.
func TestFileMadeAnewByTheApply(t *testing.T) {
	t.Parallel()
	for name, argument := range map[string]string{
		"hash":     `sha256 = terraform_data.make.id == "" ? "" : sha256("some media\n")`,
		"triggers": `triggers = { made_by = terraform_data.make.id }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.Config(fmt.Sprintf(`
resource "terraform_data" "make" {
  provisioner "local-exec" {
    command = "echo some media > made.mp4"
  }
}
resource "vodlive_media_upload" "file" {
  source = "made.mp4"
  %s
}
resource "vodlive_batch_job" "job" {
  paths         = [vodlive_media_upload.file.key_path]
  service_modes = ["video_optimizer"]
}`, argument))
			w.apply()
			w.AssertNoChanges()
			object, job := onlyObject(t, w.server), w.State()["vodlive_batch_job.job"].Values["id"]

			if err := os.Remove(w.Dir + "/made.mp4"); err != nil {
				t.Fatal(err)
			}
			w.Must("taint", "terraform_data.make")
			w.apply()
			w.AssertNoChanges()
			want(t, "key_path", w.State()[address].Values["key_path"], object.KeyPath)
			want(t, "job", w.State()["vodlive_batch_job.job"].Values["id"], job)
			onlyObject(t, w.server)
			want(t, "jobs", len(w.server.Batches()), 1)
		})
	}
}

// TestScriptThatFails: what depends on what makes the file stays in the state when that fails, and
// nothing is made twice.
func TestScriptThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	config := func(version, command string) {
		w.Config(fmt.Sprintf(`
resource "terraform_data" "archive" {
  triggers_replace = %q
  provisioner "local-exec" {
    command = %q
  }
}
resource "vodlive_media_upload" "archive" {
  source   = "made.tar"
  triggers = { made_by = terraform_data.archive.id }
}
resource "vodlive_batch_job" "job" {
  paths         = [vodlive_media_upload.archive.key_path]
  service_modes = ["video_optimizer"]
  triggers      = { made_by = terraform_data.archive.id }
}
resource "vodlive_live_session" "match" {
  name         = "match ${terraform_data.archive.id == "" ? "" : "1"}"
  region       = "eu-central-1"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
}`, version, command))
	}
	const made = "echo some captions > made.tar"
	config("1", made)
	w.apply()
	before := w.State()
	config("2", "exit 1")
	r := w.Run("apply", "-auto-approve")
	after := w.State()
	for _, address := range []string{"vodlive_media_upload.archive", "vodlive_batch_job.job", "vodlive_live_session.match"} {
		if r.Code == 0 || after[address].Values["id"] != before[address].Values["id"] || after[address].Tainted {
			t.Errorf("exit code %d, %s is %v\n%s", r.Code, address, after[address], r.Output)
		}
	}
	config("2", made)
	w.apply()
	w.AssertNoChanges()
	onlyObject(t, w.server)
	want(t, "sessions", len(w.server.Sessions()), 1)
	want(t, "jobs", len(w.server.Batches()), 2) // another trigger
}

// TestImportThatIgnoresTheSource: with ignore_changes, Terraform plans an imported upload without a
// source.
func TestImportThatIgnoresTheSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.apply()
	key := onlyObject(t, w.server).KeyPath
	w.Must("state", "rm", address)
	w.upload("lifecycle {\n    ignore_changes = [source]\n  }")
	w.Must("import", address, key)
	w.AssertNoChanges()
	if r := w.apply(); strings.Contains(r.Flat(), "is not here") {
		t.Error(r.Output)
	}
	onlyObject(t, w.server)
}
