package livesession

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// full is a session with a value in every field, of those that apply and of
// those that do not.
func full(input, mode, output string) *api.Session {
	s := &api.Session{
		ID: "s1", Region: "eu", Name: "match", Input: input, Mode: mode, OutputMode: output, Status: "READY",
		InputPreset:  api.InputPreset{Codec: "H264", Resolution: "HD", Bitrate: "MAX_10_MBPS"},
		InputSourceA: "rtmp://in/a", InputSourceB: "rtmp://in/b", OutputDestinationA: "rtmp://out/a", OutputDestinationB: "rtmp://out/b",
		Timezone: "UTC", ScheduledAt: "2031-05-17 20:15",
		InputEndpointA: "rtmp://e/ia", InputEndpointB: "rtmp://e/ib", OutputEndpointA: "rtmp://e/oa", OutputEndpointB: "rtmp://e/ob",
	}
	for _, field := range reflect.ValueOf(s).Elem().Fields() { // the others may have any value
		switch field.Interface().(type) {
		case string:
			if field.IsZero() {
				field.SetString("x")
			}
		case *int64:
			field.Set(reflect.ValueOf(new(int64(7))))
		case *bool:
			field.Set(reflect.ValueOf(new(true)))
		}
	}
	return s
}

// TestFillApplies: what does not apply to a session is null, whatever is sent.
func TestFillApplies(t *testing.T) {
	t.Parallel()
	onlyPullIn := []string{"InputSourceA", "InputSourceB"}
	onlyPushIn := []string{"InputEndpointA", "InputEndpointB"}
	onlyPullOut := []string{"OutputEndpointA", "OutputEndpointB"}
	onlyPushOut := []string{"OutputDestinationA", "OutputDestinationB"}
	onlyHA := []string{"InputSourceB", "InputEndpointB", "OutputEndpointB", "OutputDestinationB", "SubDomainB", "ElasticIPB"}
	for _, input := range directions {
		for _, output := range directions {
			for _, mode := range modes {
				m := newModel()
				m.fill(full(input, mode, output), attributes)
				absent := map[string]bool{}
				add := func(names []string, yes bool) {
					for _, name := range names {
						absent[name] = absent[name] || yes
					}
				}
				add(onlyPullIn, !strings.HasSuffix(input, "_PULL"))
				add(onlyPushIn, !strings.HasSuffix(input, "_PUSH"))
				add(onlyPullOut, !strings.HasSuffix(output, "_PULL"))
				add(onlyPushOut, !strings.HasSuffix(output, "_PUSH"))
				add(onlyHA, mode != modeHA)
				eachField(m.session, func(name string, value nullable) {
					if value.IsUnknown() || value.IsNull() != absent[name] {
						t.Errorf("%s %s %s: %s is %v, want null: %v", input, mode, output, name, value, absent[name])
					}
				})
				if required, listed := m.missing(); len(required)+len(listed) > 0 {
					t.Errorf("%s %s %s: %v and %v are said to be missing", input, mode, output, required, listed)
				}
			}
		}
	}
}

type nullable interface {
	IsNull() bool
	IsUnknown() bool
}

func eachField(m session, f func(name string, value nullable)) {
	v := reflect.ValueOf(m)
	for i := range v.NumField() {
		f(v.Type().Field(i).Name, v.Field(i).Interface().(nullable))
	}
}

// TestFillKeeps: an answer that leaves a field out changes nothing of it, and
// none is unknown afterwards.
func TestFillKeeps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := full(rapid.SampledFrom(directions).Draw(t, "input"), rapid.SampledFrom(modes).Draw(t, "mode"), rapid.SampledFrom(directions).Draw(t, "output"))
		m := newSession()
		m.fill(whole, attributes)
		before := m

		part := *whole
		v := reflect.ValueOf(&part).Elem()
		for i := range v.NumField() {
			if rapid.Bool().Draw(t, "leave out "+v.Type().Field(i).Name) {
				v.Field(i).SetZero()
			}
		}
		m.fill(&part, attributes)
		if !reflect.DeepEqual(m, before) {
			t.Fatalf("got %+v\nwant %+v", m, before)
		}

		planned := before
		planned.ID, planned.Status, planned.Port = types.StringUnknown(), types.StringUnknown(), types.Int64Unknown()
		planned.InputEndpointA, planned.SubDomainB = types.StringUnknown(), types.StringUnknown()
		planned.fill(&part, attributes)
		eachField(planned, func(name string, value nullable) {
			if value.IsUnknown() {
				t.Fatalf("%s is unknown", name)
			}
		})
	})
}

