package mediaupload_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// later configures the resource with a source that is unknown in every plan in which trigger has changed.
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

func (w *world) rename(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(w.Dir, name)
	if err := os.Rename(w.path, path); err != nil {
		t.Fatal(err)
	}
	w.path = path
}

// importWithoutFile uploads the file, forgets it, takes the file away and imports the upload under the configuration
// that configure writes.
func (w *world) importWithoutFile(t *testing.T, configure func()) (keyPath string) {
	t.Helper()
	w.upload()
	w.apply()
	keyPath = onlyObject(t, w.server).KeyPath
	w.Must("state", "rm", address)
	w.rename(t, "away")
	configure()
	w.Must("import", address, keyPath)
	contains(t, w.apply(), "The uploaded file is not here")
	w.AssertNoChanges()
	return keyPath
}

func TestImportWithoutTheFileLearnsTheRestLater(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		first, later []string // arguments while the file is absent, and once it is back
		sha256       bool     // whether sha256 is configured, too
		contentType  string
	}{
		"nothing configured":           {contentType: "video/mp4"},
		"hash":                         {sha256: true, contentType: "video/mp4"},
		"hash, then a type":            {sha256: true, later: []string{`content_type = "video/x-other"`}, contentType: "video/x-other"},
		"type":                         {first: []string{`content_type = "video/x-other"`}, later: []string{`content_type = "video/x-other"`}, contentType: "video/x-other"},
		"nothing, then another method": {later: []string{`method = "multipart"`}, contentType: "video/mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1000)
			configure := func(arguments []string) {
				if tc.sha256 {
					arguments = append(arguments, fmt.Sprintf("sha256 = %q", w.sum))
				}
				w.upload(arguments...)
			}
			key := w.importWithoutFile(t, func() { configure(tc.first) })
			w.rename(t, "media.mp4")
			calls := len(w.server.Journal())
			configure(tc.later)
			contains(t, w.apply(), "The local file is assumed to be the imported one")
			w.AssertNoChanges()
			state := w.State()[address].Values
			for attribute, value := range map[string]any{"key_path": key, "size": 1000, "content_type": tc.contentType, "sha256": w.sum} {
				want(t, attribute, state[attribute], value)
			}
			want(t, "requests", len(w.server.Journal()), calls)
		})
	}
}

// TestImportLearnsFromASourceThatIsKnownOnlyAtApply has the file come back under a source that the plan does not know.
func TestImportLearnsFromASourceThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	hash := fmt.Sprintf("sha256 = %q", w.sum)
	key := w.importWithoutFile(t, func() { w.upload(hash) })
	w.rename(t, "media.mp4")
	w.later("media.mp4", "1", hash)
	w.apply()
	w.AssertNoChanges()
	state := w.State()[address].Values
	for attribute, value := range map[string]any{"key_path": key, "size": 1000, "content_type": "video/mp4"} {
		want(t, attribute, state[attribute], value)
	}
}

func TestImportUnderAnotherNameIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.apply()
	key := onlyObject(t, w.server).KeyPath
	w.Must("state", "rm", address)
	w.Must("import", address, key)
	for name, configure := range map[string]func(){
		"source known":   func() { w.upload(`file_name = "other.mp4"`) },
		"source unknown": func() { w.later("media.mp4", "1", `file_name = "other.mp4"`) },
	} {
		configure()
		r := w.Run("plan")
		want(t, name+": exit code", r.Code, 1)
		contains(t, r, "The imported file has another name", `"media.mp4"`, `"other.mp4"`)
	}
}

