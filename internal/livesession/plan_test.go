package livesession_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// pullPush is a session in which every optional argument has a value.
var pullPush = simulator.SessionRecord{
	Name: "match", Region: "eu-central-1", Input: "RTMP_PULL", Mode: "HA", OutputMode: "RTMPS_PUSH",
	Codec: "H264", Resolution: "HD", Bitrate: "MAX_10_MBPS",
	InputSourceA: "rtmp://a.example.com/in/1", InputSourceB: "rtmp://b.example.com/in/2",
	OutputDestinationA: "rtmps://a.example.com/out/1", OutputDestinationB: "rtmps://b.example.com/out/2",
	EnableInputRecord: true, IsScheduled: true, Timezone: "Europe/Berlin", ScheduledAt: "2031-05-17 20:15",
	Status: "SCHEDULED",
}

func pullPushConfig() config {
	return config{
		"name": "match", "region": "eu-central-1", "input": "RTMP_PULL", "mode": "HA", "output_mode": "RTMPS_PUSH",
		"input_preset":   config{"codec": "H264", "resolution": "HD", "bitrate": "MAX_10_MBPS"},
		"input_source_a": "rtmp://a.example.com/in/1", "input_source_b": "rtmp://b.example.com/in/2",
		"output_destination_a": "rtmps://a.example.com/out/1", "output_destination_b": "rtmps://b.example.com/out/2",
		"enable_input_record": true, "is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-05-17 20:15",
	}
}

// TestDrift changes every argument behind Terraform's back, one at a time.
func TestDrift(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ from, to string }{
		"name":                    {`"name":"match"`, `"name":"other"`},
		"region":                  {`"eu-central-1"`, `"us-east-1"`},
		"input":                   {`"RTMP_PULL"`, `"RTMPS_PULL"`},
		"mode":                    {`"mode":"HA"`, `"mode":"NORM"`},
		"output_mode":             {`"RTMPS_PUSH"`, `"RTMP_PUSH"`},
		"input_preset.codec":      {`"H264"`, `"H265"`},
		"input_preset.resolution": {`"HD"`, `"SD"`},
		"input_preset.bitrate":    {`"MAX_10_MBPS"`, `"MAX_20_MBPS"`},
		"input_source_a":          {`a.example.com/in/1`, `c.example.com/in/1`},
		"input_source_b":          {`b.example.com/in/2`, `c.example.com/in/2`},
		"output_destination_a":    {`a.example.com/out/1`, `c.example.com/out/1`},
		"output_destination_b":    {`b.example.com/out/2`, `c.example.com/out/2`},
		"enable_input_record":     {`"enable_input_record":true`, `"enable_input_record":false`},
		"is_scheduled":            {`"is_scheduled":true`, `"is_scheduled":false`},
		"timezone":                {`Europe/Berlin`, `Europe/Paris`},
		"scheduled_at":            {`2031-05-17 20:15`, `2031-05-17 21:15`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{})
			d := connect(t, s)
			o, diags := d.imported(s.AddSession(pullPush))
			d.must(nil, diags)
			if resp := d.plan(&o, pullPushConfig()); !d.empty(o, resp) {
				t.Fatalf("the plan after the import is not empty: %v", resp.RequiresReplace)
			}
			edit(t, s, simulator.CallGetSession, tt.from, tt.to)
			d = connect(t, s) // another run
			o, diags = d.read(o)
			d.must(nil, diags)
			resp := d.plan(&o, pullPushConfig())
			d.must(nil, resp.Diagnostics)
			attribute, _, _ := strings.Cut(name, ".")
			var replaced []string
			for _, p := range resp.RequiresReplace {
				replaced = append(replaced, fmt.Sprint(p))
			}
			if !slices.ContainsFunc(replaced, func(p string) bool { return strings.Contains(p, attribute) }) {
				t.Errorf("the plan replaces because of %v, want %s", replaced, attribute)
			}
			if !strings.Contains(strings.Join(texts(resp.Diagnostics), "\n"), "The live session keeps running") {
				t.Errorf("the replacement does not warn: %v", texts(resp.Diagnostics))
			}
		})
	}
}

