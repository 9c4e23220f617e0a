package mediaupload_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// expired is a token: {"alg":"none"} . {"exp":1700000000} . no signature.
const expired = "eyJhbGciOiJub25lIn0.eyJleHAiOjE3MDAwMDAwMDB9.c2ln"

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

// importWithoutFile uploads the file, forgets it, takes the file away and imports the upload with
// these arguments.
func (m *machine) importWithoutFile(arguments acctest.Attrs) (keyPath string) {
	m.t.Helper()
	m.mustApply()
	keyPath = onlyObject(m.t, m.Server).KeyPath
	m.configure(arguments) // with the source as it was
	m.rename("away")
	m.imports(keyPath)
	m.absent()
	return keyPath
}

func TestImportWithoutTheFileLearnsTheRestLater(t *testing.T) {
	t.Parallel()
	other := acctest.Attrs{"content_type": "video/x-other"}
	for name, tc := range map[string]struct {
		first, later acctest.Attrs // arguments while the file is absent, and once it is back
		sha256       bool          // whether sha256 is configured, too
		contentType  string
	}{
		"nothing configured":           {contentType: "video/mp4"},
		"hash":                         {sha256: true, contentType: "video/mp4"},
		"hash, then a type":            {sha256: true, later: other, contentType: "video/x-other"},
		"type":                         {first: other, later: other, contentType: "video/x-other"},
		"nothing, then another method": {later: acctest.Attrs{"method": "multipart"}, contentType: "video/mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, hash := newFile(t, 1000), acctest.Attrs{}
			if tc.sha256 {
				hash["sha256"] = m.sum
			}
			key := m.importWithoutFile(hash.With(tc.first))
			m.rename("media.mp4")
			calls := len(m.Journal())
			m.configure(hash.With(tc.later))
			m.says(m.mustApply(), "The local file is assumed to be the imported one")
			m.holds(acctest.Attrs{"key_path": key, "size": 1000, "content_type": tc.contentType, "sha256": m.sum})
			want(t, "requests", len(m.Journal()), calls)
		})
	}
}

// TestImportLearnsFromASourceThatIsKnownOnlyAtApply has the file come back under a source that the
// plan does not know.
func TestImportLearnsFromASourceThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	m := newFile(t, 1000)
	hash := acctest.Attrs{"sha256": m.sum}
	key := m.importWithoutFile(hash)
	m.rename("media.mp4")
	m.later(hash)
	m.mustApply()
	m.holds(acctest.Attrs{"key_path": key, "size": 1000, "content_type": "video/mp4"})
}

func TestImportUnderAnotherNameIsRefused(t *testing.T) {
	t.Parallel()
	m := newFile(t, 1000)
	m.mustApply()
	m.imports(onlyObject(t, m.Server).KeyPath)
	for _, configure := range []func(acctest.Attrs){m.configure, m.later} {
		configure(acctest.Attrs{"file_name": "other.mp4"})
		m.refused("The imported file has another name", `"media.mp4"`, `"other.mp4"`)
	}
}

// TestRenamedSourceThatIsKnownOnlyAtApply renames the file and leaves its content: nothing is to be
// sent.
func TestRenamedSourceThatIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string]acctest.Attrs{
		"renamed.mp4": nil,
		"renamed.mov": nil, // whose media type is another one
		"renamed":     {"file_name": "media.mp4"},
		"second.mov":  {"content_type": "video/mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newFile(t, 1000)
			m.later(arguments)
			m.mustApply()
			first := onlyObject(t, m.Server)
			m.rename(name)
			m.later(arguments)
			m.updates()
			m.mustApply()
			onlyObject(t, m.Server)
			m.holds(acctest.Attrs{
				"key_path": first.KeyPath, "file_name": "media.mp4", "content_type": "video/mp4", "source": m.path, "size": 1000, "sha256": m.sum,
			})
		})
	}
}

// TestRenamedSourceWhoseTypeIsKnownOnlyAtApply renames the file while its media type comes from
// another resource.
func TestRenamedSourceWhoseTypeIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	m := newFile(t, 1000)
	for _, name := range []string{"media.mp4", "renamed.mp4"} {
		m.rename(name)
		m.configure(acctest.Attrs{"content_type": "video/mp4"})
		m.unknown = acctest.Attrs{"content_type": acctest.Unknown}
		m.mustApply()
	}
	onlyObject(t, m.Server)
	m.holds(acctest.Attrs{"file_name": "media.mp4"})
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

func TestConfigurationThatAnUnknownSourceNeedsIsCheckedByThePlan(t *testing.T) {
	t.Parallel()
	m := newFile(t, 1000)
	incomplete := func() {
		t.Helper()
		address, token := m.Env["VODLIVE_VOD_BASE_URL"], m.Env["VODLIVE_ID_TOKEN"]
		m.Env["VODLIVE_VOD_BASE_URL"] = ""
		m.refused("`vod_base_url`", "needed by vodlive_media_upload")
		m.Env["VODLIVE_VOD_BASE_URL"] = address

		m.Env["VODLIVE_ID_TOKEN"] = expired
		m.refused("expired at 2023-11-14T22:13:20Z")
		m.Env["VODLIVE_ID_TOKEN"] = token
	}
	m.later(nil)
	incomplete() // a new upload
	m.mustApply()
	m.later(nil)
	incomplete() // a change

	// With sha256 the plan knows that nothing is to be sent.
	m.later(acctest.Attrs{"sha256": m.sum})
	m.Env["VODLIVE_VOD_BASE_URL"] = ""
	m.updates().Must(t)
}

