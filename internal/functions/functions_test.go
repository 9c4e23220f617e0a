package functions_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/functions"
)

// call runs a function as the framework does.
func call(t *testing.T, name string, arguments ...string) (attr.Value, *function.FuncError) {
	t.Helper()
	values := make([]attr.Value, len(arguments))
	for i, a := range arguments {
		values[i] = types.StringValue(a)
	}
	for _, newFunction := range functions.All() {
		f := newFunction()
		var meta function.MetadataResponse
		f.Metadata(t.Context(), function.MetadataRequest{}, &meta)
		if meta.Name != name {
			continue
		}
		var definition function.DefinitionResponse
		f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
		empty, err := definition.Definition.Return.NewResultData(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resp := function.RunResponse{Result: empty}
		f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(values)}, &resp)
		return resp.Result.Value(), resp.Error
	}
	t.Fatalf("no function %s", name)
	return nil, nil
}

func TestFormatScheduledAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ timestamp, zone, want string }{
		{"2040-06-30T18:45:59.9Z", "Europe/Berlin", `"2040-06-30 20:45"`},
		{"2040-06-30T20:45:00+02:00", "UTC", `"2040-06-30 18:45"`},
		{"2039-12-31T23:30:00Z", "Asia/Kolkata", `"2040-01-01 05:00"`},
		{"2026-03-29T01:00:00Z", "Europe/Berlin", `"2026-03-29 03:00"`},
		{"2026-10-25T00:30:00Z", "Europe/Berlin", "clocks show twice"},
		{"2040-06-30 18:45", "UTC", "not an RFC 3339 time"},
		{"2040-06-30T18:45:00Z", "Mars/Olympus", "must be a name of the tz database"},
		{"9999-12-31T23:30:00Z", "Asia/Kolkata", "a year that `scheduled_at` cannot express"},
	} {
		got, err := call(t, "format_scheduled_at", test.timestamp, test.zone)
		if err == nil && got.String() != test.want || err != nil && !strings.Contains(err.Text, test.want) {
			t.Errorf("%s in %s: %s, %v, want %s", test.timestamp, test.zone, got, err, test.want)
		}
	}
}

func TestParseRTMPURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"rtmp://live.example.com/app/key":                  `{"app":"app","host":"live.example.com","port":1935,"scheme":"rtmp","server_url":"rtmp://live.example.com/app","stream_key":"key"}`,
		"RTMPS://Live.example.com/live/event-1/k-e_y":      `{"app":"live/event-1","host":"Live.example.com","port":443,"scheme":"rtmps","server_url":"RTMPS://Live.example.com/live/event-1","stream_key":"k-e_y"}`,
		"rtmp://[2001:db8::1]:1936/app/k%2Fy?auth=a/b&x=1": `{"app":"app","host":"2001:db8::1","port":1936,"scheme":"rtmp","server_url":"rtmp://[2001:db8::1]:1936/app","stream_key":"k%2Fy?auth=a/b&x=1"}`,
		"rtmp://live.example.com/app":                      `{"app":"app","host":"live.example.com","port":1935,"scheme":"rtmp","server_url":"rtmp://live.example.com/app","stream_key":<null>}`,
		"rtmp://live.example.com":                          `{"app":<null>,"host":"live.example.com","port":1935,"scheme":"rtmp","server_url":"rtmp://live.example.com","stream_key":<null>}`,
		"https://live.example.com/app/s3cret":              "does not begin with rtmp:// or rtmps://",
		"rtmp:///app/s3cret":                               "has no host",
		"rtmps://rtmp://live.example.com/app/s3cret":       "a second scheme",
		"rtmp://live.example.com:x/app/s3cret":             "cannot be read as a URL",
	} {
		got, err := call(t, "parse_rtmp_url", address)
		if err == nil && got.String() != want || err != nil && (!strings.Contains(err.Text, want) || strings.Contains(err.Text, "s3cret")) {
			t.Errorf("%s: %s, %v, want %s", address, got, err, want)
		}
	}
}
