package simulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const sessionPath = "/live/v1/live-streams/session"

// body is a create body that is accepted, changed by edits; a nil value removes a key.
func body(edits map[string]any) map[string]any {
	b := map[string]any{
		"region": "eu-central-1", "name": "keynote", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
		"input_preset":        map[string]any{"codec": "H264", "resolution": "FULL_HD", "bitrate": "MAX_20_MBPS"},
		"enable_input_record": true, "is_scheduled": false,
	}
	for key, value := range edits {
		if value == nil {
			delete(b, key)
		} else {
			b[key] = value
		}
	}
	return b
}

func TestCreateRules(t *testing.T) {
	t.Parallel()
	const a, b = "rtmp://example.com/live/a", "rtmps://example.com/live/b"
	null := json.RawMessage("null")
	for name, c := range map[string]struct {
		edits   map[string]any
		refused string
	}{
		"plain":                  {nil, ""},
		"booleans left out":      {map[string]any{"enable_input_record": nil, "is_scheduled": nil}, ""},
		"pull":                   {map[string]any{"input": "RTMPS_PULL", "input_source_a": a}, ""},
		"pull HA":                {map[string]any{"input": "RTMP_PULL", "mode": "HA", "input_source_a": a, "input_source_b": b}, ""},
		"push out":               {map[string]any{"output_mode": "RTMP_PUSH", "output_destination_a": a}, ""},
		"push out HA":            {map[string]any{"output_mode": "RTMPS_PUSH", "mode": "HA", "output_destination_a": a, "output_destination_b": b}, ""},
		"scheduled":              {map[string]any{"is_scheduled": true, "timezone": "Asia/Kolkata", "scheduled_at": "2030-03-01 18:00"}, ""},
		"rule 1":                 {map[string]any{"input": "RTMP_PULL"}, "input_source_a is required"},
		"rule 2":                 {map[string]any{"input": "RTMPS_PULL", "mode": "HA", "input_source_a": a}, "input_source_b is required"},
		"rule 3":                 {map[string]any{"output_mode": "RTMPS_PUSH"}, "output_destination_a is required"},
		"rule 4":                 {map[string]any{"output_mode": "RTMP_PUSH", "mode": "HA", "output_destination_a": a}, "output_destination_b is required"},
		"rule 5":                 {map[string]any{"region": "mars-1"}, `"mars-1\" is invalid or not allocated`},
		"source with push":       {map[string]any{"input_source_a": a}, "input_source_a applies only when"},
		"second source in NORM":  {map[string]any{"input": "RTMP_PULL", "input_source_a": a, "input_source_b": b}, "input_source_b applies only when"},
		"destination with pull":  {map[string]any{"output_destination_a": a}, "output_destination_a applies only when"},
		"second destination":     {map[string]any{"output_mode": "RTMP_PUSH", "output_destination_a": a, "output_destination_b": b}, "output_destination_b applies"},
		"source not RTMP":        {map[string]any{"input": "RTMP_PULL", "input_source_a": "http://example.com"}, "RTMP or RTMPS endpoint"},
		"no name":                {map[string]any{"name": nil}, "name is required"},
		"blank name":             {map[string]any{"name": " "}, "name must not be blank"},
		"no region":              {map[string]any{"region": nil}, "region is required"},
		"no preset":              {map[string]any{"input_preset": nil}, "input_preset is required"},
		"half a preset":          {map[string]any{"input_preset": map[string]any{"codec": "H264"}}, "input_preset.resolution is required"},
		"unknown in preset":      {map[string]any{"input_preset": map[string]any{"codec": "H264", "resolution": "SD", "bitrate": "MAX_10_MBPS", "fps": 1}}, "input_preset.fps is unknown"},
		"unknown codec":          {map[string]any{"input_preset": map[string]any{"codec": "AV1", "resolution": "SD", "bitrate": "MAX_10_MBPS"}}, "input_preset.codec must be one of"},
		"unknown input":          {map[string]any{"input": "SRT"}, "input must be one of"},
		"unknown mode":           {map[string]any{"mode": "ha"}, "mode must be one of"},
		"unknown output":         {map[string]any{"output_mode": "HLS"}, "output_mode must be one of"},
		"unknown field":          {map[string]any{"tags": "x"}, "tags is unknown"},
		"other case":             {map[string]any{"name": nil, "Name": "x"}, "name is required; Name is unknown"},
		"null":                   {map[string]any{"input_source_a": null}, "input_source_a applies only when"},
		"null timezone":          {map[string]any{"timezone": null}, "timezone applies only when"},
		"empty scheduled_at":     {map[string]any{"scheduled_at": ""}, "scheduled_at applies only when"},
		"null name":              {map[string]any{"name": null}, "name must not be null or empty"},
		"boolean as text":        {map[string]any{"is_scheduled": "true"}, "is_scheduled must be a boolean"},
		"no timezone":            {map[string]any{"is_scheduled": true, "scheduled_at": "2030-03-02 10:00"}, "timezone is required"},
		"no time":                {map[string]any{"is_scheduled": true, "timezone": "UTC"}, "scheduled_at is required"},
		"unknown timezone":       {map[string]any{"is_scheduled": true, "timezone": "Mars/Base", "scheduled_at": "2030-03-02 10:00"}, "timezone must be"},
		"other format":           {map[string]any{"is_scheduled": true, "timezone": "UTC", "scheduled_at": "2030-03-02T10:00"}, "YYYY-MM-DD HH:MM"},
		"one digit":              {map[string]any{"is_scheduled": true, "timezone": "UTC", "scheduled_at": "2030-03-02 9:00"}, "YYYY-MM-DD HH:MM"},
		"past":                   {map[string]any{"is_scheduled": true, "timezone": "UTC", "scheduled_at": "2030-03-01 11:59"}, "in the future"},
		"past in that timezone":  {map[string]any{"is_scheduled": true, "timezone": "Asia/Kolkata", "scheduled_at": "2030-03-01 17:00"}, "in the future"},
		"skipped by the clock":   {map[string]any{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2030-03-31 02:30"}, "skipped"},
		"schedule not scheduled": {map[string]any{"timezone": "UTC", "scheduled_at": "2030-03-02 10:00"}, "scheduled_at applies only when"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Options{Clock: newClock().Now})
			got := w.mustDo(w.live(http.MethodPost, sessionPath, body(c.edits)))
			if c.refused == "" {
				wantStatus(t, got, 201, `"id"`)
			} else {
				wantStatus(t, got, 400, c.refused)
			}
			if made := len(w.Sessions()); made != map[bool]int{true: 1}[c.refused == ""] {
				t.Errorf("%d sessions", made)
			}
		})
	}
}

