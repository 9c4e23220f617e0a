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

func TestPagesOverlap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{PageSize: 2, RepeatOnNextPage: true, ListOrder: "oldest"})
	var ids []string
	for range 3 {
		ids = append(ids, w.AddSession(simulator.SessionRecord{}))
	}
	first := w.data(w.mustDo(w.live(http.MethodGet, sessionPath, nil)))
	cursor := first["LastEvaluatedKey"].(map[string]any)
	next := w.request(http.MethodGet, sessionPath, nil)
	query := next.URL.Query()
	for name, value := range cursor {
		query.Set(name, value.(string))
	}
	second := w.data(w.mustDo(w.live(http.MethodGet, sessionPath+"?"+query.Encode(), nil)))
	for i, page := range []map[string]any{first, second} {
		for j, shown := range page["Sessions"].([]any) {
			if got := shown.(map[string]any)["id"]; got != ids[i+j] {
				t.Errorf("session %d of page %d is %v, want %s", j, i, got, ids[i+j])
			}
		}
	}
	if second["LastEvaluatedKey"] != nil || len(second["Sessions"].([]any)) != 2 {
		t.Errorf("the second page: %v", second)
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
