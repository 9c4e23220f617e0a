package functions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// formatImportBlocks writes the configuration that imports sessions.
var formatImportBlocks = pure{
	name: "format_import_blocks",
	definition: function.Definition{
		Summary: "Writes `import` and `resource` blocks for sessions",
		MarkdownDescription: "Returns a configuration that imports the given sessions: an `import` and a `resource` block for each. " +
			"The plan of this configuration imports them and changes nothing. Terraform 1.14.1 and later have `terraform query` for this; the function works with OpenTofu and older releases, too.\n\n" +
			"Resources have the names of the sessions, in lower case and with one underscore in place of other characters than letters, digits and underscores. " +
			"Sessions whose names would be the same all get their ids appended. The order of the sessions changes no name.\n\n" +
			"`sessions` has no URLs, because sources and destinations carry stream keys. Where `input`, `output_mode` and `mode` say that a session has one, " +
			"the text refers to the sensitive variable `session_urls`, and has its `variable` block. " +
			"Its value is `data.vodlive_live_sessions.all.urls`, with `include_urls = true`. If one configuration has several such texts, keep one of these blocks.",
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
		// Overlapping filters list a session several times. Two resources must not have it.
		known := map[string]bool{}
		sessions = slices.DeleteFunc(sessions, func(s types.Object) bool {
			again := known[text(s, "id")]
			known[text(s, "id")] = true
			return again
		})
		var all []string
		for i, name := range resourceNames(sessions) {
			all = append(all, blocks(sessions[i], name))
		}
		if slices.ContainsFunc(sessions, hasURL) {
			all = append(all, urlsVariable())
		}
		return strings.Join(all, "\n"), nil
	},
}

// urlsVariable returns the block of the variable that has the URLs of the sessions by their ids.
// The data source vodlive_live_sessions does not have them in its sessions.
func urlsVariable() string {
	width := 0
	for _, f := range urlFields {
		width = max(width, len(f.Name))
	}
	var b strings.Builder
	b.WriteString("variable \"session_urls\" {\n  description = \"Sources and destinations of live sessions, by session id\"\n  type = map(object({\n")
	for _, f := range urlFields {
		fmt.Fprintf(&b, "    %-*s = optional(string)\n", width, f.Name)
	}
	b.WriteString("  }))\n  sensitive = true\n}\n")
	return b.String()
}

var urlFields = slices.DeleteFunc(slices.Clone(sessionfield.Arguments), func(f sessionfield.Field) bool { return !isURL(f) })

func isURL(f sessionfield.Field) bool { return f.Kind == sessionfield.URL }

func hasURL(session types.Object) bool {
	return slices.ContainsFunc(urlFields, func(f sessionfield.Field) bool { return applies(f, session) })
}

func applies(f sessionfield.Field, session types.Object) bool {
	return f.Applies(func(name string) string { return text(session, name) })
}

func sessionType() attr.Type {
	all := map[string]attr.Type{"id": types.StringType}
	for _, f := range sessionfield.Arguments {
		if !isURL(f) {
			all[f.Name] = fieldType(f)
		}
	}
	return types.ObjectType{AttrTypes: all}
}

func fieldType(f sessionfield.Field) attr.Type {
	switch f.Kind {
	case sessionfield.Flag:
		return types.BoolType
	case sessionfield.Number:
		return types.Int64Type
	case sessionfield.Group:
		parts := map[string]attr.Type{}
		for _, part := range f.Parts {
			parts[part.Name] = fieldType(part)
		}
		return types.ObjectType{AttrTypes: parts}
	default:
		return types.StringType
	}
}

// text returns a string of an object, "" if it is null.
func text(object types.Object, name string) string {
	value, _ := object.Attributes()[name].(types.String)
	return value.ValueString()
}

// resourceNames returns a name for each session, all different, which do not depend on the order of
// the sessions. All sessions that would have the same name get their ids appended.
func resourceNames(sessions []types.Object) []string {
	names := make([]string, len(sessions))
	for i, s := range sessions {
		names[i] = identifier(cmp.Or(text(s, "name"), text(s, "id")))
	}
	appended := make([]bool, len(sessions))
	for again := true; again; { // a name with an id may be the name of another session
		again = false
		count := map[string]int{}
		for _, name := range names {
			count[name]++
		}
		for i, name := range names {
			if count[name] > 1 && !appended[i] {
				names[i], appended[i], again = identifier(name+"_"+text(sessions[i], "id")), true, true
			}
		}
	}
	// What is still the same differs in punctuation only: numbered in the order of the ids.
	order := make([]int, len(sessions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(text(sessions[a], "id"), text(sessions[b], "id")) })
	taken := map[string]bool{}
	for _, i := range order {
		name := names[i]
		for n := 2; taken[names[i]]; n++ {
			names[i] = name + "_" + strconv.Itoa(n)
		}
		taken[names[i]] = true
	}
	return names
}

// identifier returns a text as the name of a resource: ASCII letters, digits and single
// underscores, beginning with a letter.
func identifier(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
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
	width, id := 0, parse.HCL(text(session, "id"))
	for _, f := range sessionfield.Arguments {
		value, ok := expression(session, f)
		if isURL(f) {
			value, ok = fmt.Sprintf("var.session_urls[%s].%s", id, f.Name), applies(f, session)
		}
		if ok {
			lines = append(lines, [2]string{f.Name, value})
			width = max(width, len(f.Name))
		}
	}
	const resource = "vodlive_live_session"
	var b strings.Builder
	fmt.Fprintf(&b, "import {\n  to = %s.%s\n  id = %s\n}\n\nresource %q %q {\n", resource, name, id, resource, name)
	for _, line := range lines {
		fmt.Fprintf(&b, "  %-*s = %s\n", width, line[0], line[1])
	}
	b.WriteString("}\n")
	return b.String()
}

// expression returns an argument as HCL. It is false for an argument that a block leaves out.
func expression(object types.Object, f sessionfield.Field) (hcl string, ok bool) {
	value := object.Attributes()[f.Name]
	if value == nil || value.IsNull() {
		return "", false
	}
	switch value := value.(type) {
	case types.Bool:
		return "true", value.ValueBool()
	case types.Int64:
		return strconv.FormatInt(value.ValueInt64(), 10), true
	case types.Object:
		var parts []string
		for _, part := range f.Parts {
			if of, ok := expression(value, part); ok {
				parts = append(parts, part.Name+" = "+of)
			}
		}
		return "{ " + strings.Join(parts, ", ") + " }", true
	}
	given := text(object, f.Name)
	if f.Kind == sessionfield.LocalTime {
		given = parse.LocalTimeText(given) // a list may come from elsewhere than the provider
	}
	return parse.HCL(given), true
}
