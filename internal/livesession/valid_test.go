package livesession_test

import (
	"slices"
	"strings"
	"testing"
)

// valid are configurations that pass, and the warnings that some get.
var valid = []struct {
	name   string
	change config
	want   []string
}{
	{"push in, pull out", config{}, nil},
	{"secure push in, secure pull out", config{"input": "RTMPS_PUSH", "output_mode": "RTMPS_PULL"}, nil},
	{"two pipelines", config{"mode": "HA"}, nil},
	{"pull in", config{"input": "RTMP_PULL", "input_source_a": source}, nil},
	{"pull in, two pipelines", config{"input": "RTMPS_PULL", "mode": "HA", "input_source_a": source, "input_source_b": source2}, nil},
	{"push out", config{"output_mode": "RTMP_PUSH", "output_destination_a": source}, nil},
	{"push out, two pipelines", config{"output_mode": "RTMPS_PUSH", "mode": "HA", "output_destination_a": source, "output_destination_b": source2}, nil},
	{"pull in, push out, two pipelines", config{
		"input": "RTMP_PULL", "output_mode": "RTMP_PUSH", "mode": "HA", "input_source_a": source, "input_source_b": source2,
		"output_destination_a": source, "output_destination_b": source2,
	}, nil},
	{"source with user info, port and query", config{"input": "RTMP_PULL", "input_source_a": "RTMP://user:s3cret@[2001:db8::1]:1935/app/x?a=b"}, nil},
	{"everything of the preset", config{"input_preset": config{"codec": "H264", "resolution": "FULL_HD", "bitrate": "MAX_20_MBPS"}}, nil},
	{"scheduled", config{"is_scheduled": true, "timezone": "Asia/Kolkata", "scheduled_at": "2031-05-17 20:15"}, nil},
	{"scheduled in UTC", config{"is_scheduled": true, "timezone": "UTC", "scheduled_at": "2031-12-31 23:59"}, nil},
	{"scheduled in the past, which plan judges", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2001-01-01 00:00"}, nil},
	{"scheduled on a leap day", config{"is_scheduled": true, "timezone": "Pacific/Chatham", "scheduled_at": "2032-02-29 00:00"}, nil},
	{"last minute before clocks change", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-03-30 01:59"}, nil},
	{"first minute after clocks changed", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-03-30 03:00"}, nil},
	{"recorded, not scheduled", config{"enable_input_record": true, "is_scheduled": false}, nil},
	{"no waiting", config{"wait_for_status": []any{}}, nil},
	{"waiting for the end", config{"wait_for_status": []any{"STOPPED", "TERMINATED"}, "timeouts": config{"create": "1h30m"}}, nil},
	{"replaced when broken", config{"replace_on_status": []any{"ERROR", "TERMINATED"}}, nil},
	{"replaced on what is waited for elsewhere", config{"replace_on_status": []any{"READY"}, "wait_for_status": []any{"STOPPED"}}, nil},
	{"name in any script", config{"name": "Fußball – 決勝"}, nil},
	{"region that only plan can judge", config{"region": "mars-1"}, nil},

	{"nothing known yet", config{
		"name": unknown{}, "region": unknown{}, "input": unknown{}, "mode": unknown{}, "output_mode": unknown{}, "input_preset": unknown{},
		"input_source_a": unknown{}, "input_source_b": unknown{}, "output_destination_a": unknown{}, "output_destination_b": unknown{},
		"enable_input_record": unknown{}, "is_scheduled": unknown{}, "timezone": unknown{}, "scheduled_at": unknown{},
		"wait_for_status": unknown{}, "replace_on_status": unknown{}, "timeouts": unknown{},
	}, nil},
	{"source with an input not known yet", config{"input": unknown{}, "input_source_a": source}, nil},
	{"no source with an input not known yet", config{"input": unknown{}}, nil},
	{"source not known yet with pull", config{"input": "RTMP_PULL", "input_source_a": unknown{}}, nil},
	{"source not known yet with push", config{"input_source_a": unknown{}}, nil},
	{"second source with a mode not known yet", config{"input": "RTMP_PULL", "mode": unknown{}, "input_source_a": source, "input_source_b": source2}, nil},
	{"no second source with a mode not known yet", config{"input": "RTMP_PULL", "mode": unknown{}, "input_source_a": source}, nil},
	{"start with a zone not known yet", config{"is_scheduled": true, "timezone": unknown{}, "scheduled_at": "2031-03-30 02:30"}, nil},
	{"zone without knowing whether it is scheduled", config{"is_scheduled": unknown{}, "timezone": "UTC", "scheduled_at": "2031-05-17 20:15"}, nil},
	{"statuses of which one is not known yet", config{"wait_for_status": []any{"READY", unknown{}}, "replace_on_status": []any{unknown{}}}, nil},

	{"start that comes twice", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-10-26 02:30"}, []string{
		`warning scheduled_at: scheduled_at is ambiguous: In Europe/Berlin clocks show "2031-10-26 02:30" twice because of a clock change: at 2031-10-26T00:30:00Z and at 2031-10-26T01:30:00Z. The service decides which of the two applies.`,
	}},
	{"start that comes twice on Lord Howe", config{"is_scheduled": true, "timezone": "Australia/Lord_Howe", "scheduled_at": "2031-04-06 01:45"}, []string{
		`warning scheduled_at: scheduled_at is ambiguous: In Australia/Lord_Howe clocks show "2031-04-06 01:45" twice because of a clock change: at 2031-04-05T14:45:00Z and at 2031-04-05T15:15:00Z. The service decides which of the two applies.`,
	}},
	{"status that the service may have added", config{"wait_for_status": []any{"WARMING_UP"}}, []string{
		`warning wait_for_status.[]: Doubtful wait_for_status: "WARMING_UP" is not a known status. The known ones are PENDING, PROVISIONING, ALLOCATED, READY, STOPPING, STOPPED, TERMINATED, ERROR, SCHEDULED and CANCELLED. The provider uses the value as it is.`,
	}},
	{"status in lower case", config{"replace_on_status": []any{"error"}}, []string{
		`warning replace_on_status.[]: Doubtful replace_on_status: "error" is not a known status. The known ones are PENDING, PROVISIONING, ALLOCATED, READY, STOPPING, STOPPED, TERMINATED, ERROR, SCHEDULED and CANCELLED. The provider uses the value as it is. Did you mean "ERROR"?`,
	}},
	{"replaced in the status that is waited for", config{"replace_on_status": []any{"READY"}}, []string{
		"warning replace_on_status: Every plan will replace the session: READY is in both `replace_on_status` and `wait_for_status` (by default READY and SCHEDULED). Each apply would create a session that the next plan replaces. Remove READY from one of them.",
	}},
}

func TestValidConfigurations(t *testing.T) {
	t.Parallel()
	for _, tt := range valid {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := validate(t, base().with(tt.change)); !slices.Equal(got, tt.want) {
				t.Errorf("got:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
			}
		})
	}
}
