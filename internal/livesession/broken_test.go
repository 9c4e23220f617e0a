package livesession_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestBrokenResponses reads an account whose responses lack values, or have others than documented.
// Nothing crashes, and no stream key is in a diagnostic or in the log.
func TestBrokenResponses(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { readBroken(t, seed) })
		})
	}
}

func readBroken(t *testing.T, seed uint64) {
	t.Helper()
	const key = "drawn-stream-key"
	random := rand.New(rand.NewPCG(seed, 0))
	w := acctest.NewWorld(t, simulator.Options{PageSize: 2, Envelope: []string{"data", "bare"}[random.IntN(2)]})
	w.AddSession(simulator.SessionRecord{ID: "s0", Name: "match", Status: "READY"})
	for _, id := range []string{"s1", "s2"} {
		url := "rtmp://live.example.com/app/" + key + id
		w.AddSession(simulator.SessionRecord{
			ID: id, Name: "match " + id, Region: "eu-central-1", Status: "SCHEDULED", Input: "RTMP_PULL", Mode: "HA", OutputMode: "RTMP_PUSH",
			InputSourceA: url + "a", InputSourceB: url + "b", OutputDestinationA: url + "c", OutputDestinationB: url + "d",
			IsScheduled: true, Timezone: "UTC", ScheduledAt: "2040-01-01 00:00",
		})
	}
	often := []float64{0.01, 0.05, 0.2}[random.IntN(3)]
	for _, call := range []string{simulator.CallListSessions, simulator.CallGetSession, simulator.CallRegions} {
		w.Fail(simulator.Fault{Call: call, Rewrite: func(body []byte) []byte {
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				t.Error(err)
			}
			broken, err := json.Marshal(broken(random, v, often))
			if err != nil {
				t.Error(err)
			}
			return broken
		}})
	}
	p := w.Provider(config{"max_retries": 0})
	var all acctest.Diagnostics
	read := func(typ string, given config) {
		_, diags := p.DataSource(typ, given)
		all = append(all, diags...)
	}
	read("vodlive_live_sessions", config{"include_urls": true})
	read("vodlive_regions", config{})
	read(resourceType, config{"name": "match"})
	for _, id := range []string{"s0", "s1", "s2"} {
		read(resourceType, config{"id": id, "include_urls": true})
		_, diags := p.Open(resourceType, config{"id": id})
		all = append(all, diags...)
		o, diags := p.Import(resourceType, id)
		if all = append(all, diags...); !diags.Failed() {
			_, diags = p.Read(o)
			all = append(all, diags...)
		}
	}
	for result := range p.List(resourceType, nil, true, 100) {
		all = append(all, result.Diags...)
	}
	_, diags := p.Create("vodlive_live_session_status", config{"session_ids": []any{"s1", "s2"}, "include_urls": true, "timeouts": config{"create": "20s"}})
	if text := append(all, diags...).String() + w.Log.String(); strings.Contains(text, key) {
		t.Errorf("a stream key is shown: %s", text)
	}
}

// broken replaces values, and leaves some out, so often.
func broken(random *rand.Rand, v any, often float64) any {
	if random.Float64() < often {
		return []any{
			nil, "", "x", 0, 1.5, -7, 1e300, true,
			[]any{},
			[]any{v},
			[]any{v, v},
			map[string]any{},
			map[string]any{"value": v},
			map[string]any{"id": "other", "name": "n"},
			strings.Repeat("l", 1025), "rtmp://live.example.com/app/other", "\u202e\x00", "null",
		}[random.IntN(18)]
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = broken(random, v[i], often)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] = broken(random, v[name], often); random.Float64() < often {
				delete(v, name)
			}
		}
	}
	return v
}
