package simulator_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

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
