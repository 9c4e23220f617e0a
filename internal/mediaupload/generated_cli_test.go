package mediaupload_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestFileMadeAnewByTheApply has a resource make the file, and make it again as it was on a runner that
// does not have it.
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

// TestImportThatIgnoresTheSource: with ignore_changes, Terraform plans an imported upload without a source.
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
