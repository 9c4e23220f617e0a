package simulator_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// world is one service over a real server, with a client of its own.
type world struct {
	*simulator.Service
	t      testing.TB
	url    string
	client *http.Client
}

func newWorld(t testing.TB, o simulator.Options) *world {
	t.Helper()
	service := simulator.New(o)
	server := httptest.NewServer(service)
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return &world{Service: service, t: t, url: server.URL, client: server.Client()}
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request; err is what the client saw when there was no whole answer.
func (w *world) do(r *http.Request) (reply, error) {
	response, err := w.client.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, body}, err
}

func (w *world) mustDo(r *http.Request) reply {
	w.t.Helper()
	got, err := w.do(r)
	must.Succeed(w.t, err)
	return got
}

func (w *world) request(method, address string, body io.Reader) *http.Request {
	w.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = w.url + address
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, address, body)
	must.Succeed(w.t, err)
	return r
}

// live makes a request of the live API with its credentials; body is nil or encoded as JSON.
func (w *world) live(method, path string, body any) *http.Request {
	r := w.request(method, path, encoded(w.t, body))
	r.SetBasicAuth(simulator.DefaultAccessTokenID, simulator.DefaultSecretKey)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// vod makes a request of the upload and batch API with its token.
func (w *world) vod(path string, body any) *http.Request {
	r := w.request(http.MethodPost, path, encoded(w.t, body))
	r.Header.Set("Authorization", simulator.DefaultIDToken)
	r.Header.Set("Content-Type", "application/json")
	return r
}

func encoded(t testing.TB, body any) io.Reader {
	t.Helper()
	switch typed := body.(type) {
	case nil:
		return nil
	case string:
		return strings.NewReader(typed)
	}
	raw, err := json.Marshal(body)
	must.Succeed(t, err)
	return bytes.NewReader(raw)
}

// data decodes an answer and returns what is under "data".
func (w *world) data(got reply) map[string]any {
	w.t.Helper()
	var decoded struct {
		Data map[string]any `json:"data"`
	}
	if got.status/100 != 2 {
		w.t.Fatalf("status %d: %s", got.status, got.body)
	}
	if err := json.Unmarshal(got.body, &decoded); err != nil {
		w.t.Fatalf("%v: %s", err, got.body)
	}
	return decoded.Data
}

func (w *world) presign(fileName, contentType string) (address, key string) {
	w.t.Helper()
	data := w.data(w.mustDo(w.vod("/vod/v1/customer/presign-url", map[string]any{"file_name": fileName, "content_type": contentType})))
	return data["presigned_url"].(string), data["fileKeyPath"].(string)
}

func (w *world) put(address, contentType string, content []byte) *http.Request {
	w.t.Helper()
	r := w.request(http.MethodPut, address, bytes.NewReader(content))
	r.Header.Set("Content-Type", contentType)
	return r
}

// multipart is an upload as its client knows it.
type multipart struct {
	*world
	id, key string

	mu    sync.Mutex
	etags map[int]string
}

func (w *world) begin(fileName string) *multipart {
	w.t.Helper()
	data := w.data(w.mustDo(w.vod("/vod/v1/customer/multipart/create", map[string]any{"filename": fileName})))
	return &multipart{world: w, id: data["upload_id"].(string), key: data["key_path"].(string), etags: map[int]string{}}
}

func (m *multipart) partURL(number int) string {
	m.t.Helper()
	return m.data(m.mustDo(m.vod("/vod/v1/customer/multipart/generate-url", map[string]any{
		"key_path": m.key, "upload_id": m.id, "part_number": number,
	})))["url"].(string)
}

// part sends a part and remembers its ETag. It may be called from any goroutine.
func (m *multipart) part(number int, content []byte) {
	m.t.Helper()
	got, err := m.do(m.request(http.MethodPut, m.partURL(number), bytes.NewReader(content)))
	if err != nil || got.status != http.StatusOK {
		m.t.Errorf("part %d: %v, status %d: %s", number, err, got.status, got.body)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.etags[number] = got.header.Get("Etag")
}

// complete asks to complete with the parts of these numbers, in this order.
func (m *multipart) complete(numbers ...int) reply {
	m.t.Helper()
	parts := []any{}
	for _, n := range numbers {
		parts = append(parts, map[string]any{"part_number": n, "etag": m.etags[n]})
	}
	return m.mustDo(m.vod("/vod/v1/customer/multipart/complete", map[string]any{"key_path": m.key, "upload_id": m.id, "parts": parts}))
}

func wantStatus(t testing.TB, got reply, status int, contains string) {
	t.Helper()
	if got.status != status || !strings.Contains(string(got.body), contains) {
		t.Errorf("status %d, body %s; want %d and %q", got.status, got.body, status, contains)
	}
}

const sessionPath = "/live/v1/live-streams/session"

// body is a create body that is accepted, changed by edits.
func body(edits map[string]any) map[string]any {
	b := map[string]any{
		"region": "eu-central-1", "name": "keynote", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
		"input_preset":        map[string]any{"codec": "H264", "resolution": "FULL_HD", "bitrate": "MAX_20_MBPS"},
		"enable_input_record": true, "is_scheduled": false,
	}
	maps.Copy(b, edits)
	return b
}
