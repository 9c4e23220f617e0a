package livesession_test

import (
	"bytes"
	"strings"
	"testing"

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
			w := acctest.NewWorld(t, simulator.Options{})
			d := w.Provider(nil)
			o, diags := d.Import(resourceType, w.AddSession(pullPush))
			diags.Must(t)
			if resp := d.Plan(o, pullPushConfig()); resp.Action != acctest.NoOp {
				t.Fatalf("the plan after the import is not empty: %v", resp.Replaces)
			}
			w.Fail(simulator.Fault{Call: simulator.CallGetSession, Rewrite: func(body []byte) []byte {
				return bytes.ReplaceAll(body, []byte(tt.from), []byte(tt.to))
			}})
			d = w.Provider(nil) // another run
			o, diags = d.Read(o)
			diags.Must(t)
			resp := d.Plan(o, pullPushConfig())
			resp.Diags.Must(t)
			attribute, _, _ := strings.Cut(name, ".")
			if text := "because of `" + attribute + "`"; resp.Action != acctest.Update || !strings.Contains(resp.Diags.String(), text) {
				t.Errorf("the plan is to %s: %v", resp.Action, resp.Diags.Texts())
			}
		})
	}
}

// TestShapesPlanClean imports from services that show the same session in different ways.
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
			base().With(config{"input": "RTMP_PULL", "input_source_a": source}),
		},
	}
	for shape, options := range shapes {
		for name, tt := range sessions {
			t.Run(shape+", "+name, func(t *testing.T) {
				t.Parallel()
				w := acctest.NewWorld(t, options)
				d := w.Provider(nil)
				o, diags := d.Import(resourceType, w.AddSession(tt.record))
				diags.Must(t)
				for attribute, v := range o.Attrs() {
					if v == "" {
						t.Errorf("%s is an empty string, want null", attribute)
					}
				}
				if got := o.Text("user_id"); got != simulator.DefaultUserID {
					t.Errorf("user_id is %s: the listing was not asked", got)
				}
				lists := w.Count(simulator.CallListSessions)
				for range 2 {
					d = w.Provider(nil) // another run
					if o, diags = d.Read(o); len(diags) > 0 {
						t.Errorf("reading again: %v", diags.Texts())
					}
				}
				if again := w.Count(simulator.CallListSessions) - lists; again > 0 {
					t.Errorf("reading again asked for %d pages, want none", again)
				}
				if resp := d.Plan(o, tt.config); resp.Action != acctest.NoOp {
					t.Errorf("the plan is not empty: %v\n%v\n%v", resp.Replaces, o.Attrs(), resp.Attrs())
				}
			})
		}
	}
}

// TestReplaceOnStatusUnknown: whether a set holds the status may be decided at apply.
func TestReplaceOnStatusUnknown(t *testing.T) {
	t.Parallel()
	set, element := config{"replace_on_status": acctest.Unknown}, config{"replace_on_status": []any{acctest.Unknown}}
	preset := config{"input_preset": config{"resolution": "SD"}}
	for name, tt := range map[string]struct {
		status  string // "": there is no session yet
		config  config
		then    []any
		creates int
	}{
		"set":                        {"ERROR", set, []any{"ERROR"}, 1},
		"set without it":             {"ERROR", set, []any{"STOPPED"}, 0},
		"element":                    {"ERROR", element, []any{"ERROR"}, 1},
		"one of two elements":        {"ERROR", config{"replace_on_status": []any{acctest.Unknown, "STOPPED"}}, []any{"ERROR", "STOPPED"}, 1},
		"in the set anyway":          {"ERROR", config{"replace_on_status": []any{acctest.Unknown, "ERROR"}}, []any{"STOPPED", "ERROR"}, 1},
		"set, changed anyway":        {"ERROR", set.With(config{"name": "other"}), []any{"STOPPED"}, 1},
		"set, another preset":        {"READY", set.With(preset), []any{"ERROR"}, 1},
		"element, another preset":    {"READY", element.With(preset), []any{"ERROR"}, 1},
		"set, new session":           {"", set, []any{"ERROR"}, 1},
		"element, new session":       {"", element, []any{"ERROR"}, 1},
		"set of others, new session": {"", set, []any{"STOPPED"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
			d := w.Provider(nil)
			o, action := d.New(resourceType), acctest.Create
			if tt.status != "" {
				record := matchRecord
				record.Status = tt.status
				o, action = imported(t, w, d, record), acctest.Update
			}
			pl := d.Plan(o, base().With(tt.config))
			pl.Diags.Must(t)
			if planned := pl.Attrs()["id"]; pl.Action != action || planned != acctest.Unknown {
				t.Errorf("the plan is to %s, with id %v", pl.Action, planned)
			}
			pl.Config = pl.Config.With(config{"replace_on_status": tt.then})
			now, diags := d.Apply(pl)
			diags.Must(t)
			w.AssertCalls(t, simulator.CallCreateSession, tt.creates)
			if kept := now.Text("id") == o.Text("id"); kept != (tt.creates == 0) {
				t.Errorf("the state had session %q and has %q", o.Text("id"), now.Text("id"))
			}
			w.Provider(nil).AssertNoChanges(now, pl.Config)
		})
	}
}