// TestShapesPlanClean imports from services that show the same session in
// different ways (interface 4.2, open points).
func TestShapesPlanClean(t *testing.T) {
	t.Parallel()
	shapes := map[string]simulator.Options{
		"as the interface has it":     {},
		"bare":                        {Envelope: "bare"},
		"output mode as text":         {OutputModeShape: "string"},
		"output mode left out by get": {OutputModeShape: "empty-object"},
		"null for what is absent":     {Absent: "null"},
		"empty for what is absent":    {Absent: "empty"},
		"numbers as text":             {NumbersAsStrings: true},
	}
	sessions := map[string]struct {
		record simulator.SessionRecord
		config config
	}{
		"push in, pull out": {simulator.SessionRecord{Name: "match", Region: "eu-central-1"}, base()},
		"pull in, push out": {pullPush, pullPushConfig()},
		"pull in, one pipeline": {
			simulator.SessionRecord{Name: "match", Region: "eu-central-1", Input: "RTMP_PULL", InputSourceA: source},
			base().with(config{"input": "RTMP_PULL", "input_source_a": source}),
		},
	}
	for shape, options := range shapes {
		for name, tt := range sessions {
			t.Run(shape+", "+name, func(t *testing.T) {
				t.Parallel()
				s := acctest.Start(t, options)
				d := connect(t, s)
				o, diags := d.imported(s.AddSession(tt.record))
				d.must(nil, diags)
				for attribute, v := range fields(t, o.state) {
					var text *string
					if v.As(&text) == nil && text != nil && *text == "" {
						t.Errorf("%s is an empty string, want null", attribute)
					}
				}
				if got := d.str(o, "user_id"); got != simulator.DefaultUserID {
					t.Errorf("user_id is %s: the listing was not asked", got)
				}
				lists := s.Count(simulator.CallListSessions)
				for range 2 {
					d = connect(t, s) // another run
					if o, diags = d.read(o); len(diags) > 0 {
						t.Errorf("reading again: %v", texts(diags))
					}
				}
				if again := s.Count(simulator.CallListSessions) - lists; again > 0 {
					t.Errorf("reading again asked for %d pages, want none", again)
				}
				if resp := d.plan(&o, tt.config); !d.empty(o, resp) {
					t.Errorf("the plan is not empty: %v\n%v\n%v", resp.RequiresReplace, o.state, d.value(resp.PlannedState))
				}
			})
		}
	}
}

func TestStatusIsNoDrift(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	id := s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1"})
	o, diags := d.imported(id)
	d.must(nil, diags)
	for _, status := range []string{"PENDING", "STOPPING", "STOPPED", "TERMINATED", "ERROR", "CANCELLED", "NEW_STATUS"} {
		s.SetStatus(id, status)
		d = connect(t, s) // another run
		o, diags = d.read(o)
		d.must(nil, diags)
		if got := d.str(o, "status"); got != status {
			t.Errorf("status is %s after a refresh, want %s", got, status)
		}
		if resp := d.plan(&o, base()); !d.empty(o, resp) {
			t.Errorf("status %s: the plan is not empty: %v", status, resp.RequiresReplace)
		}
	}
}

