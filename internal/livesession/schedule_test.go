package livesession

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

func TestCheckFuture(t *testing.T) {
	t.Parallel()
	now := time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC) // 14:00 in Berlin
	tests := map[string]struct {
		scheduled types.Bool
		at, zone  types.String
		want      string // part of the error, "" for none
	}{
		"later":           {types.BoolValue(true), types.StringValue("2031-05-17 14:01"), types.StringValue("Europe/Berlin"), ""},
		"now":             {types.BoolValue(true), types.StringValue("2031-05-17 14:00"), types.StringValue("Europe/Berlin"), "`scheduled_at` is " + `"2031-05-17 14:00"; in Europe/Berlin it is now "2031-05-17 14:00".`},
		"minutes ago":     {types.BoolValue(true), types.StringValue("2031-05-17 13:15"), types.StringValue("Europe/Berlin"), "`scheduled_at` is " + `"2031-05-17 13:15"; in Europe/Berlin it is now "2031-05-17 14:00". A new session`},
		"days ago":        {types.BoolValue(true), types.StringValue("2031-05-07 14:00"), types.StringValue("Europe/Berlin"), "A new session needs a start in the future"},
		"later elsewhere": {types.BoolValue(true), types.StringValue("2031-05-17 08:01"), types.StringValue("America/New_York"), ""},
		"not scheduled":   {types.BoolValue(false), types.StringNull(), types.StringNull(), ""},
		"zone not known":  {types.BoolValue(true), types.StringValue("2001-01-01 00:00"), types.StringUnknown(), ""},
		"start not known": {types.BoolValue(true), types.StringUnknown(), types.StringValue("UTC"), ""},
		"nothing known":   {types.BoolUnknown(), types.StringUnknown(), types.StringUnknown(), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := values{"is_scheduled": tt.scheduled, "scheduled_at": tt.at, "timezone": tt.zone}
			diags := m.checkFuture(now)
			switch {
			case tt.want == "" && len(diags) > 0:
				t.Errorf("refused: %v", diags)
			case tt.want != "" && (len(diags) != 1 || !strings.Contains(diags[0].Detail(), tt.want)):
				t.Errorf("got %v, want %q", diags, tt.want)
			}
		})
	}
}

// FuzzScheduledAt looks for a start or zone that the checks do not survive, or
// that passes them and is none.
func FuzzScheduledAt(f *testing.F) {
	f.Add("2031-03-30 02:30", "Europe/Berlin")
	f.Add("0000-01-01 00:00", "Asia/Kolkata")
	f.Add("9999-12-31 23:59", "America/New_York")
	f.Add("1883-11-18 12:00", "America/New_York")
	f.Fuzz(func(t *testing.T, at, zone string) {
		_ = checkLocalTime(at, zone)
		if problem := localTime.Problem(at); problem != "" {
			return
		}
		if wall, err := parse.LocalTime(at); err != nil || wall.Format(parse.LocalTimeLayout) != at {
			t.Errorf("%q passes but is no local time: %v", at, err)
		}
	})
}

// FuzzStreamURL looks for a value that is shown although it is a secret.
func FuzzStreamURL(f *testing.F) {
	f.Add("rtmp://host/app/key")
	f.Add("s3cretkey://host")
	f.Add("http://host/%zz")
	f.Fuzz(func(t *testing.T, value string) {
		problem := streamURL.Problem(value)
		for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("/:@?#& ", r) }) {
			if len(part) > 8 && strings.Contains(problem, part) && !strings.Contains(streamURL.Allowed, part) {
				t.Errorf("%q is shown in %q", part, problem)
			}
		}
	})
}
