package functions_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// importedSession is a session as the function takes it, with null for what is not given.
func importedSession(values map[string]attr.Value) attr.Value {
	kinds := map[string]attr.Type{
		"id": types.StringType, "name": types.StringType, "region": types.StringType, "input": types.StringType, "mode": types.StringType, "output_mode": types.StringType,
		"input_preset":   types.ObjectType{AttrTypes: map[string]attr.Type{"codec": types.StringType, "resolution": types.StringType, "bitrate": types.StringType}},
		"input_source_a": types.StringType, "input_source_b": types.StringType, "output_destination_a": types.StringType, "output_destination_b": types.StringType,
		"enable_input_record": types.BoolType, "is_scheduled": types.BoolType, "timezone": types.StringType, "scheduled_at": types.StringType,
	}
	all := map[string]attr.Value{}
	for name, kind := range kinds {
		all[name] = values[name]
		switch {
		case values[name] != nil:
		case kind == types.BoolType:
			all[name] = types.BoolNull()
		case kind == types.StringType:
			all[name] = types.StringNull()
		default:
			all[name] = types.ObjectNull(kind.(types.ObjectType).AttrTypes)
		}
	}
	return types.ObjectValueMust(kinds, all)
}

func imports(t *testing.T, sessions ...map[string]attr.Value) string {
	t.Helper()
	var list []attr.Value
	for _, s := range sessions {
		list = append(list, importedSession(s))
	}
	element := importedSession(nil).Type(t.Context())
	result, text, _ := callValues(t, "import_blocks", []attr.Value{types.ListValueMust(element, list)})
	if text != "" {
		t.Fatal(text)
	}
	return result.(types.String).ValueString()
}

func TestImportBlocks(t *testing.T) {
	t.Parallel()
	text, yes := types.StringValue, types.BoolValue(true)
	preset := importedSession(nil).(types.Object).Attributes()["input_preset"].(types.Object).AttributeTypes(t.Context())
	got := imports(t, map[string]attr.Value{
		"id": text("s-1"), "name": text("Studio ${1} \"main\""), "region": text("eu-central-1"), "input": text("RTMP_PULL"), "mode": text("NORM"), "output_mode": text("RTMP_PULL"),
		"input_preset":   types.ObjectValueMust(preset, map[string]attr.Value{"codec": text("H264"), "resolution": text("HD"), "bitrate": text("MAX_10_MBPS")}),
		"input_source_a": text("rtmp://origin.example.com/app/s3cret"),
		"is_scheduled":   yes, "enable_input_record": types.BoolValue(false), "timezone": text("UTC"), "scheduled_at": text("2040-01-01T00:00:00"),
	})
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
  input_source_a = var.studio_1_main_input_source_a
  is_scheduled   = true
  timezone       = "UTC"
  scheduled_at   = "2040-01-01 00:00"
}

variable "studio_1_main_input_source_a" {
  type      = string
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

// TestImportBlocksNames: names are different whatever the sessions are called, and do not depend on
// their order.
func TestImportBlocksNames(t *testing.T) {
	t.Parallel()
	names := []string{"match", "Match", "決勝", "", "1st", "a-b", "session", "_", "match_s0", "${x}"}
	want := []string{"match_s0", "match_s1", "session_s2", "session_s3", "session_1st", "a_b", "session_s6", "_", "match_s0_2", "x"}
	var sessions []map[string]attr.Value
	for i, name := range names {
		sessions = append(sessions, map[string]attr.Value{"id": types.StringValue("s" + strconv.Itoa(i)), "name": types.StringValue(name)})
	}
	got := regexp.MustCompile(`(?m)^resource "vodlive_live_session" "(.*)" \{$`).FindAllStringSubmatch(imports(t, sessions...), -1)
	for i := range want {
		if got[i][1] != want[i] {
			t.Errorf("%q is named %s, want %s", names[i], got[i][1], want[i])
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
			got, text, argument := callValues(t, "import_blocks", []attr.Value{types.ListValueMust(kind, []attr.Value{valid, session})})
			if want := "sessions[1] is null or has no id"; text != want || argument != 0 {
				t.Errorf("got %v, argument %d: %q, want %q", got, argument, text, want)
			}
		})
	}
}