func TestReplaceOnStatus(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status, set string
		replaced    bool
		warned      bool
	}{
		"in the set":                  {"ERROR", "ERROR", true, false},
		"in the set and not terminal": {"STOPPING", "STOPPING", true, true},
		"not in the set":              {"READY", "ERROR", false, false},
		"terminal, not in the set":    {"STOPPED", "ERROR", false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{})
			d := connect(t, s)
			o, diags := d.imported(s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1", Status: tt.status}))
			d.must(nil, diags)
			resp := d.plan(&o, base().with(config{"replace_on_status": []any{tt.set}}))
			d.must(nil, resp.Diagnostics)
			if got := len(resp.RequiresReplace) > 0; got != tt.replaced {
				t.Errorf("replaced because of %v, want %v", resp.RequiresReplace, tt.replaced)
			}
			if planned := fields(t, d.value(resp.PlannedState))["status"]; planned.IsKnown() == tt.replaced {
				t.Errorf("the planned status is %v", planned)
			}
			if warned := strings.Contains(strings.Join(texts(resp.Diagnostics), ""), "keeps running"); warned != tt.warned {
				t.Errorf("warned %v, want %v: %v", warned, tt.warned, texts(resp.Diagnostics))
			}
		})
	}
}

// TestReplaceOnStatusUnknownInPlan: a set that may turn out to hold the status is refused only where it decides.
func TestReplaceOnStatusUnknownInPlan(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	o, diags := d.imported(s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1", Status: "ERROR"}))
	d.must(nil, diags)
	for _, tt := range []struct {
		name             string
		prior            *object
		config           config
		refused, replace bool
	}{
		{"set", &o, config{"replace_on_status": unknown{}}, true, false},
		{"element", &o, config{"replace_on_status": []any{unknown{}, "STOPPED"}}, true, false},
		{"in the set anyway", &o, config{"replace_on_status": []any{unknown{}, "ERROR"}}, false, true},
		{"replaced anyway", &o, config{"replace_on_status": unknown{}, "name": "other"}, false, true},
		{"new session", nil, config{"replace_on_status": unknown{}}, false, false},
	} {
		resp := d.plan(tt.prior, base().with(tt.config))
		text := strings.Join(texts(resp.Diagnostics), "\n")
		if refused := strings.Contains(text, "error replace_on_status: replace_on_status is not known yet"); refused != tt.refused {
			t.Errorf("%s: refused %v, want %v: %s", tt.name, refused, tt.refused, text)
		}
		if replace := len(resp.RequiresReplace) > 0; replace != tt.replace && !tt.refused {
			t.Errorf("%s: replaced because of %v, want %v", tt.name, resp.RequiresReplace, tt.replace)
		}
	}
}

// TestOwnArguments: what only the provider knows changes in place and calls nothing.
func TestOwnArguments(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	o, diags := d.imported(s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1"}))
	d.must(nil, diags)
	before := len(s.Journal())
	resp := d.plan(&o, base().with(config{
		"wait_for_status": []any{"STOPPED"}, "replace_on_status": []any{"ERROR"}, "timeouts": config{"create": "5m"},
	}))
	d.must(nil, resp.Diagnostics)
	if len(resp.RequiresReplace) > 0 || d.empty(o, resp) {
		t.Errorf("the plan replaces because of %v", resp.RequiresReplace)
	}
	applied, err := d.server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: resourceType, PriorState: d.dynamic(o.state), PlannedState: resp.PlannedState, PlannedPrivate: resp.PlannedPrivate,
		Config: d.dynamic(value(d.typ, base().with(config{
			"wait_for_status": []any{"STOPPED"}, "replace_on_status": []any{"ERROR"}, "timeouts": config{"create": "5m"},
		}))),
	})
	d.must(err, applied.Diagnostics)
	if !d.value(applied.NewState).Equal(d.value(resp.PlannedState)) {
		t.Error("the state after the update is not the planned one")
	}
	if calls := len(s.Journal()) - before; calls > 0 {
		t.Errorf("%d calls were made:\n%s", calls, s.JournalText())
	}
}

