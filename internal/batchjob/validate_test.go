package batchjob_test

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// on is a job on one file.
func on(path string) acctest.Attrs {
	return acctest.Attrs{"paths": []string{path}, "service_modes": []string{"video_optimizer"}}
}

// TestInvalidConfigurations leaves out what Terraform finds by the schema: missing arguments and
// those of another type.
func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	const path, mode = "vod/input/c/u/f.mp4", "video_optimizer"
	p := acctest.NewProvider(t, nil)
	for name, tc := range map[string]struct {
		change acctest.Attrs
		want   []string
	}{
		"no paths":             {acctest.Attrs{"paths": []string{}}, []string{"error paths: ", "must contain at least 1 elements"}},
		"no modes":             {acctest.Attrs{"service_modes": []string{}}, []string{"error service_modes: ", "must contain at least 1 elements"}},
		"a path twice":         {acctest.Attrs{"paths": []string{path, path}}, []string{"error paths: ", "duplicate", path}},
		"a mode twice":         {acctest.Attrs{"service_modes": []string{mode, mode}}, []string{"error service_modes: ", "duplicate", mode}},
		"a blank path":         {acctest.Attrs{"paths": []string{path, " \t"}}, []string{"error paths.[]: ", "paths[1]", "must be a key path"}},
		"a local path":         {acctest.Attrs{"paths": []string{"promo.mp4"}}, []string{"error paths.[]: Invalid key path: `paths[0]` is \"promo.mp4\"", "must be a key path, vod/input/<customer id>", "`key_path`"}},
		"a mode in capitals":   {acctest.Attrs{"service_modes": []string{"VIDEO_OPTIMIZER"}}, []string{"warning service_modes.[]: Unknown mode: `service_modes[0]` is \"VIDEO_OPTIMIZER\", which is not", "Did you mean \"video_optimizer\"?"}},
		"a mode with a hyphen": {acctest.Attrs{"service_modes": []string{"video-optimizer"}}, []string{"warning service_modes.[]: "}},
		"a letter too many":    {acctest.Attrs{"service_modes": []string{"video_optimizers"}}, []string{"warning service_modes.[]: "}},
		"exchanged letters":    {acctest.Attrs{"service_modes": []string{"vidoe_optimizer"}}, []string{"warning service_modes.[]: "}},
		"British":              {acctest.Attrs{"service_modes": []string{"video_optimiser"}}, []string{"warning service_modes.[]: "}},

		"a blank mode": {acctest.Attrs{"service_modes": []string{""}}, []string{"error service_modes.[]: ", "service_modes[0]", "must not be blank"}},
		"a null path":  {acctest.Attrs{"paths": []any{path, nil}}, []string{"`paths[1]` is null, as a variable is that is not set"}},
		"another mode": {acctest.Attrs{"service_modes": []string{"audio_optimizer", mode}}, nil},
		"an id":        {acctest.Attrs{"id": "mine"}, []string{"error id: ", "Invalid Configuration for Read-Only Attribute"}},
	} {
		text := p.Validate("vodlive_batch_job", on(path).With(tc.change)).String()
		if tc.want == nil && text != "" {
			t.Errorf("%s: %s", name, text)
		}
		for _, want := range tc.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the diagnostics lack %q: %s", name, want, text)
			}
		}
	}
}
