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
func (f *fixture) later(source, trigger string, arguments ...string) {
	f.Config(fmt.Sprintf(`
resource "terraform_data" "path" {
  input            = %q
  triggers_replace = %q
}
resource "vodlive_media_upload" "file" {
  source = terraform_data.path.output
  %s
}`, source, trigger, strings.Join(arguments, "\n  ")))
}

func (f *fixture) rename(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(f.Dir, name)
	if err := os.Rename(f.path, path); err != nil {
		t.Fatal(err)
	}
	f.path = path
}

// importWithoutFile uploads the file, forgets it, takes the file away and imports the upload under the configuration
// that configure writes.
func (f *fixture) importWithoutFile(t *testing.T, configure func()) (keyPath string) {
	t.Helper()
	f.upload()
	f.apply()
	keyPath = onlyObject(t, f.server).KeyPath
	f.Must("state", "rm", address)
	f.rename(t, "away")
	configure()
	f.Must("import", address, keyPath)
	contains(t, f.apply(), "The uploaded file is not here")
	f.AssertNoChanges()
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
			f := newFixture(t, 1000)
			configure := func(arguments []string) {
				if tc.sha256 {
					arguments = append(arguments, fmt.Sprintf("sha256 = %q", f.sum))
				}
				f.upload(arguments...)
			}
			key := f.importWithoutFile(t, func() { configure(tc.first) })
			f.rename(t, "media.mp4")
			calls := len(f.server.Journal())
			configure(tc.later)
			contains(t, f.apply(), "The local file is assumed to be the imported one")
			f.AssertNoChanges()
			state := f.State()[address].Values
			for attribute, value := range map[string]any{"key_path": key, "size": 1000, "content_type": tc.contentType, "sha256": f.sum} {
				want(t, attribute, state[attribute], value)
			}
			want(t, "requests", len(f.server.Journal()), calls)
		})
	}
}

// TestImportLearnsFromASourceThatIsKnownOnlyAtApply has the file come back under a source that the plan does not know.
func TestImportLearnsFromASourceThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	hash := fmt.Sprintf("sha256 = %q", f.sum)
	key := f.importWithoutFile(t, func() { f.upload(hash) })
	f.rename(t, "media.mp4")
	f.later("media.mp4", "1", hash)
	f.apply()
	f.AssertNoChanges()
	state := f.State()[address].Values
	for attribute, value := range map[string]any{"key_path": key, "size": 1000, "content_type": "video/mp4"} {
		want(t, attribute, state[attribute], value)
	}
}

func TestImportUnderAnotherNameIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	f.upload()
	f.apply()
	key := onlyObject(t, f.server).KeyPath
	f.Must("state", "rm", address)
	f.Must("import", address, key)
	for name, configure := range map[string]func(){
		"source known":   func() { f.upload(`file_name = "other.mp4"`) },
		"source unknown": func() { f.later("media.mp4", "1", `file_name = "other.mp4"`) },
	} {
		configure()
		r := f.Run("plan")
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
			f := newFixture(t, 1000)
			f.later("media.mp4", "1", arguments...)
			f.apply()
			first := onlyObject(t, f.server)
			f.rename(t, name)
			f.later(name, "2", arguments...)
			contains(t, f.Must("plan"), "must be replaced")
			f.apply()
			onlyObject(t, f.server)
			state := f.State()[address].Values
			for attribute, value := range map[string]any{
				"key_path": first.KeyPath, "file_name": "media.mp4", "content_type": "video/mp4", "source": name, "size": 1000, "sha256": f.sum,
			} {
				want(t, attribute, state[attribute], value)
			}
			f.AssertNoChanges()
		})
	}
}

