package mediaupload_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

func TestWriteOnlyContentInvalid(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for text, c := range map[string]acctest.Attrs{
		`"content_wo_version" must be specified when "content_wo"`: {"content_wo": "x", "file_name": "a.vtt"},
		`"content_wo" must be specified when "content_wo_version"`: {"source": "a.mp4", "content_wo_version": 1},
		`"file_name" must be specified when "content_wo"`:          {"content_wo": "x", "content_wo_version": 1},
		"[source,content,content_base64,content_wo]":               {"content_wo": "x", "content_wo_version": 1, "file_name": "a.vtt", "content": "y"},
		"Invalid value: `method`":                                  {"content_wo": "x", "content_wo_version": 1, "file_name": "a.vtt", "method": "multipart"},
	} {
		if diags := p.Validate(resourceType, c); !strings.Contains(diags.String(), text) {
			t.Errorf("%v: the diagnostics lack %q: %s", c, text, diags)
		}
	}
}
