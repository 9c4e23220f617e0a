package mediaupload_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// later configures the resource with a source that is unknown in every plan in which trigger has
// changed.
func (w *world) later(source, trigger string, arguments ...string) {
	w.Config(fmt.Sprintf(`
resource "terraform_data" "path" {
  input            = %q
  triggers_replace = %q
}
resource "vodlive_media_upload" "file" {
  source = terraform_data.path.output
  %s
}`, source, trigger, strings.Join(arguments, "\n  ")))
}

// TestEachKeepsItsOwnUpload has two resources of the same content whose sources are known only at
// apply.
func TestEachKeepsItsOwnUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	media(t, filepath.Join(w.Dir, "second.mp4"), 1000, 1)
	config := func(trigger string) {
		w.Config(fmt.Sprintf(`
resource "terraform_data" "path" {
  for_each         = toset(["media.mp4", "second.mp4"])
  input            = each.key
  triggers_replace = %q
}
resource "vodlive_media_upload" "each" {
  for_each = terraform_data.path
  source   = each.value.output
}`, trigger))
	}
	config("1")
	w.apply()
	before := w.State()
	config("2")
	w.apply()
	want(t, "objects", len(w.server.Objects()), 2)
	after := w.State()
	for _, name := range []string{"media.mp4", "second.mp4"} {
		each := fmt.Sprintf("vodlive_media_upload.each[%q]", name)
		want(t, "key path of "+name, after[each].Values["key_path"], before[each].Values["key_path"])
		want(t, "file_name of "+name, after[each].Values["file_name"], name)
	}
	w.AssertNoChanges()
}

// TestJobOnASourceThatIsKnownOnlyAtApply keeps an upload and the batch job that depends on it,
// whether or not the plan knows the content.
func TestJobOnASourceThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"content unknown": false, "content known": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1000)
			const job = "resource \"vodlive_batch_job\" \"job\" {\n  paths = [vodlive_media_upload.file.key_path]\n  service_modes = [\"video_optimizer\"]\n}\n"
			var arguments []string
			if known {
				arguments = []string{fmt.Sprintf("sha256 = %q", w.sum)}
			}
			w.Write("job.tf", job)
			for _, trigger := range []string{"1", "2"} {
				w.later("media.mp4", trigger, arguments...)
				w.apply()
			}
			onlyObject(t, w.server)
			want(t, "batches", len(w.server.Batches()), 1)
			w.AssertNoChanges()
		})
	}
}

// TestNewObjectOfTheSameContentKeepsItsName makes a second object of the same content between the
// Delete and the Create of one that may keep its stored file.
func TestNewObjectOfTheSameContentKeepsItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	media(t, filepath.Join(w.Dir, "second.mp4"), 1000, 1)
	w.later("media.mp4", "1")
	w.apply()
	w.Write("second.tf", `
resource "vodlive_media_upload" "second" {
  source     = "second.mp4"
  depends_on = [terraform_data.path]
}`)
	w.later("media.mp4", "2", "depends_on = [vodlive_media_upload.second]")
	w.apply()
	state := w.State()
	want(t, "file_name", state[address].Values["file_name"], "media.mp4")
	want(t, "file_name of the second", state["vodlive_media_upload.second"].Values["file_name"], "second.mp4")
	w.AssertNoChanges()
}

// TestNewObjectWhoseHashIsKnownOnlyAtApply is the same with a second object of which the plan does
// not know the content.
func TestNewObjectWhoseHashIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	media(t, filepath.Join(w.Dir, "second.mp4"), 1000, 1)
	w.later("media.mp4", "1")
	w.apply()
	w.Write("second.tf", fmt.Sprintf(`
resource "terraform_data" "hash" {
  input      = %q
  depends_on = [terraform_data.path]
}
resource "vodlive_media_upload" "second" {
  source = "second.mp4"
  sha256 = terraform_data.hash.output
}`, w.sum))
	w.later("media.mp4", "2", "depends_on = [vodlive_media_upload.second]")
	w.apply()
	w.AssertNoChanges()
}
