package simulator_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const mib = 1 << 20

// put makes a PUT to a presigned address, with a Content-Type unless it is "".
func (w *world) put(address, contentType string, content []byte) *http.Request {
	r := w.request(http.MethodPut, address, bytes.NewReader(content))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

// code is the S3 error code of an answer.
func code(t testing.TB, got reply) string {
	t.Helper()
	var refused struct{ Code, RequestId string } //nolint:revive // S3's name
	if err := xml.Unmarshal(got.body, &refused); err != nil || refused.RequestId == "" {
		t.Errorf("not an S3 error: %v: %s", err, got.body)
	}
	return fmt.Sprint(got.status, " ", refused.Code)
}

func TestPresignOptions(t *testing.T) {
	t.Parallel()
	elsewhere := newWorld(t, simulator.Options{Bucket: "other"})
	elsewhere.SetStorageURL("https://storage.example:8443/storage/")
	address, _ := elsewhere.presign("a.mp4", "video/mp4")
	if !strings.HasPrefix(address, "https://storage.example:8443/storage/other/vod/input/") {
		t.Error(address)
	}
	r := elsewhere.put(elsewhere.url+strings.TrimPrefix(address, "https://storage.example:8443"), "video/mp4", []byte("x"))
	if got := code(t, elsewhere.mustDo(r)); got != "403 SignatureDoesNotMatch" {
		t.Errorf("another host than was signed: %s", got)
	}
	r.Host = "storage.example:8443"
	r.Body = io.NopCloser(strings.NewReader("x"))
	wantStatus(t, elsewhere.mustDo(r), 200, "")
}

func TestBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	address, key := w.presign("a.mp4", "video/mp4")
	submit := func(paths, modes any) reply {
		return w.mustDo(w.vod("/v1/local/batch", map[string]any{"paths": paths, "service_modes": modes}))
	}
	modes := []string{"video_optimizer"}
	wantStatus(t, submit([]string{key}, modes), 400, "there is no file at")
	wantStatus(t, w.mustDo(w.put(address, "video/mp4", []byte("x"))), 200, "")
	m := w.begin("b.mov")
	m.part(1, []byte("x"))
	wantStatus(t, submit([]string{key, m.key}, modes), 400, "there is no file at")
	wantStatus(t, m.complete(1), 200, "")
	wantStatus(t, submit([]string{}, modes), 400, "paths must not be empty")
	wantStatus(t, submit([]string{key}, []string{}), 400, "service_modes must not be empty")
	wantStatus(t, submit([]string{key}, []string{" "}), 400, "service_modes[0]")
	wantStatus(t, submit([]any{nil}, modes), 400, "paths[0]")
	wantStatus(t, submit(key, modes), 400, "paths must be an array")
	if got := w.Batches(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	wantStatus(t, submit([]string{key, m.key}, modes), 200, `{"data":null,"message":"`)
	if diff := cmp.Diff([]simulator.Batch{{Paths: []string{key, m.key}, ServiceModes: modes}}, w.Batches()); diff != "" {
		t.Error(diff)
	}
}