// TestRenamedSourceThatIsKnownOnlyAtApply renames the file and leaves its content: nothing is to be sent.
func TestRenamedSourceThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][]string{
		"renamed.mp4": nil,
		"renamed.mov": nil, // whose media type is another one
		"renamed":     {`file_name = "media.mp4"`},
		"second.mov":  {`content_type = "video/mp4"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1000)
			w.later("media.mp4", "1", arguments...)
			w.apply()
			first := onlyObject(t, w.server)
			w.rename(t, name)
			w.later(name, "2", arguments...)
			contains(t, w.Must("plan"), "must be replaced")
			w.apply()
			onlyObject(t, w.server)
			state := w.State()[address].Values
			for attribute, value := range map[string]any{
				"key_path": first.KeyPath, "file_name": "media.mp4", "content_type": "video/mp4", "source": name, "size": 1000, "sha256": w.sum,
			} {
				want(t, attribute, state[attribute], value)
			}
			w.AssertNoChanges()
		})
	}
}

// TestRenamedSourceWhoseTypeIsKnownOnlyAtApply renames the file while its media type comes from another resource.
func TestRenamedSourceWhoseTypeIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	config := func(source, trigger string) {
		w.Config(fmt.Sprintf(`
resource "terraform_data" "type" {
  input            = "video/mp4"
  triggers_replace = %q
}
resource "vodlive_media_upload" "file" {
  source       = %q
  content_type = terraform_data.type.output
}`, trigger, source))
	}
	config("media.mp4", "1")
	w.apply()
	w.rename(t, "renamed.mp4")
	config("renamed.mp4", "2")
	w.apply()
	onlyObject(t, w.server)
	want(t, "file_name", w.State()[address].Values["file_name"], "media.mp4")
	w.AssertNoChanges()
}

// TestEachKeepsItsOwnUpload has two resources of the same content whose sources are known only at apply.
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

func TestConfigurationThatAnUnknownSourceNeedsIsCheckedByThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	incomplete := func(what string) {
		address, token := w.Env("VODLIVE_VOD_BASE_URL"), w.Env("VODLIVE_ID_TOKEN")
		w.Setenv("VODLIVE_VOD_BASE_URL", "")
		r := w.Run("plan")
		want(t, what+": exit code without an address", r.Code, 1)
		contains(t, r, "`vod_base_url`", "needed by vodlive_media_upload")
		w.Setenv("VODLIVE_VOD_BASE_URL", address)

		w.Setenv("VODLIVE_ID_TOKEN", "eyJhbGciOiJub25lIn0.eyJleHAiOjE3MDAwMDAwMDB9.c2ln")
		r = w.Run("plan")
		want(t, what+": exit code with an expired token", r.Code, 1)
		contains(t, r, "expired at 2023-11-14T22:13:20Z")
		w.Setenv("VODLIVE_ID_TOKEN", token)
	}
	w.later("media.mp4", "1")
	incomplete("new upload")
	w.apply()
	w.later("media.mp4", "2")
	incomplete("replacement")

	// With sha256 the plan knows that nothing is to be sent.
	w.later("media.mp4", "2", fmt.Sprintf("sha256 = %q", w.sum))
	w.Setenv("VODLIVE_VOD_BASE_URL", "")
	contains(t, w.Must("plan"), address+" will be updated in-place")
}

// TestReplacementThatWasAskedForSendsEverything asks for another upload of the same content. The plan does not read the
// file, so it does not know the media type.
func TestReplacementThatWasAskedForSendsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.rename(t, "media")
	config := fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source = \"media\"\n  sha256 = %q\n}\n", w.sum)
	w.Config(config)
	w.apply()
	w.Must("apply", "-auto-approve", "-replace="+address)
	want(t, "objects after -replace", len(w.server.Objects()), 2)
	w.Must("taint", address)
	w.apply()
	want(t, "objects after taint", len(w.server.Objects()), 3)
	w.AssertNoChanges()
}

func TestTaintOfASourceThatIsKnownOnlyAtApplySendsEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.later("media.mp4", "1")
	w.apply()
	w.Must("taint", address)
	w.later("media.mp4", "2")
	w.apply()
	want(t, "objects", len(w.server.Objects()), 2)
	w.AssertNoChanges()
}

// TestNameThatIsKnownOnlyAtApplyWithoutTheFile plans a complete upload whose file is not here and whose name comes from
// another resource.
func TestNameThatIsKnownOnlyAtApplyWithoutTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	config := func(name, trigger string) {
		w.Config(fmt.Sprintf(`
resource "terraform_data" "name" {
  input            = %q
  triggers_replace = %q
}
resource "vodlive_media_upload" "file" {
  source    = "media.mp4"
  file_name = terraform_data.name.output
}`, name, trigger))
	}
	config("a.mp4", "1")
	w.apply()
	object := onlyObject(t, w.server)
	w.rename(t, "away")
	config("a.mp4", "2")
	contains(t, w.apply(), "The uploaded file is not here")
	w.AssertNoChanges()

	config("b.mp4", "3")
	w.Run("apply", "-auto-approve")
	r := w.Run("plan")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "media.mp4 does not exist, and `file_name` asks for a new upload")
	want(t, "key_path", w.State()[address].Values["key_path"], object.KeyPath)
}

func TestTimeLimitThatLeavesNoTimeLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000)
	w.upload()
	w.apply()
	object := onlyObject(t, w.server)
	media(t, w.path, 1000, 2)
	for _, limit := range []string{"0s", "-5m", "soon", ""} {
		w.upload(fmt.Sprintf("timeouts = { create = %q }", limit))
		r := w.Run("apply", "-auto-approve")
		want(t, fmt.Sprintf("exit code under %q", limit), r.Code, 1)
		contains(t, r, "Invalid timeouts.create", fmt.Sprintf("%q was given", limit))
	}
	want(t, "key_path", w.State()[address].Values["key_path"], object.KeyPath)
}

func TestSinglePutThatIsTooLargeIsFoundByThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	// A file without content: its hash is given, so the plan does not read it.
	hash := fmt.Sprintf("sha256 = %q", strings.Repeat("ab", 32))
	if err := os.Truncate(w.path, 5<<30+1); err != nil {
		t.Fatal(err)
	}
	w.upload(`method = "single"`, hash)
	r := w.Run("plan")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "has 5368709121 bytes", "5368709120 bytes", "`method`", `"multipart"`)
	w.upload(hash)
	w.Must("plan")

	if err := os.Truncate(w.path, 5<<30); err != nil {
		t.Fatal(err)
	}
	w.upload(`method = "single"`, hash)
	w.Must("plan")
	w.server.AssertCalls(t, simulator.CallPresignURL, 0)
}

// TestImportWhoseNameIsKnownOnlyAtApply imports an upload whose file_name comes from another resource.
func TestImportWhoseNameIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for name, problem := range map[string]string{"media.mp4": "", "other.mp4": "The imported file has another name"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1000)
			w.upload()
			w.apply()
			key := onlyObject(t, w.server).KeyPath
			w.Must("state", "rm", address)
			w.Must("import", address, key)
			w.Config(fmt.Sprintf(`
resource "terraform_data" "name" {
  input = %q
}
resource "vodlive_media_upload" "file" {
  source    = "media.mp4"
  file_name = terraform_data.name.output
}`, name))
			r := w.Run("apply", "-auto-approve")
			onlyObject(t, w.server)
			want(t, "key_path", w.State()[address].Values["key_path"], key)
			if problem != "" {
				want(t, "exit code", r.Code, 1)
				contains(t, r, problem)
				return
			}
			want(t, "exit code", r.Code, 0)
			w.AssertNoChanges()
		})
	}
}

// TestJobOnASourceThatIsKnownOnlyAtApply keeps an upload and the batch job that depends on it, whether or not the plan
// knows the content.
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

// TestNewObjectOfTheSameContentKeepsItsName makes a second object of the same content between the Delete and the Create
// of one that may keep its stored file.
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

// TestNewObjectWhoseHashIsKnownOnlyAtApply is the same with a second object of which the plan does not know the content.
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
