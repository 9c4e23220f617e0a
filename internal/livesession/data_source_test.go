package livesession_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestSingleDataSourceInvalid(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for want, c := range map[string]config{
		"error id: Invalid value": {"id": " "},
		`".."; it must be the id`: {"id": ".."},
	} {
		if _, diags := p.DataSource("vodlive_live_session", c); !diags.Failed() || !strings.Contains(diags.String(), want) {
			t.Errorf("%v: the diagnostics lack %q: %s", c, want, diags)
		}
	}
}

// TestURLsOnlyIfAskedFor: who wants ids has no stream key in the state, nor in the output of a
// query.
func TestURLsOnlyIfAskedFor(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	id := w.AddSession(pullPush)
	w.AddSession(simulator.SessionRecord{Name: "push", Mode: "HA"})
	p := w.Provider(nil)
	one, diags := p.DataSource("vodlive_live_session", config{"id": id})
	diags.Must(t)
	several, diags := p.DataSource("vodlive_live_sessions", nil)
	diags.Must(t)
	var listed []any
	for o := range p.List(resourceType, nil, true, 10) {
		listed = append(listed, o.Attrs())
	}
	if len(listed) != 2 || several["urls"] != nil {
		t.Errorf("%v %v %v", listed, several, one)
	}
	if all := fmt.Sprint(one, several, listed); strings.Contains(all, "rtmp://") || strings.Contains(all, "rtmps://") {
		t.Errorf("a URL is shown: %s", all)
	}
}

// TestURLsAreApart: the URLs of listed sessions, which carry stream keys, are in a map by id.
func TestURLsAreApart(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{ListOrder: "oldest"})
	var ids []any
	for _, record := range []simulator.SessionRecord{{Name: "match"}, pullPush} {
		ids = append(ids, w.AddSession(record))
	}
	p := w.Provider(nil)
	read, diags := p.DataSource("vodlive_live_sessions", config{"include_urls": true})
	diags.Must(t)
	public := slices.DeleteFunc(slices.Clone(p.Schema.ResourceSchemas[resourceType].Block.Attributes), func(a *tfprotov6.SchemaAttribute) bool {
		return a.Sensitive || slices.Contains(ownArguments, a.Name)
	})
	if !reflect.DeepEqual(read["ids"], ids) {
		t.Errorf("the ids are %v, want %v", read["ids"], ids)
	}
	for i, record := range w.Sessions() {
		session, _ := read["sessions"].([]any)[i].(config)
		if session["id"] != record.ID || session["elastic_ip_a"] != record.ElasticIPA || len(session) != len(public) {
			t.Errorf("session %d has %d fields: %v", i, len(session), session)
		}
		orNull := func(text string) any {
			if text == "" {
				return nil
			}
			return text
		}
		want := config{
			"input_source_a": orNull(record.InputSourceA), "input_source_b": orNull(record.InputSourceB),
			"output_destination_a": orNull(record.OutputDestinationA), "output_destination_b": orNull(record.OutputDestinationB),
			"input_endpoint_a": orNull(record.InputEndpointA), "input_endpoint_b": orNull(record.InputEndpointB),
			"output_endpoint_a": orNull(record.OutputEndpointA), "output_endpoint_b": orNull(record.OutputEndpointB),
		}
		if got := read["urls"].(config)[record.ID]; !reflect.DeepEqual(got, want) {
			t.Errorf("the URLs of %s are %v, want %v", record.Name, got, want)
		}
	}
	if s := fmt.Sprint(read["sessions"]); strings.Contains(s, "rtmp://") || strings.Contains(s, "rtmps://") {
		t.Errorf("a URL is in %s", s)
	}
}

// listed fills an account: 250 sessions, three pages.
func listed(t *testing.T, options simulator.Options) *acctest.World {
	t.Helper()
	options.ListOrder = "oldest"
	w := acctest.NewWorld(t, options)
	for i := range 250 {
		w.AddSession(simulator.SessionRecord{
			Name:   fmt.Sprintf("cam-%03d", i),
			Region: []string{"eu-central-1", "us-east-1"}[i%2],
			Mode:   []string{"NORM", "HA"}[i/5%2],
			Input:  []string{"RTMP_PUSH", "RTMPS_PUSH"}[i/10%2],
			Status: []string{"READY", "STOPPED", "ERROR", "READY", "READY"}[i%5],

			OutputMode: []string{"RTMP_PULL", "RTMPS_PULL", "RTMP_PUSH", "RTMPS_PULL", "RTMPS_PUSH"}[i/10%5],
		})
	}
	return w
}