func TestDestroyWarns(t *testing.T) {
	t.Parallel()
	for status, warned := range map[string]bool{
		"PENDING": true, "PROVISIONING": true, "ALLOCATED": true, "READY": true, "STOPPING": true, "SCHEDULED": true, "NEW_STATUS": true,
		"STOPPED": false, "TERMINATED": false, "CANCELLED": false, "ERROR": false,
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, simulator.Options{})
			d := connect(t, s)
			id := s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1", Status: status})
			o, diags := d.imported(id)
			d.must(nil, diags)
			before := len(s.Journal())

			resp := d.plan(&o, nil)
			planned := fmt.Sprintf("warning : The live session keeps running: Live session %s (\"match\", status %s) will be removed from the state, "+
				"but keeps running: the service has no call to stop or delete a session. To manage it again, import this id.", id, status)
			null := d.dynamic(value(d.typ, nil))
			applied, err := d.server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
				TypeName: resourceType, PriorState: d.dynamic(o.state), PlannedState: null, Config: null, PlannedPrivate: resp.PlannedPrivate,
			})
			d.must(err, applied.Diagnostics)
			done := strings.Replace(planned, "will be removed", "was removed", 1)
			var want, wantDone []string
			if warned {
				want, wantDone = []string{planned}, []string{done}
			}
			if got := texts(resp.Diagnostics); !slices.Equal(got, want) {
				t.Errorf("plan: got %v, want %v", got, want)
			}
			if got := texts(applied.Diagnostics); !slices.Equal(got, wantDone) {
				t.Errorf("apply: got %v, want %v", got, wantDone)
			}
			if calls := len(s.Journal()) - before; calls > 0 {
				t.Errorf("%d calls were made:\n%s", calls, s.JournalText())
			}
		})
	}
}

func TestRegionCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options simulator.Options
		region  any
		fault   *simulator.Fault
		want    []string
		calls   int
	}{
		"allocated":          {region: "eu-central-1", calls: 1},
		"entries as objects": {options: simulator.Options{RegionShape: "objects", RegionKey: "code"}, region: "eu-central-1", calls: 1},
		"not known yet":      {region: unknown{}},
		"misspelt": {region: "eu-centrall-1", calls: 1, want: []string{
			`error region: The region is not allocated to the account: "eu-centrall-1" was given; the regions allocated to this account are ap-south-1, eu-central-1, us-east-1 and us-west-2. Did you mean "eu-central-1"?`,
		}},
		"in another case": {region: "EU-Central-1", calls: 1, want: []string{
			`error region: The region is not allocated to the account: "EU-Central-1" was given; the regions allocated to this account are ap-south-1, eu-central-1, us-east-1 and us-west-2. Did you mean "eu-central-1"?`,
		}},
		"far from any": {region: "mars", calls: 1, options: simulator.Options{Regions: []string{"b", "c", "a"}}, want: []string{
			`error region: The region is not allocated to the account: "mars" was given; the regions allocated to this account are a, b and c.`,
		}},
		"none allocated": {region: "mars", calls: 1, options: simulator.Options{Regions: []string{}}, want: []string{
			`error region: The region is not allocated to the account: "mars" was given, but no region is allocated to this account.`,
		}},
		"marked as not available": {
			region: "eu-central-1", calls: 1,
			fault: &simulator.Fault{Call: simulator.CallRegions, Body: `{"data":[{"region":{"name":"eu-central-1"},"availability":"UNAVAILABLE"},{"region":{"name":"us-east-1"},"availability":"AVAILABLE"}]}`},
			want: []string{
				`error region: The region is not allocated to the account: "eu-central-1" was given; the regions allocated to this account are us-east-1.`,
			},
		},
		"list not to be had": {region: "eu-central-1", calls: 1, fault: &simulator.Fault{Call: simulator.CallRegions, Status: http.StatusForbidden, Body: `{"message":"not yours"}`}, want: []string{
			`warning region: The region was not checked: Listing the regions failed, so the provider did not check whether "eu-central-1" is allocated to the account. If it is not, creating the session will fail. ` +
				"List the regions: GET %s/live/v1/regions: 403 Forbidden: not yours.\n\n" +
				"To plan without this check, set `skip_region_validation = true` in the provider block.",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, tt.options)
			if tt.fault != nil {
				s.Fail(*tt.fault)
			}
			d := connect(t, s)
			for range 3 { // three sessions
				got := texts(d.plan(nil, base().with(config{"region": tt.region})).Diagnostics)
				var want []string
				for _, text := range tt.want {
					want = append(want, strings.ReplaceAll(text, "%s", s.URL))
				}
				if !slices.Equal(got, want) {
					t.Errorf("got  %v\nwant %v", got, want)
				}
			}
			s.AssertCalls(t, simulator.CallRegions, tt.calls)
			if len(s.Journal()) != tt.calls {
				t.Errorf("planning made other calls:\n%s", s.JournalText())
			}
		})
	}
}

