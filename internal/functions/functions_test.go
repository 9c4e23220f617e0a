package functions_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/functions"
)

// call runs a function as the framework does. argument is the position that an error names, -1
// without one.
func call(t fataler, name string, arguments ...string) (result attr.Value, text string, argument int64) {
	t.Helper()
	return callValues(t, name, stringValues(arguments))
}

func callValues(t fataler, name string, values []attr.Value) (result attr.Value, text string, argument int64) {
	t.Helper()
	ctx := context.Background()
	for _, newFunction := range functions.All() {
		f := newFunction()
		var meta function.MetadataResponse
		f.Metadata(ctx, function.MetadataRequest{}, &meta)
		if meta.Name != name {
			continue
		}
		var definition function.DefinitionResponse
		f.Definition(ctx, function.DefinitionRequest{}, &definition)
		empty, err := definition.Definition.Return.NewResultData(ctx)
		if err != nil {
			t.Fatal(err)
		}
		resp := function.RunResponse{Result: empty}
		f.Run(ctx, function.RunRequest{Arguments: function.NewArgumentsData(values)}, &resp)
		if resp.Error == nil {
			return resp.Result.Value(), "", -1
		}
		if resp.Error.FunctionArgument == nil {
			t.Fatalf("%s: the error names no argument: %s", name, resp.Error.Text)
		}
		return nil, resp.Error.Text, *resp.Error.FunctionArgument
	}
	t.Fatalf("no function %s", name)
	return nil, "", -1
}

func stringValues(arguments []string) []attr.Value {
	values := make([]attr.Value, len(arguments))
	for i, a := range arguments {
		values[i] = types.StringValue(a)
	}
	return values
}

func TestResults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		function  string
		arguments []string
		want      string
	}{
		{"parse_key_path", []string{"vod/input/c-1/u-2/a b.mp4"}, `{"customer_id":"c-1","file_name":"a b.mp4","upload_id":"u-2"}`},
		{"parse_rtmp_url", []string{"rtmp://live.example.com/app/key"}, parsed("rtmp", "live.example.com", 1935, "app", "key", "rtmp://live.example.com/app")},
		{"parse_rtmp_url", []string{"rtmps://live.example.com/app/key"}, parsed("rtmps", "live.example.com", 443, "app", "key", "rtmps://live.example.com/app")},
		{"parse_rtmp_url", []string{"RTMP://Live.example.com:20000/live/event-1/k-e_y"}, parsed("rtmp", "Live.example.com", 20000, "live/event-1", "k-e_y", "RTMP://Live.example.com:20000/live/event-1")},
		{"parse_rtmp_url", []string{"rtmp://[2001:db8::1]:1936/app/k%2Fy?auth=a/b&x=1"}, parsed("rtmp", "2001:db8::1", 1936, "app", "k%2Fy?auth=a/b&x=1", "rtmp://[2001:db8::1]:1936/app")},
		{"parse_rtmp_url", []string{"rtmp://user:word@live.example.com/app/key"}, parsed("rtmp", "live.example.com", 1935, "app", "key", "rtmp://user:word@live.example.com/app")},
		{"parse_rtmp_url", []string{"rtmp://live.example.com/app?auth=1/key"}, parsed("rtmp", "live.example.com", 1935, "app?auth=1", "key", "rtmp://live.example.com/app?auth=1")},
		{"parse_rtmp_url", []string{"rtmp://live.example.com/app/key#1"}, parsed("rtmp", "live.example.com", 1935, "app", "key#1", "rtmp://live.example.com/app")},
		{"parse_rtmp_url", []string{"rtmp://live.example.com/app/"}, parsed("rtmp", "live.example.com", 1935, "app", "", "rtmp://live.example.com/app")},
		{"parse_rtmp_url", []string{"rtmp://live.example.com/app"}, parsed("rtmp", "live.example.com", 1935, "app", "", "rtmp://live.example.com/app")},
		{"parse_rtmp_url", []string{"rtmp://live.example.com"}, parsed("rtmp", "live.example.com", 1935, "", "", "rtmp://live.example.com")},
		{"parse_rtmp_url", []string{"rtmp://live.example.com/"}, parsed("rtmp", "live.example.com", 1935, "", "", "rtmp://live.example.com/")},
		{"format_scheduled_at", []string{"2040-06-30T18:45:00Z", "Europe/Berlin"}, `"2040-06-30 20:45"`},
		{"format_scheduled_at", []string{"2040-06-30T18:45:59.9Z", "Europe/Berlin"}, `"2040-06-30 20:45"`}, // as of timeadd(plantimestamp(), "24h")
		{"format_scheduled_at", []string{"2040-06-30T20:45:00+02:00", "UTC"}, `"2040-06-30 18:45"`},
		{"format_scheduled_at", []string{"2027-07-15T12:00:00Z", "America/Manaus"}, `"2027-07-15 08:00"`}, // no later clock change
		{"parse_scheduled_at", []string{"2027-07-15 12:00", "Africa/Accra"}, `"2027-07-15T12:00:00Z"`},
		{"format_scheduled_at", []string{"2039-12-31T23:30:00Z", "Asia/Kolkata"}, `"2040-01-01 05:00"`},
		{"format_scheduled_at", []string{"2026-03-29T01:00:00Z", "Europe/Berlin"}, `"2026-03-29 03:00"`}, // the minute after the gap
		{"format_scheduled_at", []string{"2026-03-29T00:59:00Z", "Europe/Berlin"}, `"2026-03-29 01:59"`}, // the minute before
		{"format_scheduled_at", []string{"2026-10-24T23:59:00Z", "Europe/Berlin"}, `"2026-10-25 01:59"`}, // before the hour that comes twice
		{"format_scheduled_at", []string{"2026-10-25T02:00:00Z", "Europe/Berlin"}, `"2026-10-25 03:00"`}, // after it
		{"parse_scheduled_at", []string{"2040-06-30 20:45", "Europe/Berlin"}, `"2040-06-30T18:45:00Z"`},
		{"parse_scheduled_at", []string{"2026-03-29 03:00", "Europe/Berlin"}, `"2026-03-29T01:00:00Z"`},
		{"parse_scheduled_at", []string{"2026-10-25 03:00", "Europe/Berlin"}, `"2026-10-25T02:00:00Z"`},
		{"parse_scheduled_at", []string{"2026-04-05 01:15", "Australia/Lord_Howe"}, `"2026-04-04T14:15:00Z"`},
	} {
		got, text, _ := call(t, tc.function, tc.arguments...)
		if text != "" || got.String() != tc.want {
			t.Errorf("%s(%q) = %v %s, want %s", tc.function, tc.arguments, got, text, tc.want)
		}
	}
}

