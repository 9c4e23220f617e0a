package functions_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
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
		"is_scheduled":   yes, "enable_input_record": types.BoolValue(false), "timezone": text("UTC"), "scheduled_at": text("2040-01-01 00:00"),
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

// TestImportBlocksImportAnAccount imports what the data source returned, with a real CLI: nothing
// changes, and the plan is empty afterwards. VODLIVE_TEST_SESSIONS sets the number of sessions.
func TestImportBlocksImportAnAccount(t *testing.T) {
	t.Parallel()
	sessions := 120
	if n, err := strconv.Atoi(os.Getenv("VODLIVE_TEST_SESSIONS")); err == nil {
		sessions = n
	}
	s := acctest.Start(t, simulator.Options{})
	urls := map[string]string{} // by id and attribute
	for i := range sessions {
		r := simulator.SessionRecord{ID: fmt.Sprintf("session-%04d", i), Name: fmt.Sprintf("studio %d", i/2), Region: "eu-central-1", EnableInputRecord: i%2 == 0}
		switch i % 5 {
		case 1:
			r.Mode, r.Input, r.OutputMode = "HA", "RTMP_PULL", "RTMPS_PUSH"
			r.InputSourceA, r.InputSourceB = "rtmp://a.example.com/in/s3cret-a-"+r.ID, "rtmp://b.example.com/in/s3cret-b-"+r.ID
			r.OutputDestinationA, r.OutputDestinationB = "rtmps://a.example.com/out/s3cret-${a}-"+r.ID, "rtmps://b.example.com/out/s3cret-b-"+r.ID
			urls[r.ID+" input_source_a"], urls[r.ID+" input_source_b"] = r.InputSourceA, r.InputSourceB
			urls[r.ID+" output_destination_a"], urls[r.ID+" output_destination_b"] = r.OutputDestinationA, r.OutputDestinationB
		case 2:
			r.IsScheduled, r.Timezone, r.ScheduledAt, r.Status = true, "Europe/Berlin", "2020-05-17 20:15", "STOPPED"
		case 3:
			r.Name = []string{"${path.module} %{ if true }", `quoted "name" \ $${x}`, "決勝 – \u00ad", "tab", "$", "%{"}[i/5%6]
		}
		s.AddSession(r)
	}
	cli := acctest.NewCLI(t, s)
	cli.SkipBelow("provider functions", "1.8.0", "1.7.0")
	cli.Config(`
data "vodlive_live_sessions" "all" {}
output "blocks" {
  value = nonsensitive(provider::vodlive::import_blocks(data.vodlive_live_sessions.all.sessions))
}
`)
	cli.Must("apply", "-auto-approve")
	blocks := cli.Must("output", "-raw", "blocks").Output
	if strings.Contains(blocks, "s3cret") {
		t.Error("the text has a stream key")
	}

	fresh := acctest.NewCLI(t, s)
	fresh.Config(blocks)
	fresh.Must("fmt", "-check", "-diff", "main.tf")
	var values strings.Builder
	for _, block := range regexp.MustCompile(`to = vodlive_live_session\.(\S+)\s+id = "(.*)"`).FindAllStringSubmatch(blocks, -1) {
		for _, name := range []string{"input_source_a", "input_source_b", "output_destination_a", "output_destination_b"} {
			if url := urls[block[2]+" "+name]; url != "" {
				fmt.Fprintf(&values, "%s_%s = %q\n", block[1], name, strings.ReplaceAll(url, "${", "$${"))
			}
		}
	}
	fresh.Write("terraform.tfvars", values.String())
	start := time.Now()
	out := fresh.Must("apply", "-auto-approve").Flat()
	if want := fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", sessions); !strings.Contains(out, want) {
		t.Errorf("the output lacks %q: %.3000s", want, out)
	}
	t.Logf("%d sessions imported in %v", sessions, time.Since(start).Round(time.Millisecond))
	fresh.AssertNoChanges()
	s.AssertCalls(t, simulator.CallCreateSession, 0)
}
