package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// TestPaths tries base addresses with a prefix, a slash or a port, and ids that would change the
// path.
func TestPaths(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://h.example.com":             "https://h.example.com/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
		"https://h.example.com/":            "https://h.example.com/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
		"https://h.example.com:8443/p%2Fq/": "https://h.example.com:8443/p%2Fq/live/v1/live-streams/session/a%2Fb%3Fc%23d%25",
	} {
		service := wiretest.Always(200, sessionJSON)
		c := config(service)
		c.LiveBaseURL = base
		if _, err := newClient(t, c).GetSession(t.Context(), "a/b?c#d%"); err != nil {
			t.Fatal(err)
		}
		if got := service.Requests()[0].URL; got != want {
			t.Errorf("%s: asked %s, want %s", base, got, want)
		}
	}
	for _, id := range []string{"", " ", ".", "..", "a\nb", "\x00"} {
		service := wiretest.Always(200, sessionJSON)
		if _, err := newClient(t, config(service)).GetSession(t.Context(), id); err == nil || len(service.Requests()) != 0 {
			t.Errorf("id %q: %d requests, error %v", id, len(service.Requests()), err)
		}
	}
}

func TestNewChecksItsConfiguration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*api.Config)
		want   string
	}{
		"live address": {func(c *api.Config) { c.LiveBaseURL = "live.example.com" }, "the base address of the live API: the address has no scheme"},
		"vod address":  {func(c *api.Config) { c.VODBaseURL = "http://vod.example.com" }, "the base address of the upload and batch API: the address is plain http"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(nil)
			test.change(&c)
			_, err := api.New(c)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestBodies compares the bodies of all calls. Fields that do not apply are left out.
func TestBodies(t *testing.T) {
	t.Parallel()
	service := wiretest.Always(200, sessionJSON)
	client := newClient(t, config(service))
	for _, spec := range []api.SessionSpec{
		{},
		{"name": "n", "region": "eu", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL", "input_preset": map[string]any{"codec": "H264"}},
		{
			"name": "n", "region": "eu", "input": "RTMP_PULL", "mode": "HA", "output_mode": "RTMP_PUSH",
			"input_preset":   map[string]any{"codec": "H264", "resolution": "HD", "bitrate": "MAX_10_MBPS"},
			"input_source_a": "rtmp://a/k", "input_source_b": "rtmp://b/k", "output_destination_a": "rtmp://c/k", "output_destination_b": "rtmp://d/k",
			"enable_input_record": true, "is_scheduled": true, "timezone": "UTC", "scheduled_at": "2026-01-01 00:00",
		},
	} {
		if _, err := client.CreateSession(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = client.PresignUpload(t.Context(), api.Upload{Name: "a.mp4", ContentType: "video/mp4"})
	_, _ = client.PresignUpload(t.Context(), api.Upload{Name: "a.mp4"})
	_, _ = client.CreateMultipartUpload(t.Context(), api.Upload{Name: "a.mp4"})
	_, _ = client.PresignPart(t.Context(), "k", "u", 7)
	_, _ = client.CompleteMultipartUpload(t.Context(), "k", "u", []api.CompletedPart{{Number: 1, ETag: `"a"`}, {Number: 2, ETag: "b"}})
	_, _ = client.SubmitBatch(t.Context(), api.Batch{Paths: []string{"k", "l"}, ServiceModes: []string{"video_optimizer"}})
	want := []string{
		`POST /edge/live/v1/live-streams/session {}`,
		`POST /edge/live/v1/live-streams/session {"name":"n","region":"eu","input":"RTMP_PUSH","mode":"NORM","output_mode":"RTMP_PULL","input_preset":{"codec":"H264"}}`,
		`POST /edge/live/v1/live-streams/session {"name":"n","region":"eu","input":"RTMP_PULL","mode":"HA","output_mode":"RTMP_PUSH","input_preset":{"codec":"H264","resolution":"HD","bitrate":"MAX_10_MBPS"},` +
			`"input_source_a":"rtmp://a/k","input_source_b":"rtmp://b/k","output_destination_a":"rtmp://c/k","output_destination_b":"rtmp://d/k","enable_input_record":true,"is_scheduled":true,"timezone":"UTC","scheduled_at":"2026-01-01 00:00"}`,
		`POST /vod/v1/customer/presign-url {"file_name":"a.mp4","content_type":"video/mp4"}`,
		`POST /vod/v1/customer/presign-url {"file_name":"a.mp4"}`,
		`POST /vod/v1/customer/multipart/create {"filename":"a.mp4"}`,
		`POST /vod/v1/customer/multipart/generate-url {"key_path":"k","upload_id":"u","part_number":7}`,
		`POST /vod/v1/customer/multipart/complete {"key_path":"k","upload_id":"u","parts":[{"etag":"\"a\"","part_number":1},{"etag":"b","part_number":2}]}`,
		`POST /v1/local/batch {"paths":["k","l"],"service_modes":["video_optimizer"]}`,
	}
	for i, r := range service.Requests() {
		method, path, body := splitRequest(t, want[i])
		if diff := cmp.Diff(body, decode(t, r.Body)); r.Method != method || r.Path != path || diff != "" {
			t.Errorf("request %d is %s %s: %s", i+1, r.Method, r.Path, diff)
		}
	}
	if n := len(service.Requests()); n != len(want) {
		t.Errorf("made %d requests, want %d", n, len(want))
	}
}

func splitRequest(t *testing.T, s string) (method, path string, body any) {
	t.Helper()
	parts := strings.SplitN(s, " ", 3)
	return parts[0], parts[1], decode(t, parts[2])
}

func decode(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
