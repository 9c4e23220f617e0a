package mediaupload_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestLargestContent(t *testing.T) {
	t.Parallel()
	w, text := acctest.NewWorld(t, simulator.Options{}), strings.Repeat("ab", 1<<19)
	config := acctest.Attrs{"content": text, "file_name": "a.srt"}
	o, diags := w.Provider(nil).Create(resourceType, config)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want(t, "sha256", o.Text("sha256"), sumOf([]byte(text)))
	want(t, "the object's SHA-256", onlyObject(t, w.Server).SHA256, sumOf([]byte(text)))
	want(t, "content type", o.Text("content_type"), "application/x-subrip")
	w.Provider(nil).AssertNoChanges(o, config)
}

func TestContentIsRefused(t *testing.T) {
	t.Parallel()
	const secret = "the-secret-word"
	for name, tc := range map[string]struct {
		config acctest.Attrs
		text   []string
	}{
		"nothing to upload":  {config: acctest.Attrs{"file_name": "a.vtt"}, text: []string{"Exactly one of these attributes must be configured: [source,content,content_base64,content_wo]"}},
		"source and content": {config: acctest.Attrs{"source": "a.vtt", "content": secret, "file_name": "a.vtt"}, text: []string{"Exactly one of these attributes"}},
		"both contents":      {config: acctest.Attrs{"content": secret, "content_base64": "YQ==", "file_name": "a.vtt"}, text: []string{"Exactly one of these attributes"}},
		"no name":            {config: acctest.Attrs{"content": secret}, text: []string{`Attribute "file_name" must be specified`}},
		"no name for base64": {config: acctest.Attrs{"content_base64": "YQ=="}, text: []string{`Attribute "file_name" must be specified`}},
		"empty":              {config: acctest.Attrs{"content": "", "file_name": "a.vtt"}, text: []string{"error content: Invalid content", "has 0 bytes"}},
		"empty base64":       {config: acctest.Attrs{"content_base64": "", "file_name": "a.vtt"}, text: []string{"error content_base64: Invalid content", "has 0 bytes"}},
		"too large":          {config: acctest.Attrs{"content": strings.Repeat("a", mib+1), "file_name": "a.vtt"}, text: []string{"has 1048577 bytes", "1 to 1048576 bytes", "set `source`"}},
		"too large, base64":  {config: acctest.Attrs{"content_base64": base64.StdEncoding.EncodeToString(make([]byte, mib+1)), "file_name": "a.vtt"}, text: []string{"has 1048577 bytes"}},
		"no base64":          {config: acctest.Attrs{"content_base64": secret, "file_name": "a.vtt"}, text: []string{"is not base64"}},
		"in parts":           {config: acctest.Attrs{"content": secret, "file_name": "a.vtt", "method": "multipart"}, text: []string{"error method: Invalid value: `method`", "one PUT"}},
		"another hash":       {config: acctest.Attrs{"content": secret, "file_name": "a.vtt", "sha256": sumOf([]byte("x"))}, text: []string{"error sha256: The content has another SHA-256", sumOf([]byte(secret)), sumOf([]byte("x"))}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{})
			_, diags := w.Provider(nil).Create(resourceType, tc.config)
			if !diags.Failed() {
				t.Fatalf("no error: %s", diags)
			}
			for _, part := range tc.text {
				if !strings.Contains(diags.String(), part) {
					t.Errorf("the diagnostics lack %q: %s", part, diags)
				}
			}
			if strings.Contains(diags.String(), secret) {
				t.Errorf("the diagnostics show the content: %s", diags)
			}
			want(t, "requests", len(w.Journal()), 0)
		})
	}
}
