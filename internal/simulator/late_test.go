package simulator_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestNewSessionsAppearLate(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	begun := time.Now()
	w := newWorld(t, simulator.Options{
		GetAfter: 3 * time.Second, ListAfter: 10 * time.Second,
		Clock: func() time.Time { return begun.Add(time.Duration(passed.Load())) },
	})
	w.AddSession(simulator.SessionRecord{}) // appears at once
	created := w.data(w.mustDo(w.live(http.MethodPost, sessionPath, body(nil))))
	for after, want := range map[time.Duration]struct{ get, listed int }{
		2 * time.Second: {http.StatusNotFound, 1}, 3 * time.Second: {http.StatusOK, 1}, 10 * time.Second: {http.StatusOK, 2},
	} {
		passed.Store(int64(after))
		if got := w.mustDo(w.live(http.MethodGet, sessionPath+"/"+created["id"].(string), nil)); got.status != want.get {
			t.Errorf("GET after %s: %d, want %d", after, got.status, want.get)
		}
		list, _ := w.data(w.mustDo(w.live(http.MethodGet, sessionPath, nil)))["Sessions"].([]any)
		if len(list) != want.listed {
			t.Errorf("the listing has %d sessions after %s, want %d", len(list), after, want.listed)
		}
	}
}

func TestRespelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{Respelled: true, OutputModeShape: "string"})
	id := w.AddSession(simulator.SessionRecord{
		Region: "eu-central-1", Input: "RTMP_PULL", InputSourceA: "rtmp://origin.example.com/app", IsScheduled: true, Timezone: "Asia/Calcutta",
	})
	shown := w.data(w.mustDo(w.live(http.MethodGet, sessionPath+"/"+id, nil)))
	for name, want := range map[string]string{"region": "EU-CENTRAL-1", "input_source_a": "rtmp://origin.example.com:1935/app", "timezone": "Asia/Kolkata"} {
		if shown[name] != want {
			t.Errorf("%s is %v, want %s", name, shown[name], want)
		}
	}
}
