package functions_test

import (
	"context"
	"fmt"
	"os"
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

// TestCalls makes the calls of testdata/calls.txt, which says what it has.
func TestCalls(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	function := ""
	for line := range strings.Lines(string(content)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(columns) == 1 {
			function = columns[0]
			continue
		}
		arguments, want := columns[:len(columns)-1], columns[len(columns)-1]
		result, text, argument := call(t, function, arguments...)
		got := fmt.Sprintf("argument %d: %s", argument, text)
		if text == "" {
			got = result.String()
		} else if given := arguments[argument]; given != "" && strings.Contains(text, strconv.Quote(given)) {
			t.Errorf("%s repeats its argument: %s", function, text)
		}
		if got != want {
			t.Errorf("%s(%q):\n got %s\nwant %s", function, arguments, got, want)
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
