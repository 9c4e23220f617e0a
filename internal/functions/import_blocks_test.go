package functions_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/functions"
)

// importedSession is a session as the function takes it, with null for what is not given.
func importedSession(values map[string]attr.Value) attr.Value {
	session := elementType().(types.ObjectType)
	all := map[string]attr.Value{}
	for name, typ := range session.AttrTypes {
		null, err := typ.ValueFromTerraform(context.Background(), tftypes.NewValue(typ.TerraformType(context.Background()), nil))
		if err != nil {
			panic(err)
		}
		all[name] = null
	}
	maps.Copy(all, values)
	return types.ObjectValueMust(session.AttrTypes, all)
}

// elementType is the type of a session, as the function takes it.
func elementType() attr.Type {
	for _, newFunction := range functions.All() {
		var definition function.DefinitionResponse
		newFunction().Definition(context.Background(), function.DefinitionRequest{}, &definition)
		if list, ok := definition.Definition.Parameters[0].GetType().(types.ListType); ok {
			return list.ElemType
		}
	}
	panic("no function takes a list")
}

func imports(t *testing.T, sessions ...map[string]attr.Value) string {
	t.Helper()
	var list []attr.Value
	for _, s := range sessions {
		list = append(list, importedSession(s))
	}
	element := importedSession(nil).Type(t.Context())
	result, text, _ := callValues(t, "format_import_blocks", []attr.Value{types.ListValueMust(element, list)})
	if text != "" {
		t.Fatal(text)
	}
	return result.(types.String).ValueString()
}

