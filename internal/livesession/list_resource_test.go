package livesession_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// list asks for the sessions as `terraform query` does. Nothing is read before
// the results are consumed.
func (d *direct) list(t *testing.T, c config, include bool, limit int64) *tfprotov6.ListResourceServerStream {
	t.Helper()
	s, ok := d.server.(tfprotov6.ListResourceServer)
	if !ok {
		t.Fatal("the provider has no list resources")
	}
	stream, err := s.ListResource(t.Context(), &tfprotov6.ListResourceRequest{
		TypeName: resourceType, Config: dynamic(t, d.schema.ListResourceSchemas[resourceType].ValueType(), c),
		IncludeResource: include, Limit: limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// TestListResourceIsWhatReadFills: a listed resource equals an imported one, and
// so plans clean with a configuration generated from it.
func TestListResourceIsWhatReadFills(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{OutputModeShape: "empty-object", ListOrder: "oldest"})
	records := []simulator.SessionRecord{
		{Name: "match", Region: "eu-central-1"}, {Name: "two", Mode: "HA", Status: "STOPPED"}, pullPush,
	}
	for _, record := range records {
		s.AddSession(record)
	}
	n := 0
	for r := range connect(t, s).list(t, config{}, true, 100).Results {
		if len(r.Diagnostics) > 0 {
			t.Fatal(texts(r.Diagnostics))
		}
		record := s.Sessions()[n]
		d := connect(t, s)
		want, diags := d.imported(record.ID)
		d.must(nil, diags)
		got := object{state: d.value(r.Resource), private: want.private}
		if !got.state.Equal(want.state) {
			diff, _ := got.state.Diff(want.state)
			t.Errorf("%s: the listed resource is not what Read fills: %v", record.Name, diff)
		}
		if r.DisplayName != record.Name {
			t.Errorf("the display name is %q, want %q", r.DisplayName, record.Name)
		}
		identity, err := r.Identity.IdentityData.Unmarshal(identityType)
		if err != nil {
			t.Fatal(err)
		}
		var id string
		if err := fields(t, identity)["id"].As(&id); err != nil || id != record.ID {
			t.Errorf("the identity is %v, want %s (%v)", identity, record.ID, err)
		}
		if n == 0 {
			if resp := d.plan(&got, base()); !d.empty(got, resp) {
				t.Errorf("the plan is not empty: %v", resp.RequiresReplace)
			}
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
		"several filters":  {config{"region": "eu-central-1", "mode": "HA", "status": "STOPPED"}, 1000, 0, 25, 3},
		"none":             {config{"name": "nobody"}, 1000, 0, 0, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := listed(t, simulator.Options{})
			stream := connect(t, s).list(t, tt.config, false, tt.limit)
			s.AssertCalls(t, simulator.CallListSessions, 0)
			n := 0
			for r := range stream.Results {
				if len(r.Diagnostics) > 0 {
					t.Fatal(texts(r.Diagnostics))
				}
				if r.Resource != nil {
					t.Error("a resource that was not asked for")
				}
				if n++; n == tt.consume {
					break
				}
			}
			if n != tt.count {
				t.Errorf("%d sessions, want %d", n, tt.count)
			}
			s.AssertCalls(t, simulator.CallListSessions, tt.pages)
			s.AssertCalls(t, simulator.CallGetSession, 0)
		})
	}
}

func TestListResourceFailures(t *testing.T) {
	t.Parallel()
	collect := func(t *testing.T, d *direct, c config) (n int, all []string) {
		t.Helper()
		for r := range d.list(t, c, true, 1000).Results {
			if len(r.Diagnostics) == 0 {
				n++
			}
			all = append(all, texts(r.Diagnostics)...)
		}
		return n, all
	}
	t.Run("second page", func(t *testing.T) {
		t.Parallel()
		s := listed(t, simulator.Options{})
		s.Fail(simulator.Fault{Call: simulator.CallListSessions, After: 1, Status: http.StatusForbidden, Body: `{"message":"not yours"}`})
		n, got := collect(t, connect(t, s), config{})
		if n != 100 || len(got) != 1 || !strings.Contains(got[0], "403 Forbidden: not yours") {
			t.Errorf("%d sessions, then %v", n, got)
		}
	})
	t.Run("incomplete configuration", func(t *testing.T) {
		t.Parallel()
		s := acctest.Start(t, simulator.Options{})
		n, got := collect(t, connect(t, s, map[string]string{"VODLIVE_SECRET_KEY": ""}), config{})
		if n != 0 || len(got) != 1 || !strings.Contains(got[0], "`secret_key`") {
			t.Errorf("%d sessions, then %v", n, got)
		}
	})
	t.Run("invalid filter", func(t *testing.T) {
		t.Parallel()
		s, schema := server(t)
		resp, err := s.(tfprotov6.ListResourceServer).ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{
			TypeName: resourceType,
			Config:   dynamic(t, schema.ListResourceSchemas[resourceType].ValueType(), config{"mode": "ha", "name_regex": "("}),
		})
		if err != nil {
			t.Fatal(err)
		}
		got := texts(resp.Diagnostics)
		slices.Sort(got)
		if len(got) != 2 || !strings.Contains(got[0], `Write "HA".`) || !strings.Contains(got[1], "RE2") {
			t.Errorf("got %v", got)
		}
	})
}