func TestFillNotScheduled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flag      *bool
		at        string
		scheduled bool
	}{
		"told":                    {new(true), "2031-05-17 20:15", true},
		"told that it is not":     {new(false), "2031-05-17 20:15", false},
		"not told, with a start":  {nil, "2031-05-17 20:15", true},
		"not told, without start": {nil, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newSession()
			m.fill(&api.Session{ID: "s1", IsScheduled: tt.flag, ScheduledAt: tt.at, Timezone: "UTC"}, attributes)
			if m.IsScheduled.ValueBool() != tt.scheduled || m.ScheduledAt.IsNull() == tt.scheduled || m.Timezone.IsNull() == tt.scheduled {
				t.Errorf("is_scheduled %v, scheduled_at %v, timezone %v", m.IsScheduled, m.ScheduledAt, m.Timezone)
			}
		})
	}
}

// TestSpec: what is sent is what is planned, field by field.
func TestSpec(t *testing.T) {
	t.Parallel()
	m := newModel()
	m.fill(full("RTMP_PULL", modeHA, "RTMPS_PUSH"), attributes)
	spec := m.spec()
	v := reflect.ValueOf(spec)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not sent", v.Type().Field(i).Name)
		}
	}
	answer := full("RTMP_PULL", modeHA, "RTMPS_PUSH")
	if !mayHave(&m.session, answer) {
		t.Error("the session differs from its own spec")
	}
}

// afterCreate returns the warnings of a create that was planned and answered like this.
func afterCreate(planned model, s *api.Session) diag.Diagnostics {
	given, shown := planned.session, planned.session
	planned.fillCreated(s, &shown, &privateData{})
	return otherValues(s.ID, &given, &shown)
}

// TestDiffering changes every argument in turn.
func TestDiffering(t *testing.T) {
	t.Parallel()
	m := newModel()
	m.fill(full("RTMP_PULL", modeHA, "RTMPS_PUSH"), attributes)
	changes := map[string]func(s *api.Session){
		"name":                    func(s *api.Session) { s.Name = "x" },
		"region":                  func(s *api.Session) { s.Region = "x" },
		"input":                   func(s *api.Session) { s.Input = "RTMPS_PULL" },
		"mode":                    func(s *api.Session) { s.Mode = modeNORM },
		"output_mode":             func(s *api.Session) { s.OutputMode = "RTMP_PUSH" },
		"input_preset.codec":      func(s *api.Session) { s.InputPreset.Codec = "x" },
		"input_preset.resolution": func(s *api.Session) { s.InputPreset.Resolution = "x" },
		"input_preset.bitrate":    func(s *api.Session) { s.InputPreset.Bitrate = "x" },
		"input_source_a":          func(s *api.Session) { s.InputSourceA = "x" },
		"input_source_b":          func(s *api.Session) { s.InputSourceB = "x" },
		"output_destination_a":    func(s *api.Session) { s.OutputDestinationA = "x" },
		"output_destination_b":    func(s *api.Session) { s.OutputDestinationB = "x" },
		"enable_input_record":     func(s *api.Session) { s.EnableInputRecord = new(false) },
		"is_scheduled":            func(s *api.Session) { s.IsScheduled = new(false) },
		"timezone":                func(s *api.Session) { s.Timezone = "Europe/Berlin" },
		"scheduled_at":            func(s *api.Session) { s.ScheduledAt = "x" },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := full("RTMP_PULL", modeHA, "RTMPS_PUSH")
			change(s)
			if mayHave(&m.session, s) {
				t.Error("not a difference")
			}
			attribute, _, _ := strings.Cut(name, ".")
			diags := afterCreate(m, s)
			if len(diags) != 1 || !strings.Contains(diags[0].Detail(), "\n  - "+attribute) {
				t.Errorf("got %v", diags)
			}
			if strings.Contains(fmt.Sprint(diags), "rtmp://") {
				t.Errorf("a stream URL is shown: %v", diags)
			}
		})
	}
	t.Run("left out", func(t *testing.T) {
		t.Parallel()
		s := &api.Session{ID: "s1"}
		if mayHave(&m.session, s) {
			t.Error("a session that says nothing is a candidate")
		}
		s.Name, s.Region, s.Input, s.Mode = "match", "eu", "RTMP_PULL", modeHA
		if !mayHave(&m.session, s) {
			t.Error("a session that says no more than name, region, input and mode is no candidate")
		}
		if diags := afterCreate(m, s); len(diags) > 0 {
			t.Errorf("an answer that leaves out everything is a difference: %v", diags)
		}
	})
}