// parsed is the result of parse_rtmp_url; "" stands for null.
func parsed(scheme, host string, port int, app, key, server string) string {
	null := func(s string) string {
		if s == "" {
			return "<null>"
		}
		return strconv.Quote(s)
	}
	return fmt.Sprintf(`{"app":%s,"host":%q,"port":%d,"scheme":%q,"server_url":%q,"stream_key":%s}`, null(app), host, port, scheme, server, null(key))
}

func TestErrors(t *testing.T) {
	t.Parallel()
	const form = "the argument does not have the form of a key path, vod/input/<customer id>/<upload id>/<file name>"
	for _, tc := range []struct {
		function  string
		arguments []string
		argument  int64
		want      string
	}{
		{"parse_key_path", []string{""}, 0, form},
		{"parse_key_path", []string{"promo.mp4"}, 0, form},
		{"parse_key_path", []string{"vod/output/c/u/f"}, 0, form},
		{"parse_key_path", []string{"vod/input/c"}, 0, form},
		{"parse_key_path", []string{"vod/input//u/f"}, 0, form},
		{"parse_key_path", []string{"vod/input/ü/u/"}, 0, form},
		{"parse_key_path", []string{"vod/input/c/u/f/g"}, 0, form},
		{"parse_rtmp_url", []string{""}, 0, `the URL (which may have a stream key, so it is not shown) does not begin with rtmp:// or rtmps://; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key`},
		{"parse_rtmp_url", []string{"https://live.example.com/app/key"}, 0, `the URL (which may have a stream key, so it is not shown) does not begin with rtmp:// or rtmps://; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key`},
		{"parse_rtmp_url", []string{"rtmp:///app/key"}, 0, `the URL (which may have a stream key, so it is not shown) has no host; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key`},
		{"parse_rtmp_url", []string{"rtmp://live.example.com:0/app/key"}, 0, `the URL (which may have a stream key, so it is not shown) has the port 0, which is not between 1 and 65535; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key`},
		{"parse_rtmp_url", []string{"rtmp://live.example.com:70000/app/key"}, 0, `the URL (which may have a stream key, so it is not shown) has the port 70000, which is not between 1 and 65535; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key`},
		{"parse_rtmp_url", []string{"rtmp://live.example.com:1935:1935/app/key"}, 0, `the URL (which may have a stream key, so it is not shown) has two ports after its host (the address of an IPv6 host needs brackets: [::1]); the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key`},
		{"parse_rtmp_url", []string{"rtmp://live.example.com:x/app/s3cret"}, 0, `the URL (which may have a stream key, so it is not shown) cannot be read as a URL; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key`},
		{"parse_rtmp_url", []string{"live.example.com/app/key"}, 0, `the URL (which may have a stream key, so it is not shown) does not begin with rtmp:// or rtmps://; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key`},
		{"format_scheduled_at", []string{"tomorrow", "UTC"}, 0, `the argument is not an RFC 3339 time, such as "2040-06-30T18:45:00Z"`},
		{"format_scheduled_at", []string{"2040-06-30", "UTC"}, 0, `the argument is not an RFC 3339 time, such as "2040-06-30T18:45:00Z"`},
		{"format_scheduled_at", []string{"2040-06-31T00:00:00Z", "UTC"}, 0, `the argument is not an RFC 3339 time, such as "2040-06-30T18:45:00Z": day out of range`},
		{"format_scheduled_at", []string{"2040-06-30T18:45:00Z", "europe/berlin"}, 1, `the argument must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC". Write "Europe/Berlin"`},
		{"format_scheduled_at", []string{"2026-10-25T00:30:00Z", "Europe/Berlin"}, 0, `the time is "2026-10-25 02:30" in Europe/Berlin, which clocks show twice because of a clock change (at 2026-10-25T00:30:00Z and at 2026-10-25T01:30:00Z): the service could take the other one. Choose another time, or another time zone, such as "UTC"`},
		{"parse_scheduled_at", []string{"2040-06-30T20:45", "UTC"}, 0, `the argument is not of the form YYYY-MM-DD HH:MM; a schedule looks like "2040-06-30 20:45"`},
		{"parse_scheduled_at", []string{"2040-02-30 20:45", "UTC"}, 0, `this day or hour does not exist; a schedule looks like "2040-06-30 20:45"`},
		{"parse_scheduled_at", []string{"2040-06-30 20:45", "+02:00"}, 1, `the argument must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC". An offset is not enough: it does not say when clocks change`},
		{"parse_scheduled_at", []string{"2040-06-30 20:45", "Local"}, 1, `the argument must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC"`},
		{"parse_scheduled_at", []string{"2026-03-29 02:30", "Europe/Berlin"}, 0, `the time does not exist in Europe/Berlin: a clock change skips it. The nearest times are "2026-03-29 01:59" and "2026-03-29 03:00"`},
		{"parse_scheduled_at", []string{"2026-10-25 02:30", "Europe/Berlin"}, 0, `clocks in Europe/Berlin show the time twice because of a clock change: at 2026-10-25T00:30:00Z and at 2026-10-25T01:30:00Z. Choose another time`},
		{"parse_scheduled_at", []string{"2011-12-30 12:00", "Pacific/Apia"}, 0, `the time does not exist in Pacific/Apia: a clock change skips it. The nearest times are "2011-12-29 23:59" and "2011-12-31 00:00"`},
	} {
		got, text, argument := call(t, tc.function, tc.arguments...)
		if text != tc.want || argument != tc.argument {
			t.Errorf("%s(%q) = %v, argument %d:\n got %s\nwant %s", tc.function, tc.arguments, got, argument, text, tc.want)
		}
		if given := tc.arguments[tc.argument]; given != "" && strings.Contains(text, strconv.Quote(given)) {
			t.Errorf("%s repeats its argument: %s", tc.function, text)
		}
	}
}

