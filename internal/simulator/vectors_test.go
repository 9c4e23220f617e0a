package simulator_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

var update = flag.Bool("update", false, "write "+vectorsFile)

const vectorsFile = "testdata/vectors.json"

type vector struct {
	Call string          `json:"call"`
	Name string          `json:"name"`
	Body json.RawMessage `json:"body"`
}

// TestVectors holds what the simulator sends in each of its shapes against a file that a person has
// compared with SERVICE.md. Values may differ, but neither a key nor the type of a value.
func TestVectors(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(vectorsFile)
	must.Succeed(t, err)
	var vectors []vector
	must.Succeed(t, json.Unmarshal(content, &vectors))
	sent := sentVectors(t)
	if *update {
		writeVectors(t, sent)
		return
	}
	used := make([]bool, len(vectors))
	for _, s := range sent {
		known := slices.IndexFunc(vectors, func(v vector) bool {
			return v.Call == s.Call && reflect.DeepEqual(shape(t, v.Body), shape(t, s.Body))
		})
		if known < 0 {
			t.Errorf("%s: no vector of %s is like %s", s.Name, s.Call, s.Body)
			continue
		}
		used[known] = true
	}
	for i, v := range vectors {
		if !used[i] {
			t.Errorf("%s: %s: the simulator sends nothing like it", v.Call, v.Name)
		}
	}
}

// sentVectors returns what the simulator sends with each of its options, by call.
func sentVectors(t *testing.T) (sent []vector) {
	t.Helper()
	for _, o := range []struct {
		name string
		simulator.Options
	}{
		{"default", simulator.Options{}},
		{"output_mode a string", simulator.Options{OutputModeShape: "string"}},
		{"output_mode empty", simulator.Options{OutputModeShape: "empty-object"}},
		{"null", simulator.Options{Absent: "null"}},
		{"empty", simulator.Options{Absent: "empty"}},
		{"regions as objects", simulator.Options{RegionShape: "objects"}},
		{"regions with another key", simulator.Options{RegionShape: "objects", RegionKey: "name"}},
		{"late allocation", simulator.Options{LateAllocation: true, Absent: "null"}},
	} {
		for call, body := range responses(t, o.Options) {
			sent = append(sent, vector{Call: call, Name: o.name, Body: body})
		}
	}
	slices.SortStableFunc(sent, func(a, b vector) int { return strings.Compare(a.Call, b.Call) })
	return sent
}

// writeVectors writes one vector for each shape that was sent.
func writeVectors(t *testing.T, sent []vector) {
	t.Helper()
	var written []vector
	for _, v := range sent {
		isWritten := slices.ContainsFunc(written, func(w vector) bool {
			return w.Call == v.Call && reflect.DeepEqual(shape(t, w.Body), shape(t, v.Body))
		})
		if !isWritten {
			written = append(written, v)
		}
	}
	content, err := json.MarshalIndent(written, "", "  ")
	must.Succeed(t, err)
	must.Succeed(t, os.WriteFile(vectorsFile, append(content, '\n'), 0o600))
}

// responses makes every call and returns the bodies of the responses.
func responses(t *testing.T, o simulator.Options) map[string]json.RawMessage {
	t.Helper()
	o.PageSize = 1
	w := newWorld(t, o)
	bodies := map[string]json.RawMessage{"regions": w.mustDo(w.live(http.MethodGet, "/live/v1/regions", nil)).body}
	for _, mode := range []string{"HA", "NORM"} {
		bodies["create-session"] = w.mustDo(w.live(http.MethodPost, sessionPath, body(map[string]any{"mode": mode}))).body
	}
	bodies["get-session"] = w.mustDo(w.live(http.MethodGet, sessionPath+"/"+w.Sessions()[0].ID, nil)).body
	bodies["list-sessions"] = w.mustDo(w.live(http.MethodGet, sessionPath, nil)).body
	if o.OutputModeShape+o.Absent+o.RegionShape == "" {
		upload := func(path string, body map[string]any) json.RawMessage { return w.mustDo(w.vod(path, body)).body }
		bodies["presign-url"] = upload("/vod/v1/customer/presign-url", map[string]any{"file_name": "a.mp4", "content_type": "video/mp4"})
		bodies["multipart-create"] = upload("/vod/v1/customer/multipart/create", map[string]any{"filename": "a.mp4"})
		m := w.begin("a.mp4")
		bodies["multipart-generate-url"] = upload("/vod/v1/customer/multipart/generate-url", map[string]any{
			"key_path": m.key, "upload_id": m.id, "part_number": 1,
		})
		m.part(1, []byte("content"))
		bodies["multipart-complete"] = m.complete(1).body
		bodies["batch"] = upload("/v1/local/batch", map[string]any{"paths": []string{m.key}, "service_modes": []string{"video_optimizer"}})
	}
	return bodies
}

// shape returns JSON with the types of its values in their places.
func shape(t *testing.T, body []byte) any {
	t.Helper()
	var v any
	must.Succeed(t, json.Unmarshal(body, &v))
	return typesIn(v)
}

func typesIn(v any) any {
	switch v := v.(type) {
	case map[string]any:
		shapes := map[string]any{}
		for key, member := range v {
			shapes[key] = typesIn(member)
		}
		return shapes
	case []any:
		shapes := make([]any, len(v))
		for i := range v {
			shapes[i] = typesIn(v[i])
		}
		return shapes
	case string:
		if v == "" {
			return "an empty string"
		}
	}
	return fmt.Sprintf("%T", v)
}
