package mediaupload_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestImportWithWriteOnlyContent takes the stored file for the first version; the next one is
// uploaded.
func TestImportWithWriteOnlyContent(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]acctest.Attrs{"plain": {}, "with a hash": {"sha256": sumOf([]byte(captions))}, "with a type": {"content_type": "text/x-own"}} {
		w := acctest.NewWorld(t, simulator.Options{})
		of := func(content string, version int) acctest.Attrs {
			return acctest.Attrs{"content_wo": content, "content_wo_version": version, "file_name": "a.vtt"}.With(more)
		}
		o, diags := w.Provider(nil).Import(resourceType, "vod/input/c/u/a.vtt")
		diags.Must(t)
		o, diags = w.Provider(nil).Change(o, of(captions, 1))
		if diags.Failed() {
			t.Fatalf("%s: %s", name, diags)
		}
		want(t, "key path", o.Text("key_path"), "vod/input/c/u/a.vtt")
		w.Provider(nil).AssertNoChanges(o, of("not looked at", 1))
		want(t, "PUTs", w.Count(simulator.CallPutObject), 0)
		o, diags = w.Provider(nil).Change(o, of(captions, 2))
		if diags.Failed() {
			t.Fatalf("%s: %s", name, diags)
		}
		want(t, name+": PUTs", w.Count(simulator.CallPutObject), map[bool]int{true: 0, false: 1}[more["sha256"] != nil])
		want(t, "sha256", o.Text("sha256"), sumOf([]byte(captions)))
		w.Provider(nil).AssertNoChanges(o, of(captions, 2))
	}
}

// TestWriteOnlyContentUnderAnotherName is the content at hand, which may differ in each run.
func TestWriteOnlyContentUnderAnotherName(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	of := func(content string, more acctest.Attrs) acctest.Attrs {
		return acctest.Attrs{"content_wo": content, "content_wo_version": 1, "file_name": "a.vtt"}.With(more)
	}
	o, diags := w.Provider(nil).Create(resourceType, of(captions+"1", nil))
	diags.Must(t)
	for i, more := range []acctest.Attrs{{"file_name": "b.vtt"}, {"content_type": "text/x-own"}} {
		p := w.Provider(nil)
		plan := p.Plan(o, of(captions+"planned", more))
		plan.Diags.Must(t)
		content := captions + strings.Repeat("x", i+2)
		plan.Config = of(content, more)
		if o, diags = p.Apply(plan); diags.Failed() {
			t.Fatal(diags)
		}
		want(t, "sha256", o.Text("sha256"), sumOf([]byte(content)))
		w.Provider(nil).AssertNoChanges(o, of("another", more))
		o, diags = w.Provider(nil).Change(o, of(content, nil))
		diags.Must(t)
	}
}

// TestEmptiedFile is as one that is not here.
func TestEmptiedFile(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.mustApply()
	since := len(m.Journal())
	if err := os.WriteFile(m.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pl := m.plan()
	want(t, "action", pl.Action, acctest.NoOp)
	m.says(pl.Diags, "The uploaded file is not here", "is empty on this machine")
	o, diags := m.Provider(m.provider).Change(m.state, m.config.With(acctest.Attrs{"deletion_protection": true}))
	diags.Must(t)
	m.says(m.Provider(m.provider).Plan(o, m.config.With(acctest.Attrs{"file_name": "b.mp4", "deletion_protection": false})).Diags, "is empty, and `file_name` asks for a new upload")
	if gone, diags := m.Provider(m.provider).Destroy(m.state); diags.Failed() || gone.Exists() {
		t.Error(diags)
	}
	want(t, "requests", len(m.Journal()), since)
	m.says(m.Provider(m.provider).Plan(m.Provider(m.provider).New(resourceType), m.config).Diags, "error source: The file cannot be uploaded")
}

// TestTooLargeForItsMethod is found before the file is read: a sparse file has its size at once.
func TestTooLargeForItsMethod(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "large.mp4")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100<<30); err != nil {
		t.Skip(err)
	}
	for text, arguments := range map[string]acctest.Attrs{
		"The file is too large for one PUT":      {"method": "single"},
		"The part size does not fit the file":    {"part_size": 5 * mib},
		"`method` out, or set it to \"multipart": {"method": "single", "change_detection": "content"},
	} {
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(nil)
		diags := p.Plan(p.New(resourceType), arguments.With(acctest.Attrs{"source": path})).Diags
		if !strings.Contains(diags.String(), text) {
			t.Errorf("%v: %s", arguments, diags)
		}
	}
}

// TestImportOfAnotherHash: the state would have the hash of one file and the size of another.
func TestImportOfAnotherHash(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.mustApply()
	m.imports(m.state.Text("key_path"))
	other := m.config.With(acctest.Attrs{"sha256": strings.Repeat("0", 64)})
	m.says(m.Provider(m.provider).Plan(m.state, other).Diags, "error sha256: The file has another SHA-256", m.sum)
	o, diags := m.Provider(m.provider).Change(m.state, m.config.With(acctest.Attrs{"sha256": strings.ToUpper(m.sum)}))
	diags.Must(t)
	want(t, "size", o.Attrs()["size"], 1000)
}