// TestReplacementThatWasAskedForSendsEverything asks for another upload of the same content. The
// plan does not read the file, so it does not know the media type.
func TestReplacementThatWasAskedForSendsEverything(t *testing.T) {
	t.Parallel()
	m := newFile(t, 1000)
	m.rename("media")
	m.configure(acctest.Attrs{"sha256": m.sum})
	m.mustApply()
	plan := m.Provider(m.provider).PlanReplace(m.state, m.config)
	plan.Diags.Must(t)
	state, diags := m.Provider(m.provider).Apply(plan)
	diags.Must(t)
	m.state = state
	want(t, "objects after -replace", len(m.Objects()), 2)
	m.state.Tainted = true
	m.mustApply()
	want(t, "objects after taint", len(m.Objects()), 3)
}

func TestTaintOfASourceThatIsKnownOnlyAtApplySendsEverything(t *testing.T) {
	t.Parallel()
	m := newFile(t, 1000)
	m.later(nil)
	m.mustApply()
	m.state.Tainted = true
	m.later(nil)
	m.mustApply()
	want(t, "objects", len(m.Objects()), 2)
}

// TestNameThatIsKnownOnlyAtApplyWithoutTheFile plans a complete upload whose file is not here and
// whose name comes from another resource.
func TestNameThatIsKnownOnlyAtApplyWithoutTheFile(t *testing.T) {
	t.Parallel()
	m := newFile(t, 1000)
	named := func(name string) {
		m.config = m.config.With(acctest.Attrs{"file_name": name})
		m.unknown = acctest.Attrs{"file_name": acctest.Unknown}
	}
	named("a.mp4")
	m.mustApply()
	object := onlyObject(t, m.Server)
	m.rename("away")
	named("a.mp4")
	m.absent()

	named("b.mp4")
	m.apply()
	m.unknown = nil
	m.refused("media.mp4 does not exist, and `file_name` asks for a new upload")
	m.holds(acctest.Attrs{"key_path": object.KeyPath})
}

func TestTimeLimitThatLeavesNoTimeLosesNothing(t *testing.T) {
	t.Parallel()
	m := newFile(t, 1000)
	m.mustApply()
	object := onlyObject(t, m.Server)
	media(t, m.path, 1000, 2)
	for _, limit := range []string{"0s", "-5m", "soon", ""} {
		m.configure(acctest.Attrs{"timeouts": acctest.Attrs{"create": limit}})
		diags := m.apply()
		want(t, fmt.Sprintf("failure under %q", limit), diags.Failed(), true)
		m.says(diags, "Invalid value", fmt.Sprintf("`timeouts.create` is %q", limit))
	}
	m.holds(acctest.Attrs{"key_path": object.KeyPath})
}

func TestSinglePutThatIsTooLargeIsFoundByThePlan(t *testing.T) {
	t.Parallel()
	m := newFile(t, 10)
	// A file without content: its hash is given, so the plan does not read it.
	hash := acctest.Attrs{"sha256": strings.Repeat("ab", 32)}
	single := hash.With(acctest.Attrs{"method": "single"})
	if err := os.Truncate(m.path, 5<<30+1); err != nil {
		t.Fatal(err)
	}
	m.configure(single)
	m.refused("has 5368709121 bytes", "5368709120 bytes", "`method`", `"multipart"`)
	m.configure(hash)
	m.plan().Diags.Must(t)

	if err := os.Truncate(m.path, 5<<30); err != nil {
		t.Fatal(err)
	}
	m.configure(single)
	m.plan().Diags.Must(t)
	m.AssertCalls(t, simulator.CallPresignURL, 0)
}

// TestImportWhoseNameIsKnownOnlyAtApply imports an upload whose file_name comes from another
// resource.
func TestImportWhoseNameIsKnownOnlyAtApply(t *testing.T) {
	t.Parallel()
	for name, problem := range map[string]string{"media.mp4": "", "other.mp4": "The imported file has another name"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newFile(t, 1000)
			m.mustApply()
			key := onlyObject(t, m.Server).KeyPath
			m.imports(key)
			m.configure(acctest.Attrs{"file_name": name})
			m.unknown = acctest.Attrs{"file_name": acctest.Unknown}
			if problem == "" {
				m.mustApply()
			} else {
				diags := m.apply()
				want(t, "failure", diags.Failed(), true)
				m.says(diags, problem)
			}
			onlyObject(t, m.Server)
			m.holds(acctest.Attrs{"key_path": key})
		})
	}
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