// TestExistingRegionIsNotChecked: a session that exists proves its region.
func TestExistingRegionIsNotChecked(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	o, diags := d.imported(s.AddSession(simulator.SessionRecord{Name: "match", Region: "withdrawn-1", Timezone: "UTC", ScheduledAt: "2001-01-01 00:00", IsScheduled: true}))
	d.must(nil, diags)
	resp := d.plan(&o, base().with(config{"region": "withdrawn-1", "is_scheduled": true, "timezone": "UTC", "scheduled_at": "2001-01-01 00:00"}))
	if len(resp.Diagnostics) > 0 || !d.empty(o, resp) {
		t.Errorf("an unchanged session: %v %v", texts(resp.Diagnostics), resp.RequiresReplace)
	}
	s.AssertCalls(t, simulator.CallRegions, 0)
}

func TestPastScheduleIsRefusedOnCreate(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	got := texts(d.plan(nil, base().with(config{"is_scheduled": true, "timezone": "UTC", "scheduled_at": "2001-01-01 00:00"})).Diagnostics)
	if len(got) != 1 || !strings.HasPrefix(got[0], `error scheduled_at: scheduled_at is in the past: "2001-01-01 00:00" in UTC was `) {
		t.Errorf("got %v", got)
	}
}

func TestIncompleteProviderConfiguration(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s, map[string]string{"VODLIVE_SECRET_KEY": ""})
	got := strings.Join(texts(d.plan(nil, base()).Diagnostics), "\n")
	if !strings.Contains(got, "`secret_key`") || !strings.Contains(got, resourceType) {
		t.Errorf("got %v", got)
	}
	if len(s.Journal()) > 0 {
		t.Errorf("calls were made:\n%s", s.JournalText())
	}
}

func TestImportOfUnknownID(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	_, diags := d.imported("no-such-id")
	got := texts(diags)
	if len(got) != 1 || !strings.Contains(got[0], `No session of this account has the id "no-such-id"`) || !strings.Contains(got[0], s.URL) {
		t.Errorf("got %v", got)
	}
}

// TestImportByIdentity imports as Terraform 1.12 does, and finds the identity set
// by every read, of a session that is gone, too: the framework wants one.
func TestImportByIdentity(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	id := s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1"})
	given, err := tfprotov6.NewDynamicValue(identityType, value(identityType, config{"id": id}))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := d.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
		TypeName: resourceType, Identity: &tfprotov6.ResourceIdentityData{IdentityData: &given},
	})
	d.must(err, resp.Diagnostics)
	r := resp.ImportedResources[0]
	for range 2 {
		read, err := d.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
			TypeName: resourceType, CurrentState: r.State, Private: r.Private, CurrentIdentity: r.Identity,
		})
		d.must(err, read.Diagnostics)
		identity, err := read.NewIdentity.IdentityData.Unmarshal(identityType)
		if err != nil || !identity.Equal(value(identityType, config{"id": id})) {
			t.Errorf("the identity is %v (%v), want %s", identity, err, id)
		}
		if got := d.str(object{state: d.value(read.NewState)}, "name"); got != "match" {
			t.Errorf("the name is %s", got)
		}
		r.State, r.Private, r.Identity = read.NewState, read.Private, nil // as a CLI below 1.12 stores it
	}
}