// TestStateOfAnotherCustomer is an error of every plan but a destroy: it would mix two accounts.
func TestStateOfAnotherCustomer(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.mustApply()
	other := m.Provider(m.provider.With(acctest.Attrs{"allowed_customer_ids": []string{"other"}}))
	m.says(other.Plan(m.state, m.config).Diags, "The key path is not allowed", m.state.Text("key_path"), "`allowed_customer_ids`")
	if gone, diags := other.Destroy(m.state); diags.Failed() || gone.Exists() {
		t.Error(diags)
	}
}

// TestMediaTypesThatNoHeaderCarries are errors of validation, wherever a media type is given.
func TestMediaTypesThatNoHeaderCarries(t *testing.T) {
	t.Parallel()
	p := acctest.NewWorld(t, simulator.Options{}).Provider(nil)
	for _, given := range []string{"video/mp4\n", "video/mp4 ", " video/mp4", "video/\tmp4", "video/mp4\r\n", "video/mp4; a=\"\x7f\"", "vidéo/mp4", "mp4"} {
		for _, diags := range []acctest.Diagnostics{
			p.Validate(resourceType, acctest.Attrs{"source": "a.mp4", "content_type": given}),
			p.Validate("vodlive_media_folder", acctest.Attrs{"source_dir": "a", "content_types": acctest.Attrs{".mp4": given}}),
		} {
			if !strings.Contains(diags.String(), "Invalid media type") {
				t.Errorf("%q: %s", given, diags)
			}
		}
	}
	p.Validate(resourceType, acctest.Attrs{"source": "a.vtt", "content_type": "text/vtt; charset=utf-8"}).Must(t)
}

// TestNamesFromAMac have decomposed letters on the disk; Terraform composes those of its texts.
func TestNamesFromAMac(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := dir + "/e\u0301te\u0301"
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	sum := media(t, folder+"/n\u0303.mp4", 1000, 3)
	w := acctest.NewWorld(t, simulator.Options{})
	for typeName, config := range map[string]acctest.Attrs{
		resourceType:           {"source": filepath.Join(dir, "été", "ñ.mp4")},
		"vodlive_media_folder": {"source_dir": filepath.Join(dir, "été")},
	} {
		o, diags := w.Provider(nil).Create(typeName, config)
		if diags.Failed() {
			t.Fatal(diags)
		}
		w.Provider(nil).AssertNoChanges(o, config)
	}
	for _, object := range w.Objects() {
		want(t, "sha256", object.SHA256, sum)
		want(t, "name", filepath.Base(object.KeyPath), "ñ.mp4")
	}
	diags := w.Provider(nil).Plan(w.Provider(nil).New(resourceType), acctest.Attrs{"content": "é", "sha256": sumOf([]byte("e\u0301")), "file_name": "a.txt"}).Diags
	if !strings.Contains(diags.String(), "content_base64 = filebase64(PATH)") {
		t.Error(diags)
	}
}

// TestStarInAName of a file that is there is no pattern.
func TestStarInAName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	media(t, filepath.Join(dir, "take*.mp4"), 1000, 3)
	w := acctest.NewWorld(t, simulator.Options{})
	o, diags := w.Provider(nil).Create(resourceType, acctest.Attrs{"source": filepath.Join(dir, "take*.mp4")})
	if diags.Failed() {
		t.Fatal(diags)
	}
	want(t, "file_name", o.Text("file_name"), "take*.mp4")
	p := w.Provider(nil)
	if diags := p.Plan(p.New(resourceType), acctest.Attrs{"source": filepath.Join(dir, "shot*.mp4")}).Diags; !strings.Contains(diags.String(), "a path is no pattern") {
		t.Error(diags)
	}
	media(t, dir+`/a\b.mp4`, 1000, 3)
	if diags := p.Plan(p.New(resourceType), acctest.Attrs{"source": dir + `/a\b.mp4`}).Diags; !strings.Contains(diags.String(), "holds a backslash") {
		t.Error(diags)
	}
}

// TestImportOfContentWithAnotherHash is an error: no state gets a hash that the content does not
// have.
func TestImportOfContentWithAnotherHash(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	keyPath := "vod/input/c/u/a.vtt"
	for _, given := range []acctest.Attrs{{"content": captions}, {"content_wo": captions, "content_wo_version": 1}} {
		config := given.With(acctest.Attrs{"file_name": "a.vtt", "sha256": sumOf([]byte("other"))})
		p := w.Provider(nil)
		o, diags := p.Import(resourceType, keyPath)
		diags.Must(t)
		diags = p.Plan(o, config).Diags
		if !strings.Contains(diags.String(), "error sha256: The content has another SHA-256") || strings.Contains(diags.String(), captions) {
			t.Errorf("%v: %s", given, diags)
		}
		config["sha256"] = strings.ToUpper(sumOf([]byte(captions)))
		o, diags = p.Change(o, config)
		diags.Must(t)
		w.Provider(nil).AssertNoChanges(o, config)
	}
}
