package storagetest_test

import (
	"bytes"
	"crypto/md5"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator/storagetest"
)

const mib = 1 << 20

// world is one service whose uploads go to one storage.
type world struct {
	*simulator.Service
	t      *testing.T
	url    string
	client *http.Client
	// real tells that the storage is the real S3 server.
	real bool
	// offset moves the clock by which addresses are presigned and, in the simulator, checked.
	offset atomic.Int64
}

// onBoth runs a test against the simulator's own storage and against versitygw.
func onBoth(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	run := func(t *testing.T, storage simulator.Storage) {
		t.Helper()
		w := &world{t: t, real: storage != nil}
		w.Service = simulator.New(simulator.Options{
			Storage: storage,
			Clock:   func() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) },
		})
		server := httptest.NewServer(w.Service)
		w.url, w.client = server.URL, &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Hour}}
		t.Cleanup(func() {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			w.client.CloseIdleConnections()
			server.Close()
		})
		test(t, w)
	}
	t.Run("simulator", func(t *testing.T) {
		t.Parallel()
		run(t, nil)
	})
	t.Run("versitygw", func(t *testing.T) {
		t.Parallel()
		storage, err := storagetest.NewS3(t.Context(), storagetest.Versitygw(t))
		must.Succeed(t, err)
		run(t, storage)
	})
}

// call makes a call of the upload API and returns the status, the data and storage's error code.
func (w *world) call(path string, body map[string]any) (int, map[string]any, string) {
	w.t.Helper()
	raw, err := json.Marshal(body)
	must.Succeed(w.t, err)
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url+"/vod/v1/customer/"+path, bytes.NewReader(raw))
	must.Succeed(w.t, err)
	r.Header.Set("Authorization", simulator.DefaultIDToken)
	r.Header.Set("Content-Type", "application/json")
	response, err := w.client.Do(r)
	must.Succeed(w.t, err)
	defer response.Body.Close()
	var answer struct {
		Data map[string]any `json:"data"`
		Code string         `json:"code"`
	}
	must.Succeed(w.t, json.NewDecoder(response.Body).Decode(&answer))
	return response.StatusCode, answer.Data, answer.Code
}

func (w *world) presign(name string) (address, key string) {
	w.t.Helper()
	_, data, _ := w.call("presign-url", map[string]any{"file_name": name, "content_type": "video/mp4"})
	return data["presigned_url"].(string), data["fileKeyPath"].(string)
}

func (w *world) begin() (key, id string) {
	w.t.Helper()
	_, data, _ := w.call("multipart/create", map[string]any{"filename": "film.mov"})
	return data["key_path"].(string), data["upload_id"].(string)
}

func (w *world) partURL(key, id string, number int) string {
	w.t.Helper()
	_, data, _ := w.call("multipart/generate-url", map[string]any{"key_path": key, "upload_id": id, "part_number": number})
	return data["url"].(string)
}

// put sends content, with the Content-Type that presign-url was told unless edit
// changes that, and returns "status code" and the ETag.
func (w *world) put(address string, content io.Reader, size int64, edit func(*http.Request)) (outcome, etag string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPut, address, content)
	must.Succeed(w.t, err)
	r.ContentLength = size
	r.Header.Set("Content-Type", "video/mp4")
	if edit != nil {
		edit(r)
	}
	response, err := w.client.Do(r)
	must.Succeed(w.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must.Succeed(w.t, err)
	if response.StatusCode == http.StatusOK {
		return "200", response.Header.Get("ETag")
	}
	var refused struct{ Code string }
	if err := xml.Unmarshal(body, &refused); err != nil {
		w.t.Errorf("%v: %s", err, body)
	}
	return fmt.Sprint(response.StatusCode, " ", refused.Code), ""
}

func (w *world) putBytes(address string, content []byte) (outcome, etag string) {
	w.t.Helper()
	return w.put(address, bytes.NewReader(content), int64(len(content)), nil)
}

// complete returns "status code" and the data.
func (w *world) complete(key, id string, parts ...simulator.CompletedPart) (outcome string, data map[string]any) {
	w.t.Helper()
	list := []any{}
	for _, p := range parts {
		list = append(list, map[string]any{"part_number": p.Number, "etag": p.ETag})
	}
	status, data, code := w.call("multipart/complete", map[string]any{"key_path": key, "upload_id": id, "parts": list})
	return strings.TrimSpace(fmt.Sprint(status, " ", code)), data
}

func random(seed byte, size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(content)
	return content
}

func etagOf(content []byte) string { return fmt.Sprintf(`"%x"`, md5.Sum(content)) }

// want compares an outcome. versitygw, when not empty, is where the real server
// departs from what AWS documents.
func (w *world) want(what, got, want, versitygw string) {
	w.t.Helper()
	if w.real && versitygw != "" {
		want = versitygw
	}
	if got != want {
		w.t.Errorf("%s: %s, want %s", what, got, want)
	}
}
