package batchjob_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	const path, mode = "vod/input/c/u/f.mp4", "video_optimizer"
	p := acctest.NewProvider(t, nil)
	for name, tc := range map[string]struct {
		paths, modes []any
		want         string // "": valid
	}{
		"valid":        {[]any{path}, []any{mode, "another"}, ""},
		"no paths":     {[]any{}, []any{mode}, "error paths: "},
		"no modes":     {[]any{path}, []any{}, "error service_modes: "},
		"a path twice": {[]any{path, path}, []any{mode}, "error paths: "},
		"a mode twice": {[]any{path}, []any{mode, mode}, "error service_modes: "},
		"a local path": {[]any{"promo.mp4"}, []any{mode}, "must be a key path"},
		"a null path":  {[]any{path, nil}, []any{mode}, "error paths"},
		"a blank mode": {[]any{path}, []any{" "}, "must not be blank"},
	} {
		text := p.Validate("vodlive_batch_job", acctest.Attrs{"paths": tc.paths, "service_modes": tc.modes}).String()
		if tc.want == "" && text != "" || !strings.Contains(text, tc.want) {
			t.Errorf("%s: %q, want %q", name, text, tc.want)
		}
	}
}