// TestScheduleAndBack holds the two functions against each other: what format_scheduled_at gives,
// parse_scheduled_at takes back to the same moment.
func TestScheduleAndBack(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "America/St_Johns"}
	rapid.Check(t, func(t *rapid.T) {
		moment := time.Unix(rapid.Int64Range(0, 2_500_000_000/60).Draw(t, "minute")*60, 0).UTC().Format(time.RFC3339)
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		local, text, _ := call(t, "format_scheduled_at", moment, zone)
		if text != "" {
			if !strings.Contains(text, "clocks show twice") {
				t.Fatalf("format_scheduled_at(%s, %s): %s", moment, zone, text)
			}
			return
		}
		back, text, _ := call(t, "parse_scheduled_at", local.(types.String).ValueString(), zone)
		if text != "" || back.(types.String).ValueString() != moment {
			t.Fatalf("%s in %s is %v and back %v %s", moment, zone, local, back, text)
		}
	})
}

// fataler is what a test, a fuzz target and a property have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func FuzzParseKeyPath(f *testing.F) {
	f.Add("vod/input/c/u/f")
	f.Add("vod//\x00/é")
	f.Fuzz(func(t *testing.T, given string) {
		result, text, _ := call(t, "parse_key_path", given)
		if (result == nil) == (text == "") {
			t.Errorf("%q: %v, %q", given, result, text)
		}
	})
}

// FuzzParseRTMPURL: server_url and stream_key make up the URL again.
func FuzzParseRTMPURL(f *testing.F) {
	f.Add("rtmp://host/app/key")
	f.Add("rtmps://u:p@[::1]:1/a?b/c?d#e")
	f.Fuzz(func(t *testing.T, given string) {
		result, text, _ := call(t, "parse_rtmp_url", given)
		if (result == nil) == (text == "") {
			t.Errorf("%q: %v, %q", given, result, text)
		}
		if result == nil {
			return
		}
		parts := result.(types.Object).Attributes()
		server, key := parts["server_url"].(types.String).ValueString(), parts["stream_key"].(types.String).ValueString()
		if joined := server + "/" + key; joined != given && server != given {
			t.Errorf("%q is split into %q and %q", given, server, key)
		}
	})
}
