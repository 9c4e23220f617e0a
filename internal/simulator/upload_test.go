package simulator_test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

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

func TestSingleUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	for _, name := range []string{"keynote.mp4", "Ünïcode & spaces+plus (1)%.mov"} {
		content := random(1, 3*mib+17)
		address, key := w.presign(name, "video/mp4")
		if segments := strings.Split(key, "/"); len(segments) != 5 || key[:10] != "vod/input/" || segments[4] != name {
			t.Errorf("key path %s", key)
		}
		got := w.mustDo(w.put(address, "video/mp4", content))
		wantStatus(t, got, 200, "")
		want := simulator.Object{
			KeyPath: key, FileName: name, Size: int64(len(content)), SHA256: shaOf(content),
			ETag: fmt.Sprintf(`"%x"`, md5.Sum(content)), ContentType: "video/mp4",
		}
		objects := w.Objects()
		if diff := cmp.Diff(want, objects[len(objects)-1]); diff != "" {
			t.Error(diff)
		}
		if got.header.Get("Etag") != want.ETag || got.header.Get("X-Amz-Server-Side-Encryption") != "AES256" {
			t.Errorf("%v", got.header)
		}
		// The same address again replaces the object.
		wantStatus(t, w.mustDo(w.put(address, "video/mp4", content[:5])), 200, "")
		if again := w.Objects(); len(again) != len(objects) || again[len(again)-1].Size != 5 {
			t.Errorf("%+v", again)
		}
	}
}

func TestPresignedAddress(t *testing.T) {
	t.Parallel()
	now := newClock()
	w := newWorld(t, simulator.Options{Clock: now.Now, PresignLifetime: time.Minute})
	address, _ := w.presign("a b.mp4", "video/mp4")
	base, query := queryOf(t, address)
	for _, name := range []string{"X-Amz-Signature", "X-Amz-Expires", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Credential", "X-Amz-Algorithm"} {
		if query.Get(name) == "" {
			t.Errorf("no %s", name)
		}
	}
	m := w.begin("a.mp4")
	part := m.partURL(1)
	send := func(address string, edit func(*http.Request)) reply {
		r := w.put(address, "video/mp4", []byte("x"))
		if edit != nil {
			edit(r)
		}
		return w.mustDo(r)
	}
	edited := func(name, value string) string {
		_, query := queryOf(t, address)
		query.Set(name, value)
		return base + "?" + query.Encode()
	}
	for name, c := range map[string]struct {
		address string
		edit    func(*http.Request)
		want    string
	}{
		"other Content-Type": {address, func(r *http.Request) { r.Header.Set("Content-Type", "video/quicktime") }, "403 SignatureDoesNotMatch"},
		"no Content-Type":    {address, func(r *http.Request) { r.Header.Del("Content-Type") }, "403 SignatureDoesNotMatch"},
		"changed signature":  {edited("X-Amz-Signature", strings.Repeat("0", 64)), nil, "403 SignatureDoesNotMatch"},
		"longer lifetime":    {edited("X-Amz-Expires", "3600"), nil, "403 SignatureDoesNotMatch"},
		"other key":          {strings.Replace(address, "a%20b", "c", 1), nil, "403 SignatureDoesNotMatch"},
		"made a part":        {edited("uploadId", m.id), nil, "403 SignatureDoesNotMatch"},
		"other part":         {strings.Replace(part, "partNumber=1", "partNumber=2", 1), nil, "403 SignatureDoesNotMatch"},
		"no signature":       {base, nil, "403 AccessDenied"},
		"half a signature":   {strings.Replace(address, "X-Amz-Expires=60&", "", 1), nil, "400 AuthorizationQueryParametersError"},
		"beyond seven days":  {edited("X-Amz-Expires", "604801"), nil, "400 AuthorizationQueryParametersError"},
		"other access key":   {strings.Replace(address, "Credential=S", "Credential=X", 1), nil, "403 InvalidAccessKeyId"},
		"bad date":           {edited("X-Amz-Date", "yesterday"), nil, "400 AuthorizationQueryParametersError"},
		"unsigned x-amz":     {address, func(r *http.Request) { r.Header.Set("X-Amz-Acl", "public-read") }, "403 AccessDenied"},
		"basic credential":   {address, func(r *http.Request) { r.SetBasicAuth("a", "b") }, "400 InvalidArgument"},
		"token":              {part, func(r *http.Request) { r.Header.Set("Authorization", simulator.DefaultIDToken) }, "400 InvalidArgument"},
		"no length":          {address, func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("x")), -1 }, "411 MissingContentLength"},
		"bad digest": {address, func(r *http.Request) {
			r.Header.Set("Content-Md5", base64.StdEncoding.EncodeToString(make([]byte, 16)))
		}, "400 BadDigest"},
		"no digest": {address, func(r *http.Request) { r.Header.Set("Content-Md5", "x") }, "400 InvalidDigest"},
	} {
		if got := code(t, send(c.address, c.edit)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	now.Add(time.Minute)
	wantStatus(t, send(address, func(r *http.Request) { r.Header.Set("X-Other", "is not signed") }), 200, "")
	wantStatus(t, send(part, nil), 200, "")
	now.Add(time.Second)
	for _, address := range []string{address, part} {
		got := send(address, nil)
		wantStatus(t, got, 403, "Request has expired")
		wantStatus(t, got, 403, "<ServerTime>2030-03-01T12:01:01Z</ServerTime>")
		if got := code(t, got); got != "403 AccessDenied" {
			t.Error(got)
		}
	}
	if got := len(w.Objects()); got != 1 {
		t.Errorf("%d objects", got)
	}
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