// names reads the data source of all sessions and returns their names.
func names(t *testing.T, p *acctest.Provider, filters config) []string {
	t.Helper()
	read, diags := p.DataSource("vodlive_live_sessions", filters)
	diags.Must(t)
	var names []string
	for _, session := range read["sessions"].([]any) {
		names = append(names, session.(config)["name"].(string))
	}
	return names
}

func TestListDataSource(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		filters config
		count   int
		first   string
		pages   int
	}{
		"all":                  {nil, 250, "cam-000", 3},
		"region":               {config{"region": "us-east-1"}, 125, "cam-001", 3},
		"mode":                 {config{"mode": "HA"}, 125, "cam-005", 3},
		"input":                {config{"input": "RTMPS_PUSH"}, 120, "cam-010", 3},
		"output_mode":          {config{"output_mode": "RTMP_PUSH"}, 50, "cam-020", 3},
		"statuses":             {config{"statuses": []any{"ERROR"}}, 50, "cam-002", 3},
		"several statuses":     {config{"statuses": []any{"ERROR", "STOPPED"}}, 100, "cam-001", 3},
		"name":                 {config{"name": "cam-120"}, 1, "cam-120", 3},
		"name_regex":           {config{"name_regex": "^cam-1.5$"}, 10, "cam-105", 3},
		"name_regex in part":   {config{"name_regex": "-24"}, 10, "cam-240", 3},
		"several":              {config{"region": "eu-central-1", "mode": "HA", "statuses": []any{"STOPPED"}}, 25, "cam-006", 3},
		"none":                 {config{"name": "nobody"}, 0, "", 3},
		"limit within a page":  {config{"limit": 5}, 5, "cam-000", 1},
		"limit of a page":      {config{"limit": 100}, 100, "cam-000", 1},
		"limit beyond":         {config{"limit": 1000}, 250, "cam-000", 3},
		"limit of what is few": {config{"limit": 2, "name_regex": "^cam-15"}, 2, "cam-150", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := listed(t, simulator.Options{})
			found := names(t, w.Provider(nil), tt.filters)
			if len(found) != tt.count {
				t.Fatalf("%d sessions, want %d", len(found), tt.count)
			}
			if tt.count > 0 && found[0] != tt.first {
				t.Errorf("the first is %s, want %s", found[0], tt.first)
			}
			w.AssertCalls(t, simulator.CallListSessions, tt.pages)
			w.AssertCalls(t, simulator.CallGetSession, 0)
		})
	}
}

func TestListDataSourceInvalid(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	for want, filter := range map[string]config{
		`must be "HA" or "NORM"`:                     {"mode": "ha"},
		`it must be "RTMP_PUSH"`:                     {"input": "RTMP"},
		`must be a regular expression in RE2 syntax`: {"name_regex": "("},
		`must be at least 1`:                         {"limit": 0},
		`must not be blank`:                          {"name": ""},
		`error output_mode: Invalid value`:           {"output_mode": "PULL"},
		`error statuses: `:                           {"statuses": []any{}},
		`error statuses.[]: Invalid value`:           {"statuses": []any{" "}},
		`must be a regular`:                          {"name_regex": "(?<x>"},
	} {
		if _, diags := p.DataSource("vodlive_live_sessions", filter); !diags.Failed() || !strings.Contains(diags.String(), want) {
			t.Errorf("%v: the diagnostics lack %q: %s", filter, want, diags)
		}
	}
}

// TestDataSourcesAreNew: in one run, a data source shows what was made or changed after resources
// and other data sources were read.
func TestDataSourcesAreNew(t *testing.T) {
	t.Parallel()
	w := listed(t, simulator.Options{})
	d := w.Provider(nil)
	names(t, d, nil)
	w.AddSession(simulator.SessionRecord{Name: "new", Region: "eu-central-1", Status: "READY"})
	if found := names(t, d, config{"name": "new"}); len(found) != 1 {
		t.Errorf("%d sessions are named new, want the one that another step made", len(found))
	}
	id := w.Sessions()[0].ID
	w.SetStatus(id, "TERMINATED")
	session, diags := d.DataSource("vodlive_live_session", config{"id": id})
	if diags.Must(t); session["status"] != "TERMINATED" {
		t.Errorf("the status is %v, want TERMINATED", session["status"])
	}
}
