package livesession_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestSingleDataSource(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{OutputModeShape: "empty-object", Absent: "empty"})
	id := s.AddSession(pullPush)
	const at = "data.vodlive_live_session.it"
	check := func(name string, v knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(at, tfjsonpath.New(name), v)
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: s.Factories(t),
		Steps: []resource.TestStep{
			{
				Config: fmt.Sprintf("data \"vodlive_live_session\" \"it\" {\n  id = %q\n}\n", id),
				ConfigStateChecks: []statecheck.StateCheck{
					check("name", knownvalue.StringExact("match")),
					check("output_mode", knownvalue.StringExact("RTMPS_PUSH")),
					check("input_source_b", knownvalue.StringExact(pullPush.InputSourceB)),
					check("input_endpoint_a", knownvalue.Null()),
					check("timezone", knownvalue.StringExact("Europe/Berlin")),
					check("user_id", knownvalue.StringExact(simulator.DefaultUserID)),
					check("port", knownvalue.NotNull()),
					check("elastic_ip_b", knownvalue.NotNull()),
					statecheck.ExpectSensitiveValue(at, tfjsonpath.New("input_source_a")),
					statecheck.ExpectSensitiveValue(at, tfjsonpath.New("output_endpoint_a")),
				},
			},
			{
				Config:      "data \"vodlive_live_session\" \"it\" {\n  id = \"nobody\"\n}\n",
				ExpectError: regexp.MustCompile(`No session of this account has the id "nobody"`),
			},
			{Config: " "}, // what the framework destroys in the end has to be valid
		},
	})
}

func TestSingleDataSourceInvalid(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: s.Factories(t), Steps: []resource.TestStep{{
		Config:      "data \"vodlive_live_session\" \"it\" {\n  id = \" \"\n}\n",
		PlanOnly:    true,
		ExpectError: regexp.MustCompile(`Invalid id`),
	}}})
}

// listed fills an account: 250 sessions, three pages.
func listed(t *testing.T, options simulator.Options) *acctest.Server {
	t.Helper()
	options.ListOrder = "oldest"
	s := acctest.Start(t, options)
	for i := range 250 {
		s.AddSession(simulator.SessionRecord{
			Name:   fmt.Sprintf("cam-%03d", i),
			Region: []string{"eu-central-1", "us-east-1"}[i%2],
			Mode:   []string{"NORM", "HA"}[i/5%2],
			Input:  []string{"RTMP_PUSH", "RTMPS_PUSH"}[i/10%2],
			Status: []string{"READY", "STOPPED", "ERROR", "READY", "READY"}[i%5],
		})
	}
	return s
}

func TestListDataSource(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		filters string
		count   int
		first   string
		pages   int
	}{
		"all":                  {"", 250, "cam-000", 3},
		"region":               {`region = "us-east-1"`, 125, "cam-001", 3},
		"mode":                 {`mode = "HA"`, 125, "cam-005", 3},
		"input":                {`input = "RTMPS_PUSH"`, 120, "cam-010", 3},
		"status":               {`status = "ERROR"`, 50, "cam-002", 3},
		"name":                 {`name = "cam-120"`, 1, "cam-120", 3},
		"name_regex":           {`name_regex = "^cam-1.5$"`, 10, "cam-105", 3},
		"name_regex in part":   {`name_regex = "-24"`, 10, "cam-240", 3},
		"several":              {"region = \"eu-central-1\"\n  mode = \"HA\"\n  status = \"STOPPED\"", 25, "cam-006", 3},
		"none":                 {`name = "nobody"`, 0, "", 3},
		"limit within a page":  {`limit = 5`, 5, "cam-000", 1},
		"limit of a page":      {`limit = 100`, 100, "cam-000", 1},
		"limit beyond":         {`limit = 1000`, 250, "cam-000", 3},
		"limit of what is few": {"limit = 2\n  name_regex = \"^cam-15\"", 2, "cam-150", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := listed(t, simulator.Options{})
			d := connect(t, s)
			found := d.data(t, "vodlive_live_sessions", tt.filters)
			if len(found) != tt.count {
				t.Fatalf("%d sessions, want %d", len(found), tt.count)
			}
			if tt.count > 0 && found[0] != tt.first {
				t.Errorf("the first is %s, want %s", found[0], tt.first)
			}
			s.AssertCalls(t, simulator.CallListSessions, tt.pages)
			s.AssertCalls(t, simulator.CallGetSession, 0)
		})
	}
}

func TestListDataSourceInvalid(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	var steps []resource.TestStep
	for filter, want := range map[string]string{
		`mode = "ha"`:          `must be "HA" or "NORM"`,
		`input = "RTMP"`:       `it must be "RTMP_PUSH"`,
		`name_regex = "("`:     `must be a regular expression in RE2 syntax`,
		`limit = 0`:            `must be at least 1`,
		`name = ""`:            `must not be blank`,
		`name_regex = "(?<x>"`: `must be a regular`,
	} {
		steps = append(steps, resource.TestStep{
			Config:      "data \"vodlive_live_sessions\" \"it\" {\n  " + filter + "\n}\n",
			ExpectError: regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(want), " ", `\s+`)),
		})
	}
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: s.Factories(t), Steps: steps})
}

func TestListDataSourceFailure(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	s.Fail(simulator.Fault{Call: simulator.CallListSessions, Status: http.StatusForbidden, Body: `{"message":"not yours"}`})
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: s.Factories(t), Steps: []resource.TestStep{{
		Config:      "data \"vodlive_live_sessions\" \"it\" {}\n",
		ExpectError: regexp.MustCompile(`403\s+Forbidden:\s+not\s+yours`),
	}}})
}

// TestDataSourcesAreNew: in one run, a data source shows what was made or changed after resources and
// other data sources were read.
func TestDataSourcesAreNew(t *testing.T) {
	t.Parallel()
	s := listed(t, simulator.Options{})
	d := connect(t, s)
	d.data(t, "vodlive_live_sessions", "")
	s.AddSession(simulator.SessionRecord{Name: "new", Region: "eu-central-1", Status: "READY"})
	if found := d.data(t, "vodlive_live_sessions", `name = "new"`); len(found) != 1 {
		t.Errorf("%d sessions are named new, want the one that another step made", len(found))
	}
	id := s.Sessions()[0].ID
	s.SetStatus(id, "TERMINATED")
	var status string
	if err := d.dataSource(t, "vodlive_live_session", fmt.Sprintf("id = %q", id))["status"].As(&status); err != nil || status != "TERMINATED" {
		t.Errorf("the status is %s, %v, want TERMINATED", status, err)
	}
}

// TestPagesAreShared: resources are read from the pages that a data source has listed before.
func TestPagesAreShared(t *testing.T) {
	t.Parallel()
	s := listed(t, simulator.Options{})
	d := connect(t, s)
	d.data(t, "vodlive_live_sessions", "")
	for _, record := range s.Sessions()[:40] {
		_, diags := d.imported(record.ID)
		d.must(nil, diags)
	}
	s.AssertCalls(t, simulator.CallListSessions, 3)
	s.AssertCalls(t, simulator.CallGetSession, 0)
}