func wantKeys(t *testing.T, what string, object map[string]any, keys []string) {
	t.Helper()
	if diff := cmp.Diff(slices.Sorted(slices.Values(keys)), slices.Sorted(maps.Keys(object))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (w *world) statusOf(id string) string {
	w.t.Helper()
	return w.data(w.mustDo(w.live(http.MethodGet, sessionPath+"/"+id, nil)))["status"].(string)
}

func (w *world) create(edits map[string]any) string {
	w.t.Helper()
	return w.data(w.mustDo(w.live(http.MethodPost, sessionPath, body(edits))))["id"].(string)
}

func TestStatusByClock(t *testing.T) {
	t.Parallel()
	now := newClock()
	w := newWorld(t, simulator.Options{Clock: now.Now, ReadyAfter: 30 * time.Second})
	id := w.create(nil)
	scheduled := w.create(map[string]any{"is_scheduled": true, "timezone": "UTC", "scheduled_at": "2030-03-01 12:02"})
	for _, step := range []struct {
		after           time.Duration
		want, scheduled string
	}{
		{0, "PENDING", "SCHEDULED"},
		{9 * time.Second, "PENDING", "SCHEDULED"},
		{time.Second, "PROVISIONING", "SCHEDULED"},
		{10 * time.Second, "ALLOCATED", "SCHEDULED"},
		{9 * time.Second, "ALLOCATED", "SCHEDULED"},
		{time.Second, "READY", "SCHEDULED"},
		{90 * time.Second, "READY", "PENDING"},
		{30 * time.Second, "READY", "READY"},
		{100 * 365 * 24 * time.Hour, "READY", "READY"},
	} {
		now.Add(step.after)
		if got, late := w.statusOf(id), w.statusOf(scheduled); got != step.want || late != step.scheduled {
			t.Errorf("at %s: %s and %s, want %s and %s", now.Now(), got, late, step.want, step.scheduled)
		}
	}
}

// all reads the listing to its end, a cursor at a time.
func (w *world) all() (ids []string, pages int) {
	w.t.Helper()
	query := url.Values{}
	for {
		list := w.data(w.mustDo(w.live(http.MethodGet, sessionPath+"?"+query.Encode(), nil)))
		pages++
		entries := list["Sessions"].([]any)
		if len(entries) > 100 {
			w.t.Errorf("%d sessions on a page", len(entries))
		}
		for _, entry := range entries {
			ids = append(ids, entry.(map[string]any)["id"].(string))
		}
		cursor, _ := list["LastEvaluatedKey"].(map[string]any)
		if len(cursor) == 0 {
			return ids, pages
		}
		query = url.Values{}
		for name, value := range cursor {
			query.Set(name, value.(string))
		}
	}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Options{})
	for i := range 150 {
		w.AddSession(simulator.SessionRecord{Name: fmt.Sprint(i)})
	}
	list := w.data(w.mustDo(w.live(http.MethodGet, sessionPath, nil)))
	cursor := url.Values{}
	for name, value := range list["LastEvaluatedKey"].(map[string]any) {
		cursor.Set(name, value.(string))
	}
	wantKeys(t, "cursor", list["LastEvaluatedKey"].(map[string]any), []string{"created_at_user_id", "id", "user_id"})
	for name, edit := range map[string]func(url.Values){
		"no id":       func(q url.Values) { q.Del("id") },
		"no user_id":  func(q url.Values) { q.Del("user_id") },
		"no created":  func(q url.Values) { q.Del("created_at_user_id") },
		"only id":     func(q url.Values) { q.Del("created_at_user_id"); q.Del("user_id") },
		"other id":    func(q url.Values) { q.Set("id", "x") },
		"other user":  func(q url.Values) { q.Set("user_id", "x") },
		"repeated id": func(q url.Values) { q.Add("id", "x") },
		"a filter":    func(q url.Values) { q.Set("limit", "10") },
		"not escaped": func(q url.Values) { q.Set("created_at_user_id", strings.Split(q.Get("created_at_user_id"), "#")[0]) },
	} {
		query := maps.Clone(cursor)
		query["id"] = slices.Clone(query["id"])
		edit(query)
		if got := w.mustDo(w.live(http.MethodGet, sessionPath+"?"+query.Encode(), nil)); got.status != 400 {
			t.Errorf("%s: status %d", name, got.status)
		}
	}
	// A session that goes away does not take the cursor at it along.
	w.RemoveSession(cursor.Get("id"))
	rest := w.data(w.mustDo(w.live(http.MethodGet, sessionPath+"?"+cursor.Encode(), nil)))
	if got := len(rest["Sessions"].([]any)); got != 50 {
		t.Errorf("%d sessions on the second page", got)
	}
}
