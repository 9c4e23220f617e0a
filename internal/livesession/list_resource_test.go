package livesession_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestListResourceIsWhatReadFills: a listed resource equals an imported one but for the URLs, and
// so plans clean with a configuration generated from it.
func TestListResourceIsWhatReadFills(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{OutputModeShape: "empty-object", ListOrder: "oldest"})
	records := []simulator.SessionRecord{
		{Name: "match", Region: "eu-central-1"}, {Name: "two", Mode: "HA", Status: "STOPPED"}, pullPush,
	}
	for _, record := range records {
		w.AddSession(record)
	}
	n := 0
	for got := range w.Provider(nil).List(resourceType, nil, true, 100) {
		got.Diags.Must(t)
		record := w.Sessions()[n]
		d := w.Provider(nil)
		imported, diags := d.Import(resourceType, record.ID)
		diags.Must(t)
		want := imported.Attrs()
		for name := range want {
			if strings.Contains(name, "put_source") || strings.Contains(name, "put_destination") || strings.Contains(name, "put_endpoint") {
				want[name] = nil
			}
		}
		if diff := cmp.Diff(want, got.Attrs()); diff != "" {
			t.Errorf("%s: the listed resource is not what Read fills: %s", record.Name, diff)
		}
		if got.Name != record.Name {
			t.Errorf("the display name is %q, want %q", got.Name, record.Name)
		}
		if id := d.IdentityOf(got.Instance)["id"]; id != record.ID {
			t.Errorf("the identity is %v, want %s", id, record.ID)
		}
		if n == 0 {
			d.AssertNoChanges(got.Instance, base())
		}
		n++
	}
	if n != len(records) {
		t.Errorf("%d sessions were listed, want %d", n, len(records))
	}
}

func TestListResourceStreams(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config  config
		limit   int64
		consume int // 0: everything
		count   int
		pages   int
	}{
		"all":              {config{}, 1000, 0, 250, 3},
		"no limit":         {config{}, 0, 0, 250, 3},
		"limit":            {config{}, 100, 0, 100, 1},
		"limit and filter": {config{"name_regex": "^cam-15"}, 3, 0, 3, 2},
		"stopped reading":  {config{}, 1000, 7, 7, 1},
		"region":           {config{"region": "us-east-1"}, 1000, 0, 125, 3},
		"output mode":      {config{"output_mode": "RTMPS_PUSH"}, 1000, 0, 50, 3},
		"statuses":         {config{"statuses": []any{"STOPPED", "ERROR"}}, 1000, 0, 100, 3},
		"several filters":  {config{"region": "eu-central-1", "mode": "HA", "statuses": []any{"STOPPED"}}, 1000, 0, 25, 3},
		"none":             {config{"name": "nobody"}, 1000, 0, 0, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := listed(t, simulator.Options{})
			results := w.Provider(nil).List(resourceType, tt.config, false, tt.limit)
			w.AssertCalls(t, simulator.CallListSessions, 0)
			n := 0
			for r := range results {
				r.Diags.Must(t)
				if r.Exists() {
					t.Error("a resource that was not asked for")
				}
				if n++; n == tt.consume {
					break
				}
			}
			if n != tt.count {
				t.Errorf("%d sessions, want %d", n, tt.count)
			}
			w.AssertCalls(t, simulator.CallListSessions, tt.pages)
			w.AssertCalls(t, simulator.CallGetSession, 0)
		})
	}
}

func TestListResourceFailures(t *testing.T) {
	t.Parallel()
	collect := func(p *acctest.Provider, c config) (n int, all []string) {
		for r := range p.List(resourceType, c, true, 1000) {
			if len(r.Diags) == 0 {
				n++
			}
			all = append(all, r.Diags.Texts()...)
		}
		return n, all
	}
	t.Run("second page", func(t *testing.T) {
		t.Parallel()
		w := listed(t, simulator.Options{})
		w.Fail(simulator.Fault{Call: simulator.CallListSessions, After: 1, Status: http.StatusForbidden, Body: `{"message":"not yours"}`})
		n, got := collect(w.Provider(nil), nil)
		if n != 100 || len(got) != 1 || !strings.Contains(got[0], "403 Forbidden: not yours") {
			t.Errorf("%d sessions, then %v", n, got)
		}
	})
	t.Run("incomplete configuration", func(t *testing.T) {
		t.Parallel()
		w := acctest.NewWorld(t, simulator.Options{})
		w.Env["VODLIVE_SECRET_KEY"] = ""
		n, got := collect(w.Provider(nil), nil)
		if n != 0 || len(got) != 1 || !strings.Contains(got[0], "`secret_key`") {
			t.Errorf("%d sessions, then %v", n, got)
		}
	})
	t.Run("invalid filter", func(t *testing.T) {
		t.Parallel()
		_, got := collect(acctest.NewProvider(t, nil), config{"mode": "ha", "name_regex": "("})
		slices.Sort(got)
		if len(got) != 2 || !strings.Contains(got[0], `must be "HA" or "NORM"`) || !strings.Contains(got[1], "RE2") {
			t.Errorf("got %v", got)
		}
	})
}
