package livesession

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// full is a session with a value in every field, of those that apply and of those that do not.
func full(input, mode, output string) api.Session {
	s := api.Session{}
	for _, a := range attributes { // most may have any value
		switch a.Kind {
		case sessionfield.Number:
			s[a.Name] = "7"
		case sessionfield.Flag:
			s[a.Name] = "true"
		case sessionfield.URL:
			s[a.Name] = "rtmp://live.example.com/app/" + a.Name
		case sessionfield.Group:
			for _, part := range a.parts {
				s[a.Name+"."+part.Name] = part.Values[len(part.Values)-1]
			}
		default:
			s[a.Name] = "x"
		}
	}
	maps.Copy(s, api.Session{"input": input, "mode": mode, "output_mode": output, "status": "READY", "timezone": "UTC", "scheduled_at": "2031-05-17 20:15"})
	return s
}

// TestFillApplies: what does not apply to a session is null, whatever is sent.
func TestFillApplies(t *testing.T) {
	t.Parallel()
	onlyPullIn := []string{"input_source_a", "input_source_b"}
	onlyPushIn := []string{"input_endpoint_a", "input_endpoint_b"}
	onlyPullOut := []string{"output_endpoint_a", "output_endpoint_b"}
	onlyPushOut := []string{"output_destination_a", "output_destination_b"}
	onlyHA := []string{"input_source_b", "input_endpoint_b", "output_endpoint_b", "output_destination_b", "sub_domain_b", "elastic_ip_b"}
	for _, input := range sessionfield.Directions {
		for _, output := range sessionfield.Directions {
			for _, mode := range sessionfield.Modes {
				m := newValues(t.Context())
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
				add(onlyHA, mode != sessionfield.HA)
				for _, a := range attributes {
					if value := m[a.Name]; value.IsUnknown() || value.IsNull() != absent[a.Name] {
						t.Errorf("%s %s %s: %s is %v, want null: %v", input, mode, output, a.Name, value, absent[a.Name])
					}
				}
				if required, listed := m.missing(); len(required)+len(listed) > 0 {
					t.Errorf("%s %s %s: %v and %v are said to be missing", input, mode, output, required, listed)
				}
			}
		}
	}
}

// TestFillKeeps: an answer that leaves a field out changes nothing of it, and
// none is unknown afterwards.
func TestFillKeeps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := full(rapid.SampledFrom(sessionfield.Directions).Draw(t, "input"), rapid.SampledFrom(sessionfield.Modes).Draw(t, "mode"), rapid.SampledFrom(sessionfield.Directions).Draw(t, "output"))
		m := unset(attributes)
		m.fill(whole, attributes)
		before := maps.Clone(m)
		part := maps.Clone(whole)
		for _, name := range slices.Sorted(maps.Keys(part)) {
			if rapid.Bool().Draw(t, "leave out "+name) {
				delete(part, name)
			}
		}
		m.fill(part, attributes)
		if !maps.EqualFunc(m, before, attr.Value.Equal) {
			t.Fatalf("got %+v\nwant %+v", m, before)
		}
		m.open(computed)
		m.fill(part, attributes)
		for name, value := range m {
			if value.IsUnknown() {
				t.Fatalf("%s is unknown", name)
			}
		}
	})
}

// TestSpec: what is sent is what is planned, field by field.
func TestSpec(t *testing.T) {
	t.Parallel()
	m := newValues(t.Context())
	m.fill(full("RTMP_PULL", sessionfield.HA, "RTMPS_PUSH"), attributes)
	spec := m.spec()
	for _, a := range arguments {
		if spec[a.Name] == nil {
			t.Errorf("%s is not sent", a.Name)
		}
	}
	answer := full("RTMP_PULL", sessionfield.HA, "RTMPS_PUSH")
	if !mayHave(m, answer) {
		t.Error("the session differs from its own spec")
	}
}

// afterCreate returns the warnings of a create that was planned and answered like this.
func afterCreate(planned values, s api.Session) diag.Diagnostics {
	shown := maps.Clone(planned)
	shown.fill(s, arguments)
	return otherValues(s.ID(), planned, shown)
}

// TestDiffering changes every argument in turn.
func TestDiffering(t *testing.T) {
	t.Parallel()
	m := newValues(t.Context())
	m.fill(full("RTMP_PULL", sessionfield.HA, "RTMPS_PUSH"), attributes)
	changes := map[string]string{
		"input": "RTMPS_PULL", "mode": sessionfield.NORM, "output_mode": "RTMP_PUSH", "timezone": "Europe/Berlin",
		"input_preset.codec": "y", "input_preset.resolution": "y", "input_preset.bitrate": "y",
	}
	other := map[sessionfield.Kind]string{sessionfield.Flag: "false", sessionfield.Number: "8"}
	for _, a := range arguments {
		if a.parts == nil && changes[a.Name] == "" {
			changes[a.Name] = cmp.Or(other[a.Kind], "y")
		}
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := full("RTMP_PULL", sessionfield.HA, "RTMPS_PUSH")
			s[name] = change
			if mayHave(m, s) {
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
		s := api.Session{"id": "s1"}
		if mayHave(m, s) {
			t.Error("a session that says nothing is a candidate")
		}
		maps.Copy(s, api.Session{"name": "x", "region": "x", "input": "RTMP_PULL", "mode": sessionfield.HA})
		if !mayHave(m, s) {
			t.Error("a session that says no more than name, region, input and mode is no candidate")
		}
		if diags := afterCreate(m, s); len(diags) > 0 {
			t.Errorf("an answer that leaves out everything is a difference: %v", diags)
		}
	})
}