func TestReadFailures(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	id := s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1"})
	o, diags := d.imported(id)
	d.must(nil, diags)

	d = connect(t, s) // another run
	s.Fail(simulator.Fault{Call: simulator.CallGetSession, Times: 1, Status: http.StatusForbidden, Body: `{"message":"closed"}`})
	_, diags = d.read(o)
	if got := texts(diags); len(got) != 1 || !strings.Contains(got[0], id) || !strings.Contains(got[0], "403 Forbidden: closed") {
		t.Errorf("a refused read: %v", got)
	}

	s.RemoveSession(id)
	o, diags = d.read(o)
	d.must(nil, diags)
	if len(diags) != 1 || diags[0].Summary != "The live session was not found" || !o.state.IsNull() {
		t.Errorf("a session that is gone: %v %v", texts(diags), o.state)
	}
}

// TestListedOncePerStatus: values that only the listing has are looked up when
// the session may first have them, and not at every refresh.
func TestListedOncePerStatus(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{LateAllocation: true})
	d := connect(t, s)
	id := s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1", Status: "SCHEDULED"})
	o, diags := d.imported(id)
	d.must(nil, diags)
	if ip := d.str(o, "elastic_ip_a"); ip != "<null>" {
		t.Fatalf("a scheduled session has the address %s already", ip)
	}
	steps := []struct {
		status string
		lists  int
		ip     bool
	}{{"SCHEDULED", 0, false}, {"READY", 1, true}, {"READY", 0, true}, {"STOPPED", 0, true}}
	for _, step := range steps {
		s.SetStatus(id, step.status)
		d = connect(t, s) // another run
		before := s.Count(simulator.CallListSessions)
		o, diags = d.read(o)
		d.must(nil, diags)
		if lists := s.Count(simulator.CallListSessions) - before; lists != step.lists {
			t.Errorf("%s: %d pages, want %d", step.status, lists, step.lists)
		}
		if got := d.str(o, "elastic_ip_a") != "<null>"; got != step.ip {
			t.Errorf("%s: has an address: %v, want %v", step.status, got, step.ip)
		}
	}
}

func TestListingFailureIsAWarning(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	id := s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1"})
	s.Fail(simulator.Fault{Call: simulator.CallListSessions, Times: 1, Status: http.StatusForbidden})
	o, diags := d.imported(id)
	d.must(nil, diags)
	if got := strings.Join(texts(diags), "\n"); !strings.Contains(got, "Some values of the live session are missing") || !strings.Contains(got, id) {
		t.Errorf("got %s", got)
	}
	o, diags = connect(t, s).read(o) // the next run
	if len(diags) > 0 || d.str(o, "user_id") == "<null>" {
		t.Errorf("the next refresh: %v %s", texts(diags), d.str(o, "user_id"))
	}
}

// TestUnknownProviderConfiguration: a plan in which the provider's own values
// are still to come makes no call and does not fail.
func TestUnknownProviderConfiguration(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t, simulator.Options{})
	d := connect(t, s)
	o, diags := d.imported(s.AddSession(simulator.SessionRecord{Name: "match", Region: "eu-central-1"}))
	d.must(nil, diags)
	before := len(s.Journal())

	d = connectWith(t, s, config{"base_url": unknown{}})
	read, diags := d.read(o)
	if len(diags) > 0 || !read.state.Equal(o.state) {
		t.Errorf("a read: %v %v", texts(diags), read.state)
	}
	if resp := d.plan(nil, base().with(config{"region": "mars"})); len(resp.Diagnostics) > 0 {
		t.Errorf("a plan: %v", texts(resp.Diagnostics))
	}
	if _, diags = d.imported("some-id"); len(diags) != 1 || diags[0].Summary != "The provider configuration is not known yet" {
		t.Errorf("an import: %v", texts(diags))
	}
	if calls := len(s.Journal()) - before; calls > 0 {
		t.Errorf("%d calls were made:\n%s", calls, s.JournalText())
	}
}
