package simulator_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestCredentials(t *testing.T) {
	t.Parallel()
	basic := func(id, secret string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(id, secret) }
	}
	header := func(values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Authorization"] = values }
	}
	right := basic(simulator.DefaultAccessTokenID, simulator.DefaultSecretKey)
	for name, c := range map[string]struct {
		set       func(*http.Request)
		live, vod int
	}{
		"none":            {header(), 401, 401},
		"basic":           {right, 200, 401},
		"wrong secret":    {basic(simulator.DefaultAccessTokenID, "x"), 401, 401},
		"wrong id":        {basic("x", simulator.DefaultSecretKey), 401, 401},
		"token":           {header(simulator.DefaultIDToken), 401, 400},
		"token as bearer": {header("Bearer " + simulator.DefaultIDToken), 401, 401},
		"token twice":     {header(simulator.DefaultIDToken, simulator.DefaultIDToken), 401, 401},
		"empty":           {header(""), 401, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Options{})
			for _, path := range []string{"/live/v1/regions", "/live/v1/live-streams/session"} {
				r := w.live(http.MethodGet, path, nil)
				c.set(r)
				wantJSON(t, w.mustDo(r), c.live)
			}
			// An empty body is refused with 400 by whoever accepts the credential.
			for _, path := range []string{
				"/vod/v1/customer/presign-url", "/vod/v1/customer/multipart/create", "/vod/v1/customer/multipart/generate-url",
				"/vod/v1/customer/multipart/complete", "/v1/local/batch",
			} {
				r := w.vod(path, map[string]any{})
				c.set(r)
				wantJSON(t, w.mustDo(r), c.vod)
			}
		})
	}
}

func wantJSON(t *testing.T, got reply, status int) {
	t.Helper()
	if got.status != status || !json.Valid(got.body) || !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
		t.Errorf("status %d, %s %s; want %d and JSON", got.status, got.header.Get("Content-Type"), got.body, status)
	}
}

func TestTokenChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	body := map[string]any{"filename": "a.mp4"}
	wantJSON(t, w.mustDo(w.vod("/vod/v1/customer/multipart/create", body)), 200)
	w.SetIDToken("second")
	wantJSON(t, w.mustDo(w.vod("/vod/v1/customer/multipart/create", body)), 401)
	r := w.vod("/vod/v1/customer/multipart/create", body)
	r.Header.Set("Authorization", "second")
	wantJSON(t, w.mustDo(r), 200)
}

func TestUnknownRoute(t *testing.T) {
	t.Parallel()
	var called atomic.Value
	w := newWorld(t, simulator.Options{UnknownRoute: func(method, path string) { called.Store(method + " " + path) }})
	for _, want := range []string{
		"DELETE /live/v1/live-streams/session/x", "GET /live/v1/live-streams/session/", "GET /live/v1/live-streams/session/a/b",
		"GET /vod/v1/customer/presign-url", "POST /live/v1/regions/", "GET /storage/b/k", "PUT /storage/b", "GET /",
	} {
		method, path, _ := strings.Cut(want, " ")
		wantJSON(t, w.mustDo(w.live(method, path, nil)), 404)
		if called.Load() != want {
			t.Errorf("UnknownRoute was told %v, want %s", called.Load(), want)
		}
	}
	if got := w.Count(""); got != 8 {
		t.Errorf("%d unknown requests counted", got)
	}
}

func TestStrictBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	m := w.begin("a.mp4")
	for _, c := range []struct{ path, body, message string }{
		{"presign-url", `{"file_name":"a","content_type":"video/mp4","x":1}`, "x is unknown"},
		{"presign-url", `{"File_Name":"a","content_type":"video/mp4"}`, "file_name is required"},
		{"presign-url", `{"file_name":"a"}`, "content_type is required"},
		{"presign-url", `{"file_name":"a","content_type":""}`, "content_type must not be null or empty"},
		{"presign-url", `{"file_name":"a","content_type":null}`, "content_type must not be null or empty"},
		{"presign-url", `{"file_name":"a/b","content_type":"video/mp4"}`, "without a path"},
		{"presign-url", `{"file_name":"a","content_type":"video"}`, "media type"},
		{"presign-url", `[]`, "not a JSON object"},
		{"presign-url", `{} {}`, "behind"},
		{"multipart/create", `{"filename":7}`, "filename must be a string"},
		{"multipart/create", `{"filename":" "}`, "blank"},
		{"multipart/generate-url", `{"key_path":"k","upload_id":"u","part_number":"1"}`, "part_number must be an integer"},
		{"multipart/generate-url", `{"key_path":"k","upload_id":"u","part_number":1.5}`, "part_number must be an integer"},
		{"multipart/generate-url", `{"key_path":"k","upload_id":"u","part_number":0}`, "from 1 to 10000"},
		{"multipart/generate-url", `{"key_path":"k","upload_id":"u","part_number":10001}`, "from 1 to 10000"},
		{"multipart/complete", `{"key_path":"k","upload_id":"u","parts":{}}`, "parts must be an array"},
		{"multipart/complete", `{"key_path":"k","upload_id":"u","parts":["x"]}`, "parts[0] must be an object"},
		{"multipart/complete", `{"key_path":"k","upload_id":"u","parts":[{"etag":"e","part_number":1,"size":3}]}`, "parts[0].size is unknown"},
	} {
		wantStatus(t, w.mustDo(w.vod("/vod/v1/customer/"+c.path, c.body)), 400, c.message)
	}
	address, key := w.presign("a.mp4", "video/mp4")
	wantStatus(t, w.mustDo(w.put(address, "video/mp4", []byte("x"))), 200, "")
	for body, message := range map[string]string{
		`{"paths":[],"service_modes":["m"]}`:                              "paths must not be empty",
		`{"paths":[null],"service_modes":["m"]}`:                          "paths[0]",
		`{"paths":"` + key + `","service_modes":["m"]}`:                   "paths must be an array",
		`{"paths":["` + key + `"],"service_modes":[]}`:                    "service_modes must not be empty",
		`{"paths":["` + key + `"],"service_modes":[" "]}`:                 "service_modes[0]",
		`{"paths":["` + key + `","` + m.key + `"],"service_modes":["m"]}`: "there is no file at",
	} {
		wantStatus(t, w.mustDo(w.vod("/v1/local/batch", body)), 400, message)
	}
	if got := w.Batches(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	wantStatus(t, w.mustDo(w.vod("/vod/v1/customer/multipart/generate-url",
		map[string]any{"key_path": "vod/input/other/u/a.mp4", "upload_id": m.id, "part_number": 1})), 403, "customer")
	r := w.vod("/vod/v1/customer/multipart/create", map[string]any{"filename": "a"})
	r.Header.Del("Content-Type")
	wantStatus(t, w.mustDo(r), 415, "application/json")
	wantStatus(t, w.mustDo(w.vod("/vod/v1/customer/multipart/create?x=1", map[string]any{"filename": "a"})), 400, "query")
	wantStatus(t, w.mustDo(w.live(http.MethodGet, "/live/v1/regions?x=1", nil)), 400, "query")
}
