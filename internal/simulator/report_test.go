package simulator_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	id := w.create(map[string]any{"input": "RTMP_PULL", "input_source_a": "rtmp://source.example/live/stream-key"})
	w.SetStatus(id, "READY")
	address, key := w.presign("a.mp4", "video/mp4")
	w.mustDo(w.put(address, "video/mp4", []byte("hello")))
	refused := w.put(address, "video/mp4", []byte("hello"))
	refused.Header.Set("Authorization", simulator.DefaultIDToken)
	wantStatus(t, w.mustDo(refused), 400, "InvalidArgument")
	m := w.begin("b.mov")
	m.part(1, []byte("hello"))
	w.mustDo(w.vod("/v1/local/batch", map[string]any{"paths": []string{key}, "service_modes": []string{"video_optimizer"}}))
	w.mustDo(w.live(http.MethodDelete, "/nowhere", nil))

	const sha = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	want := simulator.Report{
		Sessions: []simulator.ReportedSession{{ID: id, Name: "keynote", Region: "eu-central-1", Status: "READY"}},
		Objects:  []simulator.ReportedObject{{KeyPath: key, Size: 5, SHA256: sha, ETag: `"5d41402abc4b2a76b9719d911017c592"`}},
		Uploads:  []simulator.ReportedUpload{{UploadID: m.id, KeyPath: m.key, Parts: 1, Size: 5}},
		Batches:  []simulator.ReportedBatch{{Paths: []string{key}, ServiceModes: []string{"video_optimizer"}}},
		Requests: map[string]int{
			"create-session": 1, "presign-url": 1, "put-object": 2, "multipart-create": 1, "multipart-generate-url": 1, "put-part": 1, "batch": 1, "unknown": 1,
		},
		StorageRequestsWithCredential: 1,
	}
	if diff := cmp.Diff(want, w.Report()); diff != "" {
		t.Error(diff)
	}

	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/_simulator/report", nil)
	r.Header.Set("Accept", "application/json")
	recorder := httptest.NewRecorder()
	w.ServeReport(recorder, r)
	var got simulator.Report
	must.Succeed(t, json.Unmarshal(recorder.Body.Bytes(), &got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	r.Header.Del("Accept")
	recorder = httptest.NewRecorder()
	w.ServeReport(recorder, r)
	var text bytes.Buffer
	must.Succeed(t, want.WriteText(&text))
	if recorder.Body.String() != text.String() {
		t.Errorf("%s\nwant\n%s", recorder.Body, &text)
	}
	for _, wanted := range []string{
		"live sessions: 1\n  " + id + "  READY      eu-central-1   keynote\n", key, "5 bytes, one PUT, SHA-256 " + sha, "batch jobs: 1\n  modes video_optimizer",
		"unfinished uploads: 1\n", "5 bytes, 1 part(s) stored\n", "storage requests with a credential: 1\n", "put-object 2",
	} {
		if !strings.Contains(text.String(), wanted) {
			t.Errorf("no %q in\n%s", wanted, &text)
		}
	}
	for _, secret := range []string{"stream-key", simulator.DefaultIDToken, "X-Amz-Signature"} {
		if strings.Contains(text.String(), secret) {
			t.Errorf("%q in\n%s", secret, &text)
		}
	}
}
