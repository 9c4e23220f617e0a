package batchjob_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// store uploads a file past the provider and returns its key path.
func store(t *testing.T, server *acctest.Server) string {
	t.Helper()
	target, diags := server.Protocol(t).Open(t.Context(), "vodlive_upload_url", map[string]tftypes.Value{"file_name": acctest.Text("a.mp4")})
	if len(diags) > 0 {
		t.Fatal(acctest.Diagnostics(diags))
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, target["presigned_url"], strings.NewReader("the file"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", target["content_type"])
	answer, err := new(http.Client).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return target["key_path"]
}

func TestActionSubmitsEachTime(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	path := store(t, server)
	p := server.Protocol(t)
	config := map[string]tftypes.Value{"paths": acctest.Texts(path), "service_modes": acctest.Texts("video_optimizer")}
	for range 2 {
		progress, diags := p.Invoke(t.Context(), "vodlive_submit_batch_job", config)
		if len(diags) > 0 || len(progress) != 2 || !strings.HasPrefix(progress[1], "submitted: ") {
			t.Fatalf("progress %q%s", progress, acctest.Diagnostics(diags))
		}
	}
	server.AssertCalls(t, simulator.CallBatch, 2)
}

func TestActionFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config map[string]tftypes.Value
		fault  simulator.Fault
		text   []string
		calls  int
	}{
		"no paths":     {config: map[string]tftypes.Value{"paths": acctest.Texts()}, text: []string{"at least 1"}},
		"a path twice": {config: map[string]tftypes.Value{"paths": acctest.Texts("a", "a")}, text: []string{"duplicate"}},
		"a blank path": {config: map[string]tftypes.Value{"paths": acctest.Texts(" ")}, text: []string{"must not be blank"}},
		"a blank mode": {config: map[string]tftypes.Value{"service_modes": acctest.Texts("")}, text: []string{"must not be blank"}},
		"unknown file": {config: map[string]tftypes.Value{"paths": acctest.Texts("vod/input/c/u/none.mp4")}, text: []string{"Submitting the batch job failed", "400"}, calls: 1},
		"answer lost":  {fault: simulator.Fault{Call: simulator.CallBatch, BreakAfter: true}, text: []string{"The batch job may have been submitted", "vod/input/", "did not send the request again", "invoking the action again submits a second job"}, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := acctest.Start(t, simulator.Options{})
			config := map[string]tftypes.Value{"paths": acctest.Texts(store(t, server)), "service_modes": acctest.Texts("video_optimizer")}
			maps.Copy(config, tc.config)
			if tc.fault.Call != "" {
				server.Fail(tc.fault)
			}
			_, diags := server.Protocol(t).Invoke(t.Context(), "vodlive_submit_batch_job", config)
			for _, part := range tc.text {
				if !strings.Contains(acctest.Diagnostics(diags), part) {
					t.Errorf("the diagnostics lack %q: %s", part, acctest.Diagnostics(diags))
				}
			}
			server.AssertCalls(t, simulator.CallBatch, tc.calls)
		})
	}
}