func TestImportBlocks(t *testing.T) {
	t.Parallel()
	text, yes := types.StringValue, types.BoolValue(true)
	preset := importedSession(nil).(types.Object).Attributes()["input_preset"].(types.Object).AttributeTypes(t.Context())
	session := map[string]attr.Value{
		"id": text("s-1"), "name": text("Studio ${1} \"main\""), "region": text("eu-central-1"), "input": text("RTMP_PULL"), "mode": text("NORM"), "output_mode": text("RTMP_PULL"),
		"input_preset": types.ObjectValueMust(preset, map[string]attr.Value{"codec": text("H264"), "resolution": text("HD"), "bitrate": text("MAX_10_MBPS")}),
		"is_scheduled": yes, "enable_input_record": types.BoolValue(false), "timezone": text("UTC"), "scheduled_at": text("2040-01-01T00:00:00"),
	}
	got := imports(t, session, session) // lists that overlap
	const want = `import {
  to = vodlive_live_session.studio_1_main
  id = "s-1"
}

resource "vodlive_live_session" "studio_1_main" {
  name           = "Studio $${1} \"main\""
  region         = "eu-central-1"
  input          = "RTMP_PULL"
  mode           = "NORM"
  output_mode    = "RTMP_PULL"
  input_preset   = { codec = "H264", resolution = "HD", bitrate = "MAX_10_MBPS" }
  input_source_a = var.session_urls["s-1"].input_source_a
  is_scheduled   = true
  timezone       = "UTC"
  scheduled_at   = "2040-01-01 00:00"
}

variable "session_urls" {
  description = "Sources and destinations of live sessions, by session id"
  type = map(object({
    input_source_a       = optional(string)
    input_source_b       = optional(string)
    output_destination_a = optional(string)
    output_destination_b = optional(string)
  }))
  sensitive = true
}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := imports(t); got != "" {
		t.Errorf("no sessions give %q", got)
	}
}

// TestImportBlocksURLs: input, output_mode and mode say which URLs a session has.
func TestImportBlocksURLs(t *testing.T) {
	t.Parallel()
	const sourceA, sourceB, destinationA, destinationB = "input_source_a", "input_source_b", "output_destination_a", "output_destination_b"
	for _, tt := range []struct {
		input, mode, output string
		want                []string
	}{
		{"RTMP_PUSH", "HA", "RTMPS_PULL", nil},
		{"RTMP_PULL", "NORM", "RTMP_PULL", []string{sourceA}},
		{"RTMPS_PULL", "HA", "RTMP_PULL", []string{sourceA, sourceB}},
		{"RTMP_PUSH", "NORM", "RTMPS_PUSH", []string{destinationA}},
		{"RTMPS_PULL", "HA", "RTMP_PUSH", []string{sourceA, sourceB, destinationA, destinationB}},
		{"", "", "", nil},
	} {
		given := map[string]attr.Value{"id": types.StringValue("s-1"), "name": types.StringValue("cam")}
		for name, value := range map[string]string{"input": tt.input, "mode": tt.mode, "output_mode": tt.output} {
			if value != "" {
				given[name] = types.StringValue(value)
			}
		}
		blocks := imports(t, given)
		var arguments []string
		for _, match := range regexp.MustCompile(`(?m)^  (\w+) += var\.session_urls\["s-1"\]\.(\w+)$`).FindAllStringSubmatch(blocks, -1) {
			arguments = append(arguments, match[1])
			if match[1] != match[2] {
				t.Errorf("%s has the URL of %s", match[1], match[2])
			}
		}
		if variables := strings.Count(blocks, "variable \"session_urls\""); !slices.Equal(arguments, tt.want) || variables != min(len(tt.want), 1) {
			t.Errorf("input %q, mode %q, output_mode %q: arguments %v, want %v; the variable %d times", tt.input, tt.mode, tt.output, arguments, tt.want, variables)
		}
	}
}

// TestImportBlocksNames: names are different whatever the sessions are called. All sessions that
// would have the same name get their ids, and the order of the sessions changes no name.
func TestImportBlocksNames(t *testing.T) {
	t.Parallel()
	type session struct{ id, name, want string }
	all := []session{
		{"s0", "match", "match_s0"},
		{"s1", "Match", "match_s1"},
		{"s2", "決勝", "session_s2"},
		{"s3", "", "s3"},
		{"s4", "1st", "session_1st"},
		{"s5", "a - b", "a_b"},
		{"s6", "session", "session_s6"},
		{"s7", "_", "session_s7"},
		{"s8", "match_s0", "match_s0_s8"},
		{"s9", "${x}", "x"},
		{"s--10", "cam", "cam_s_10"}, // the ids differ in punctuation only
		{"s-10", "cam", "cam_s_10_2"},
		{"s_10", "cam", "cam_s_10_3"},
	}
	for range all {
		all = append(all[1:], all[0])
		for range 2 {
			slices.Reverse(all)
			var sessions []map[string]attr.Value
			for _, s := range all {
				sessions = append(sessions, map[string]attr.Value{"id": types.StringValue(s.id), "name": types.StringValue(s.name)})
			}
			got := regexp.MustCompile(`(?m)^resource "vodlive_live_session" "(.*)" \{$`).FindAllStringSubmatch(imports(t, sessions...), -1)
			for i, s := range all {
				if got[i][1] != s.want {
					t.Errorf("%q with id %s is named %s, want %s", s.name, s.id, got[i][1], s.want)
				}
			}
		}
	}
}

// TestImportBlocksWithoutID: an import block needs an id.
func TestImportBlocksWithoutID(t *testing.T) {
	t.Parallel()
	valid := importedSession(map[string]attr.Value{"id": types.StringValue("s-1"), "name": types.StringValue("match")})
	kind := valid.Type(t.Context())
	for name, session := range map[string]attr.Value{
		"null":     types.ObjectNull(kind.(types.ObjectType).AttrTypes),
		"null id":  importedSession(map[string]attr.Value{"name": types.StringValue("match")}),
		"empty id": importedSession(map[string]attr.Value{"id": types.StringValue("")}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, text, argument := callValues(t, "format_import_blocks", []attr.Value{types.ListValueMust(kind, []attr.Value{valid, session})})
			if want := "sessions[1] is null or has no id"; text != want || argument != 0 {
				t.Errorf("got %v, argument %d: %q, want %q", got, argument, text, want)
			}
		})
	}
}
