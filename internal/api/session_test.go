package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// spellings rewrite the keys of a session.
var spellings = map[string]func(string) string{
	"snake": func(k string) string { return k },
	"camel": func(k string) string {
		parts := strings.Split(k, "_")
		for i := 1; i < len(parts); i++ {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
		return strings.Join(parts, "")
	},
	"Pascal": func(k string) string {
		parts := strings.Split(k, "_")
		for i := range parts {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
		return strings.Join(parts, "")
	},
	"kebab": func(k string) string { return strings.ReplaceAll(k, "_", "-") },
	"upper": strings.ToUpper,
}

// typings rewrite the values of a session without changing what they say.
var typings = map[string]func(key string, v any) any{
	"as documented": func(_ string, v any) any { return v },
	"strings": func(_ string, v any) any {
		switch v.(type) {
		case float64, bool:
			return fmt.Sprint(v)
		}
		return v
	},
	"output_mode in an object": func(key string, v any) any {
		if key == "output_mode" {
			return map[string]any{"value": v}
		}
		return v
	},
	"output_mode under an odd key": func(key string, v any) any {
		if key == "output_mode" {
			return map[string]any{"om": v, "id": "77", "note": "x"}
		}
		return v
	},
	"output_mode nested": func(key string, v any) any {
		if key == "output_mode" {
			return map[string]any{"output": map[string]any{"type": v}, "secure": true}
		}
		return v
	},
}

// TestDecodeSession reads the session with every field in every wrapper, spelling and type, with
// and without unknown fields.
func TestDecodeSession(t *testing.T) {
	t.Parallel()
	full := fullSession(t)
	var fields map[string]any
	decodeStrictly(t, full.Name, full.Body, &fields)
	for wrapperName, wrapper := range wrappers(t, full.Wrappers) {
		for spellingName, spell := range spellings {
			for typingName, typed := range typings {
				for _, extra := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/%s/%t", wrapperName, spellingName, typingName, extra), func(t *testing.T) {
						t.Parallel()
						object := map[string]any{}
						for key, v := range fields {
							object[spell(key)] = typed(key, v)
						}
						if extra {
							object["added"] = map[string]any{"id": "other", "name": "other", "region": "other"}
							object["tags"] = []any{"a", 1, nil}
							object["links"] = map[string]any{}
						}
						body, err := json.Marshal(object)
						if err != nil {
							t.Fatal(err)
						}
						checkVector(t, full, wrap(wrapper, string(body)))
					})
				}
			}
		}
	}
}

// fullSession is the vector of a session with every field.
func fullSession(t testing.TB) vector {
	t.Helper()
	for _, v := range readVectors(t, "get-session") {
		if v.Name == "every field" {
			return v
		}
	}
	t.Fatal("there is no session with every field")
	return vector{}
}

func getSession(t testing.TB, body string) (api.Session, error) {
	t.Helper()
	c := config(wiretest.Always(200, body))
	c.MaxRetries = 0
	return newClient(t, c).GetSession(t.Context(), "s-1")
}

func TestManyKeys(t *testing.T) {
	t.Parallel()
	var keys []string
	for i := range 5000 {
		keys = append(keys, fmt.Sprintf("%q:1", strings.Repeat("k", 100)+fmt.Sprint(i)))
	}
	_, err := getSession(t, "{"+strings.Join(keys, ",")+"}")
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("got %v", err)
	}
}

// TestHugeAnswers neither crash nor hang.
func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	const size = 3 << 20
	for name, body := range map[string]string{
		"lists in lists":     strings.Repeat("[", size) + strings.Repeat("]", size),
		"objects in objects": strings.Repeat(`{"data":`, size/8) + "1" + strings.Repeat("}", size/8),
		"deep but allowed":   strings.Repeat(`{"data":`, 9000) + `{"id":"s"}` + strings.Repeat("}", 9000),
		"nothings":           "[" + strings.Repeat("0,", size) + "0]",
		"deep output_mode":   `{"id":"s","output_mode":` + strings.Repeat(`{"a":`, 5000) + `"RTMP_PULL"` + strings.Repeat("}", 5001),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := getSession(t, body); err == nil || len(err.Error()) > 1000 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	t.Run("at the limit", func(t *testing.T) {
		t.Parallel()
		head := `{"id":"s-1"}`
		got, err := getSession(t, head+strings.Repeat(" ", 16<<20-len(head)))
		if err != nil || got.ID() != "s-1" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("beyond the limit is not repeated", func(t *testing.T) {
		t.Parallel()
		service := wiretest.Always(200, strings.Repeat(" ", 16<<20)+"{}")
		_, err := newClient(t, config(service)).Regions(t.Context())
		if n := len(service.Requests()); err == nil || !strings.Contains(err.Error(), "longer than 16 MiB") || n != 1 {
			t.Errorf("%d requests, %v", n, err)
		}
	})
}