// TestRenamedSourceWhoseTypeIsKnownOnlyAtApply renames the file while its media type comes from another resource.
func TestRenamedSourceWhoseTypeIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	config := func(source, trigger string) {
		f.Config(fmt.Sprintf(`
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
	f.apply()
	f.rename(t, "renamed.mp4")
	config("renamed.mp4", "2")
	f.apply()
	onlyObject(t, f.server)
	want(t, "file_name", f.State()[address].Values["file_name"], "media.mp4")
	f.AssertNoChanges()
}

// TestEachKeepsItsOwnUpload has two resources of the same content whose sources are known only at apply.
func TestEachKeepsItsOwnUpload(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	media(t, filepath.Join(f.Dir, "second.mp4"), 1000, 1)
	config := func(trigger string) {
		f.Config(fmt.Sprintf(`
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
	f.apply()
	before := f.State()
	config("2")
	f.apply()
	want(t, "objects", len(f.server.Objects()), 2)
	after := f.State()
	for _, name := range []string{"media.mp4", "second.mp4"} {
		each := fmt.Sprintf("vodlive_media_upload.each[%q]", name)
		want(t, "key path of "+name, after[each].Values["key_path"], before[each].Values["key_path"])
		want(t, "file_name of "+name, after[each].Values["file_name"], name)
	}
	f.AssertNoChanges()
}

func TestConfigurationThatAnUnknownSourceNeedsIsCheckedByThePlan(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	incomplete := func(what string) {
		address, token := f.Env("VODLIVE_VOD_BASE_URL"), f.Env("VODLIVE_ID_TOKEN")
		f.Setenv("VODLIVE_VOD_BASE_URL", "")
		r := f.Run("plan")
		want(t, what+": exit code without an address", r.Code, 1)
		contains(t, r, "`vod_base_url`", "needed by vodlive_media_upload")
		f.Setenv("VODLIVE_VOD_BASE_URL", address)

		f.Setenv("VODLIVE_ID_TOKEN", "eyJhbGciOiJub25lIn0.eyJleHAiOjE3MDAwMDAwMDB9.c2ln")
		r = f.Run("plan")
		want(t, what+": exit code with an expired token", r.Code, 1)
		contains(t, r, "expired at 2023-11-14T22:13:20Z")
		f.Setenv("VODLIVE_ID_TOKEN", token)
	}
	f.later("media.mp4", "1")
	incomplete("new upload")
	f.apply()
	f.later("media.mp4", "2")
	incomplete("replacement")

	// With sha256 the plan knows that nothing is to be sent.
	f.later("media.mp4", "2", fmt.Sprintf("sha256 = %q", f.sum))
	f.Setenv("VODLIVE_VOD_BASE_URL", "")
	contains(t, f.Must("plan"), address+" will be updated in-place")
}

// TestReplacementThatWasAskedForSendsEverything asks for another upload of the same content. The plan does not read the
// file, so it does not know the media type.
func TestReplacementThatWasAskedForSendsEverything(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	f.rename(t, "media")
	config := fmt.Sprintf("resource \"vodlive_media_upload\" \"file\" {\n  source = \"media\"\n  sha256 = %q\n}\n", f.sum)
	f.Config(config)
	f.apply()
	f.Must("apply", "-auto-approve", "-replace="+address)
	want(t, "objects after -replace", len(f.server.Objects()), 2)
	f.Must("taint", address)
	f.apply()
	want(t, "objects after taint", len(f.server.Objects()), 3)
	f.AssertNoChanges()
}

func TestTaintOfASourceThatIsKnownOnlyAtApplySendsEverything(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	f.later("media.mp4", "1")
	f.apply()
	f.Must("taint", address)
	f.later("media.mp4", "2")
	f.apply()
	want(t, "objects", len(f.server.Objects()), 2)
	f.AssertNoChanges()
}

// TestNameThatIsKnownOnlyAtApplyWithoutTheFile plans a complete upload whose file is not here and whose name comes from
// another resource.
func TestNameThatIsKnownOnlyAtApplyWithoutTheFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	config := func(name, trigger string) {
		f.Config(fmt.Sprintf(`
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
	f.apply()
	object := onlyObject(t, f.server)
	f.rename(t, "away")
	config("a.mp4", "2")
	contains(t, f.apply(), "The uploaded file is not here")
	f.AssertNoChanges()

	config("b.mp4", "3")
	f.Run("apply", "-auto-approve")
	r := f.Run("plan")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "media.mp4 does not exist, and `file_name` asks for a new upload")
	want(t, "key_path", f.State()[address].Values["key_path"], object.KeyPath)
}

func TestTimeLimitThatLeavesNoTimeLosesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	f.upload()
	f.apply()
	object := onlyObject(t, f.server)
	media(t, f.path, 1000, 2)
	for _, limit := range []string{"0s", "-5m", "soon", ""} {
		f.upload(fmt.Sprintf("timeouts = { create = %q }", limit))
		r := f.Run("apply", "-auto-approve")
		want(t, fmt.Sprintf("exit code under %q", limit), r.Code, 1)
		contains(t, r, "Invalid timeouts.create", fmt.Sprintf("%q was given", limit))
	}
	want(t, "key_path", f.State()[address].Values["key_path"], object.KeyPath)
}

func TestSinglePutThatIsTooLargeIsFoundByThePlan(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 10)
	// A file without content: its hash is given, so the plan does not read it.
	hash := fmt.Sprintf("sha256 = %q", strings.Repeat("ab", 32))
	if err := os.Truncate(f.path, 5<<30+1); err != nil {
		t.Fatal(err)
	}
	f.upload(`method = "single"`, hash)
	r := f.Run("plan")
	want(t, "exit code", r.Code, 1)
	contains(t, r, "has 5368709121 bytes", "5368709120 bytes", "`method`", `"multipart"`)
	f.upload(hash)
	f.Must("plan")

	if err := os.Truncate(f.path, 5<<30); err != nil {
		t.Fatal(err)
	}
	f.upload(`method = "single"`, hash)
	f.Must("plan")
	f.server.AssertCalls(t, simulator.CallPresignURL, 0)
}

// TestImportWhoseNameIsKnownOnlyAtApply imports an upload whose file_name comes from another resource.
func TestImportWhoseNameIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for name, problem := range map[string]string{"media.mp4": "", "other.mp4": "The imported file has another name"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, 1000)
			f.upload()
			f.apply()
			key := onlyObject(t, f.server).KeyPath
			f.Must("state", "rm", address)
			f.Must("import", address, key)
			f.Config(fmt.Sprintf(`
resource "terraform_data" "name" {
  input = %q
}
resource "vodlive_media_upload" "file" {
  source    = "media.mp4"
  file_name = terraform_data.name.output
}`, name))
			r := f.Run("apply", "-auto-approve")
			onlyObject(t, f.server)
			want(t, "key_path", f.State()[address].Values["key_path"], key)
			if problem != "" {
				want(t, "exit code", r.Code, 1)
				contains(t, r, problem)
				return
			}
			want(t, "exit code", r.Code, 0)
			f.AssertNoChanges()
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
			f := newFixture(t, 1000)
			const job = "resource \"vodlive_batch_job\" \"job\" {\n  paths = [vodlive_media_upload.file.key_path]\n  service_modes = [\"video_optimizer\"]\n}\n"
			var arguments []string
			if known {
				arguments = []string{fmt.Sprintf("sha256 = %q", f.sum)}
			}
			f.Write("job.tf", job)
			for _, trigger := range []string{"1", "2"} {
				f.later("media.mp4", trigger, arguments...)
				f.apply()
			}
			onlyObject(t, f.server)
			want(t, "batches", len(f.server.Batches()), 1)
			f.AssertNoChanges()
		})
	}
}

// TestNewObjectOfTheSameContentKeepsItsName makes a second object of the same content between the Delete and the Create
// of one that may keep its stored file.
func TestNewObjectOfTheSameContentKeepsItsName(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	media(t, filepath.Join(f.Dir, "second.mp4"), 1000, 1)
	f.later("media.mp4", "1")
	f.apply()
	f.Write("second.tf", `
resource "vodlive_media_upload" "second" {
  source     = "second.mp4"
  depends_on = [terraform_data.path]
}`)
	f.later("media.mp4", "2", "depends_on = [vodlive_media_upload.second]")
	f.apply()
	state := f.State()
	want(t, "file_name", state[address].Values["file_name"], "media.mp4")
	want(t, "file_name of the second", state["vodlive_media_upload.second"].Values["file_name"], "second.mp4")
	f.AssertNoChanges()
}

// TestNewObjectWhoseHashIsKnownOnlyAtApply is the same with a second object of which the plan does not know the content.
func TestNewObjectWhoseHashIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 1000)
	media(t, filepath.Join(f.Dir, "second.mp4"), 1000, 1)
	f.later("media.mp4", "1")
	f.apply()
	f.Write("second.tf", fmt.Sprintf(`
resource "terraform_data" "hash" {
  input      = %q
  depends_on = [terraform_data.path]
}
resource "vodlive_media_upload" "second" {
  source = "second.mp4"
  sha256 = terraform_data.hash.output
}`, f.sum))
	f.later("media.mp4", "2", "depends_on = [vodlive_media_upload.second]")
	f.apply()
	f.AssertNoChanges()
}
