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
var importBlocks = pure{
	name: "import_blocks",
	definition: function.Definition{
		Summary: "Writes `import` and `resource` blocks for sessions",
		MarkdownDescription: "Returns a configuration that imports the given sessions: an `import` and a `resource` block for each. " +
			"The plan of this configuration imports them and changes nothing. Terraform 1.14.2 and later have `terraform query` for this; the function works with OpenTofu and older releases, too.\n\n" +
			"Resources have the names of the sessions, in which other characters than letters, digits and underscores become underscores. Sessions of equal names also get their ids. " +
			"The URLs of sources and destinations carry stream keys, so the text has a reference to a sensitive variable in place of each, and the `variable` block for it: " +
			"give these variables the URLs before you plan.\n\n" +
			"The text has no secrets, but Terraform takes it for sensitive because the sessions have sensitive attributes: `nonsensitive` makes it an ordinary output.",
		Parameters: []function.Parameter{function.ListParameter{
			Name:                "sessions",
			ElementType:         sessionType(),
			MarkdownDescription: "Sessions, such as `data.vodlive_live_sessions.all.sessions`, or some of them: `[for s in data.vodlive_live_sessions.all.sessions : s if s.status == \"READY\"]`.",
		}},
		Return: function.StringReturn{},
	},
	run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var sessions []types.Object
		if err := arguments.Get(ctx, &sessions); err != nil {
			return nil, err
		}
		for i, s := range sessions {
			if text(s, "id") == "" {
				return nil, argumentError(0, fmt.Sprintf("sessions[%d] is null or has no id.", i))
			}
		}
		var all []string
		for i, name := range resourceNames(sessions) {
			all = append(all, blocks(sessions[i], name))
		}
		return strings.Join(all, "\n"), nil
	},
}

// sessionArguments are the arguments of a session, as the data source vodlive_live_sessions has
// them, in the order in which a block has them.
var sessionArguments = []struct {
	name   string
	typ    attr.Type
	secret bool
}{
	{name: "name", typ: types.StringType},
	{name: "region", typ: types.StringType},
	{name: "input", typ: types.StringType},
	{name: "mode", typ: types.StringType},
	{name: "output_mode", typ: types.StringType},
	{name: "input_preset", typ: types.ObjectType{AttrTypes: map[string]attr.Type{
		"codec": types.StringType, "resolution": types.StringType, "bitrate": types.StringType,
	}}},
	{name: "input_source_a", typ: types.StringType, secret: true},
	{name: "input_source_b", typ: types.StringType, secret: true},
	{name: "output_destination_a", typ: types.StringType, secret: true},
	{name: "output_destination_b", typ: types.StringType, secret: true},
	{name: "enable_input_record", typ: types.BoolType},
	{name: "is_scheduled", typ: types.BoolType},
	{name: "timezone", typ: types.StringType},
	{name: "scheduled_at", typ: types.StringType},
}

func sessionType() attr.Type {
	all := map[string]attr.Type{"id": types.StringType}
	for _, a := range sessionArguments {
		all[a.name] = a.typ
	}
	return types.ObjectType{AttrTypes: all}
}

// text returns a string of an object, "" if it is null.
func text(object types.Object, name string) string {
	value, _ := object.Attributes()[name].(types.String)
	return value.ValueString()
}

// resourceNames returns a name for each session, all different. They do not depend on the order of
// the sessions unless two differ in punctuation only.
func resourceNames(sessions []types.Object) []string {
	count := map[string]int{}
	names := make([]string, len(sessions))
	for i, s := range sessions {
		names[i] = identifier(text(s, "id"))
		if !s.Attributes()["name"].IsNull() {
			names[i] = identifier(text(s, "name"))
		}
		count[names[i]]++
	}
	taken := map[string]bool{}
	for i, name := range names {
		if count[name] > 1 {
			name += "_" + identifier(text(sessions[i], "id"))
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

// blocks returns the blocks of a session.
func blocks(session types.Object, name string) string {
	var lines [][2]string // name and value of each argument
	var variables strings.Builder
	width := 0
	for _, a := range sessionArguments {
		value, ok := expression(session, a.name)
		if !ok {
			continue
		}
		if a.secret {
			variable := name + "_" + a.name
			value = "var." + variable
			fmt.Fprintf(&variables, "\nvariable %q {\n  type      = string\n  sensitive = true\n}\n", variable)
		}
		lines = append(lines, [2]string{a.name, value})
		width = max(width, len(a.name))
	}
	const resource = "vodlive_live_session"
	var b strings.Builder
	fmt.Fprintf(&b, "import {\n  to = %s.%s\n  id = %s\n}\n\nresource %q %q {\n", resource, name, providerdata.HCL(text(session, "id")), resource, name)
	for _, line := range lines {
		fmt.Fprintf(&b, "  %-*s = %s\n", width, line[0], line[1])
	}
	b.WriteString("}\n" + variables.String())
	return b.String()
}

// expression returns an argument as HCL. It is false for an argument that a block leaves out.
func expression(object types.Object, name string) (hcl string, ok bool) {
	value := object.Attributes()[name]
	if value.IsNull() {
		return "", false
	}
	switch value := value.(type) {
	case types.Bool:
		return "true", value.ValueBool()
	case types.Object:
		var parts []string
		for _, part := range []string{"codec", "resolution", "bitrate"} {
			if of, ok := expression(value, part); ok {
				parts = append(parts, part+" = "+of)
			}
		}
		return "{ " + strings.Join(parts, ", ") + " }", true
	}
	given := text(object, name)
	if wall, ok := localtime.Read(given); ok && name == "scheduled_at" {
		given = wall.Format(localtime.Layout) // the service may write it in another layout
	}
	return providerdata.HCL(given), true
}
