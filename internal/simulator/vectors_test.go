package simulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestVectors: the decoder's tests read what the simulator sends in each of its shapes, from data files
// that both share. Values may differ, but neither a key nor the type of a value.
func TestVectors(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../api/testdata/vectors/simulator.json")
	if err != nil {
		t.Fatal(err)
	}
	type vector struct {
		Call string          `json:"call"`
		Name string          `json:"name"`
		Body json.RawMessage `json:"body"`
	}
	var vectors []vector
	if err := json.Unmarshal(content, &vectors); err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(vectors))
	for name, o := range map[string]simulator.Options{
		"default":                  {},
		"bare":                     {Envelope: "bare"},
		"another envelope":         {Envelope: "session"},
		"output_mode empty":        {OutputModeShape: "empty-object"},
		"output_mode a string":     {OutputModeShape: "string"},
		"null":                     {Absent: "null"},
		"empty":                    {Absent: "empty"},
		"empty numbers as strings": {Absent: "empty", NumbersAsStrings: true},
		"numbers as strings":       {NumbersAsStrings: true},
		"regions as objects":       {RegionShape: "objects"},
		"regions with another key": {RegionShape: "objects", RegionKey: "name"},
		"late allocation":          {LateAllocation: true, Absent: "null"},
	} {
		for call, body := range responses(t, o) {
			sent := shape(t, body)
			known := slices.IndexFunc(vectors, func(v vector) bool {
				return v.Call == call && reflect.DeepEqual(shape(t, v.Body), sent)
			})
			if known < 0 {
				t.Errorf("%s: no vector of %s is like %s", name, call, body)
				continue
			}
			used[known] = true
		}
	}
	for i, v := range vectors {
		if !used[i] {
			t.Errorf("%s: %s: the simulator sends nothing like it", v.Call, v.Name)
		}
	}
}

// responses makes every call and returns the bodies of the responses.
func responses(t *testing.T, o simulator.Options) map[string]json.RawMessage {
	t.Helper()
	o.Clock, o.PageSize, o.ReadyAfter = newClock().Now, 1, 0
	w := newWorld(t, o)
	bodies := map[string]json.RawMessage{"regions": w.mustDo(w.live(http.MethodGet, "/live/v1/regions", nil)).body}
	for _, mode := range []string{"HA", "NORM"} {
		bodies["create-session"] = w.mustDo(w.live(http.MethodPost, sessionPath, body(map[string]any{"mode": mode}))).body
	}
	bodies["get-session"] = w.mustDo(w.live(http.MethodGet, sessionPath+"/"+w.Sessions()[0].ID, nil)).body
	bodies["list-sessions"] = w.mustDo(w.live(http.MethodGet, sessionPath, nil)).body
	if o.Envelope+o.OutputModeShape+o.Absent+o.RegionShape == "" && !o.NumbersAsStrings {
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
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
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
