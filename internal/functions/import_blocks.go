package functions

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/localtime"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// importBlocks writes the configuration that imports sessions.
type importBlocks struct{}

// importedSession has the arguments of a session, as the data source vodlive_live_sessions has them.
type importedSession struct {
	ID                 string  `tfsdk:"id"`
	Name               *string `tfsdk:"name"`
	Region             *string `tfsdk:"region"`
	Input              *string `tfsdk:"input"`
	Mode               *string `tfsdk:"mode"`
	OutputMode         *string `tfsdk:"output_mode"`
	InputPreset        *preset `tfsdk:"input_preset"`
	InputSourceA       *string `tfsdk:"input_source_a"`
	InputSourceB       *string `tfsdk:"input_source_b"`
	OutputDestinationA *string `tfsdk:"output_destination_a"`
	OutputDestinationB *string `tfsdk:"output_destination_b"`
	EnableInputRecord  *bool   `tfsdk:"enable_input_record"`
	IsScheduled        *bool   `tfsdk:"is_scheduled"`
	Timezone           *string `tfsdk:"timezone"`
	ScheduledAt        *string `tfsdk:"scheduled_at"`
}

type preset struct {
	Codec      *string `tfsdk:"codec"`
	Resolution *string `tfsdk:"resolution"`
	Bitrate    *string `tfsdk:"bitrate"`
}

var importedType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"id": types.StringType, "name": types.StringType, "region": types.StringType,
	"input": types.StringType, "mode": types.StringType, "output_mode": types.StringType,
	"input_preset": types.ObjectType{AttrTypes: map[string]attr.Type{
		"codec": types.StringType, "resolution": types.StringType, "bitrate": types.StringType,
	}},
	"input_source_a": types.StringType, "input_source_b": types.StringType,
	"output_destination_a": types.StringType, "output_destination_b": types.StringType,
	"enable_input_record": types.BoolType, "is_scheduled": types.BoolType,
	"timezone": types.StringType, "scheduled_at": types.StringType,
}}

func (importBlocks) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "import_blocks"
}

func (importBlocks) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Writes `import` and `resource` blocks for sessions",
		MarkdownDescription: "Returns a configuration that imports the given sessions: an `import` and a `resource` block for each. " +
			"The plan of this configuration imports them and changes nothing. Terraform 1.14 has `terraform query` for this; the function works with OpenTofu and older releases, too.\n\n" +
			"Resources have the names of the sessions, in which other characters than letters, digits and underscores become underscores. Sessions of equal names also get their ids. " +
			"The URLs of sources and destinations carry stream keys, so the text has a reference to a sensitive variable in place of each, and the `variable` block for it: " +
			"give these variables the URLs before you plan.\n\n" +
			"The text has no secrets, but Terraform takes it for sensitive because the sessions have sensitive attributes: `nonsensitive` makes it an ordinary output.",
		Parameters: []function.Parameter{function.ListParameter{
			Name:                "sessions",
			ElementType:         importedType,
			MarkdownDescription: "Sessions, such as `data.vodlive_live_sessions.all.sessions`, or some of them: `[for s in data.vodlive_live_sessions.all.sessions : s if s.status == \"READY\"]`.",
		}},
		Return: function.StringReturn{},
	}
}

func (importBlocks) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var sessions []importedSession
	if resp.Error = req.Arguments.Get(ctx, &sessions); resp.Error != nil {
		return
	}
	var blocks []string
	for i, name := range resourceNames(sessions) {
		blocks = append(blocks, sessions[i].blocks(name))
	}
	resp.Error = resp.Result.Set(ctx, strings.Join(blocks, "\n"))
}

// resourceNames returns a name for each session, all different. They do not depend on the order of
// the sessions unless two differ in punctuation only.
func resourceNames(sessions []importedSession) []string {
	count := map[string]int{}
	names := make([]string, len(sessions))
	for i, s := range sessions {
		name := identifier(s.ID)
		if s.Name != nil {
			name = identifier(*s.Name)
		}
		names[i] = name
		count[name]++
	}
	taken := map[string]bool{}
	for i, name := range names {
		if count[name] > 1 {
			name += "_" + identifier(sessions[i].ID)
		}
		names[i] = name
		for n := 2; taken[names[i]]; n++ {
			names[i] = name + "_" + strconv.Itoa(n)
		}
		taken[names[i]] = true
	}
	return names
}

// identifier returns a text as the name of a resource: ASCII letters, digits and underscores, not
// beginning with a digit.
func identifier(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_'
	})
	name := strings.Join(words, "_")
	switch {
	case name == "":
		return "session"
	case name[0] >= '0' && name[0] <= '9':
		return "session_" + name
	}
	return name
}

// argument is one line of a resource block.
type argument struct{ name, value string }

// blocks returns the blocks of a session.
func (s *importedSession) blocks(name string) string {
	var arguments []argument
	var variables strings.Builder
	add := func(of string, value *string) {
		if value != nil {
			arguments = append(arguments, argument{of, providerdata.HCL(*value)})
		}
	}
	secret := func(of string, value *string) {
		if value == nil {
			return
		}
		variable := name + "_" + of
		arguments = append(arguments, argument{of, "var." + variable})
		fmt.Fprintf(&variables, "\nvariable %q {\n  type      = string\n  sensitive = true\n}\n", variable)
	}
	flag := func(of string, value *bool) {
		if value != nil && *value {
			arguments = append(arguments, argument{of, "true"})
		}
	}
	add("name", s.Name)
	add("region", s.Region)
	add("input", s.Input)
	add("mode", s.Mode)
	add("output_mode", s.OutputMode)
	if s.InputPreset != nil {
		arguments = append(arguments, argument{"input_preset", s.InputPreset.object()})
	}
	secret("input_source_a", s.InputSourceA)
	secret("input_source_b", s.InputSourceB)
	secret("output_destination_a", s.OutputDestinationA)
	secret("output_destination_b", s.OutputDestinationB)
	flag("enable_input_record", s.EnableInputRecord)
	flag("is_scheduled", s.IsScheduled)
	add("timezone", s.Timezone)
	if s.ScheduledAt != nil {
		at := *s.ScheduledAt
		if wall, ok := localtime.Read(at); ok {
			at = wall.Format(localtime.Layout) // the service may write it in another layout
		}
		add("scheduled_at", &at)
	}

	const resource = "vodlive_live_session"
	width := 0
	for _, a := range arguments {
		width = max(width, len(a.name))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "import {\n  to = %s.%s\n  id = %s\n}\n\nresource %q %q {\n", resource, name, providerdata.HCL(s.ID), resource, name)
	for _, a := range arguments {
		fmt.Fprintf(&b, "  %-*s = %s\n", width, a.name, a.value)
	}
	b.WriteString("}\n" + variables.String())
	return b.String()
}

func (p *preset) object() string {
	var parts []string
	for _, part := range []struct {
		name  string
		value *string
	}{{"codec", p.Codec}, {"resolution", p.Resolution}, {"bitrate", p.Bitrate}} {
		if part.value != nil {
			parts = append(parts, part.name+" = "+providerdata.HCL(*part.value))
		}
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
