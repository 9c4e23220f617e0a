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
			f := newFixture(t, 1)
			f.Config(fmt.Sprintf(`
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
			f.apply()
			f.AssertNoChanges()
			object, job := onlyObject(t, f.server), f.State()["vodlive_batch_job.job"].Values["id"]

			if err := os.Remove(f.Dir + "/made.mp4"); err != nil {
				t.Fatal(err)
			}
			f.Must("taint", "terraform_data.make")
			f.apply()
			f.AssertNoChanges()
			want(t, "key_path", f.State()[address].Values["key_path"], object.KeyPath)
			want(t, "job", f.State()["vodlive_batch_job.job"].Values["id"], job)
			onlyObject(t, f.server)
			want(t, "jobs", len(f.server.Batches()), 1)
		})
	}
}

// TestImportThatIgnoresTheSource: with ignore_changes, Terraform plans an imported upload without a source.
func TestImportThatIgnoresTheSource(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	f.upload()
	f.apply()
	key := onlyObject(t, f.server).KeyPath
	f.Must("state", "rm", address)
	f.upload("lifecycle {\n    ignore_changes = [source]\n  }")
	f.Must("import", address, key)
	f.AssertNoChanges()
	if r := f.apply(); strings.Contains(r.Flat(), "is not here") {
		t.Error(r.Output)
	}
	onlyObject(t, f.server)
}
