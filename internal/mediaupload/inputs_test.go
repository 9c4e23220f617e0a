package mediaupload_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

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
