package livesession

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// attribute is a field of a session as Terraform has it.
type attribute struct {
	sessionfield.Field
	typ     attr.Type
	null    attr.Value
	none    attr.Value // the value of a session for which none is known: null, or the default
	unknown attr.Value
	parts   []attribute            // of a group
	valid   []validator.String     // rules for a text
	same    func(a, b string) bool // compares two texts by their meaning; nil: only equal ones are the same
}

const (
	statusReady     = "READY"
	statusScheduled = "SCHEDULED"
)

// isFinal reports whether a session with a status runs no longer, and never will.
func isFinal(status string) bool {
	return slices.Contains([]string{"ERROR", "TERMINATED", "STOPPED", "CANCELLED"}, status)
}

// isAllocated reports whether the listing shows the addresses of a session with a status, for as long
// as it runs. A scheduled session may get them only when it starts.
func isAllocated(status string) bool {
	return !isFinal(status) && !slices.Contains([]string{"PENDING", "PROVISIONING", statusScheduled}, status)
}

var (
	statuses = sessionfield.Statuses

	arguments = newAttributes(sessionfield.Arguments)
	computed  = newAttributes(sessionfield.Computed)
	// attributes in the order in which a response is read: the arguments decide which others apply.
	attributes = slices.Concat(arguments, computed)

	// endpoints are those with stream keys.
	endpoints = selected(computed, attribute.sensitive)
	// A list or map of sessions has the attributes withoutURLs. Their URLs, which carry stream
	// keys, are in a map of their own that is sensitive as a whole: Terraform's time for a resource
	// or a data source grows with the square of its sensitive values.
	withoutURLs = selected(attributes, func(a attribute) bool { return !a.sensitive() })
	onlyURLs    = selected(attributes, attribute.sensitive)
	// twins are the arguments that have a write-only twin.
	twins = selected(arguments, func(a attribute) bool { return a.HasTwin() })
)

// isListed reports whether only the listing is sure to have the value.
func (a attribute) isListed() bool { return a.Listed }

// isNeeded reports whether an argument must have a value where it applies.
func (a attribute) isNeeded() bool { return a.Required || a.Optional && a.Needs != nil }

func selected[T any](list []T, by func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !by(item) })
}

// sensitive reports whether the value has a stream key.
func (a attribute) sensitive() bool { return a.Kind == sessionfield.URL }

// twin is the name of the write-only argument that can be set instead.
func (a attribute) twin() string { return a.Name + sessionfield.WriteOnly }

func newAttributes(fields []sessionfield.Field) (list []attribute) {
	for _, f := range fields {
		list = append(list, newAttribute(f))
	}
	return list
}

func newAttribute(f sessionfield.Field) attribute {
	a := attribute{Field: f, typ: types.StringType}
	switch f.Kind {
	case sessionfield.Flag:
		a.typ = types.BoolType
	case sessionfield.Number:
		a.typ = types.Int64Type
	case sessionfield.Group:
		a.parts = newAttributes(f.Parts)
		kinds := map[string]attr.Type{}
		for _, part := range a.parts {
			kinds[part.Name] = part.typ
		}
		a.typ = types.ObjectType{AttrTypes: kinds}
	case sessionfield.Choice:
		a.valid = rules(oneOf(f.Values...))
	case sessionfield.Name:
		a.valid, a.same = rules(notBlank, stringvalidator.LengthAtMost(api.TextLimit)), api.SameText
	case sessionfield.Region:
		a.valid, a.same = rules(notBlank), strings.EqualFold
	case sessionfield.URL:
		a.valid, a.same = rules(streamURL), parse.SameStreamURL
	case sessionfield.Zone:
		a.valid = rules(providerdata.StringRule{Allowed: parse.ZoneRule, Problem: parse.ZoneProblem})
	case sessionfield.LocalTime:
		a.valid = rules(localTime)
	case sessionfield.Text:
	}
	a.null, a.unknown = null(a.typ), fromTerraform(a.typ, tftypes.UnknownValue)
	a.none = a.read(f.Default)
	return a
}

func rules(list ...validator.String) []validator.String { return list }

// read returns a text of package api as a value, null for "".
func (a attribute) read(text string) attr.Value {
	switch {
	case text == "":
		return a.null
	case a.Kind == sessionfield.Flag:
		return types.BoolValue(text == "true")
	case a.Kind == sessionfield.Number:
		n, _ := strconv.ParseInt(text, 10, 64) // as package api writes it
		return types.Int64Value(n)
	}
	return types.StringValue(text)
}

// valueIn returns the value of a response, null if it has none.
func (a attribute) valueIn(s api.Session) attr.Value {
	if a.parts == nil {
		return a.read(s[a.Name])
	}
	parts, found := values{}, false
	for _, part := range a.parts {
		shown := part.read(s[a.Name+"."+part.Name])
		found = found || !shown.IsNull()
		parts[part.Name] = shown
	}
	if !found {
		return a.none
	}
	return parts.object()
}

// clear sets attributes to what they are without a value.
func (m values) clear(list []attribute) {
	for _, a := range list {
		m[a.Name] = a.none
	}
}

// condition is a condition of the service, over attributes.
type condition struct{ sessionfield.Condition }

func (a attribute) conditions() (list []condition) {
	for _, c := range a.Needs {
		list = append(list, condition{c})
	}
	return list
}

// value returns the argument of the condition as text.
func (c condition) value(m values) types.String {
	switch value := m[c.Argument].(type) {
	case types.Bool:
		if value.IsUnknown() {
			return types.StringUnknown()
		}
		return types.StringValue(strconv.FormatBool(value.ValueBool()))
	case types.String:
		return value
	}
	return types.StringNull()
}

// holds is unknown if the value is, or is none of the known ones. A required argument that is null
// is not judged: Terraform itself reports that it is missing.
func (c condition) holds(m values) types.Bool {
	switch value := c.value(m).ValueString(); {
	case slices.Contains(c.In, value):
		return types.BoolValue(true)
	case slices.Contains(c.Others, value):
		return types.BoolValue(false)
	}
	return types.BoolUnknown()
}

// set is what to write so that the condition holds, and otherwise so that it does not.
func (c condition) set(holds bool) string {
	values := c.Others
	if holds {
		values = c.In
	}
	return fmt.Sprintf("`%s` to %s", c.Argument, enumerate(values, "or"))
}

func (c condition) String() string {
	return fmt.Sprintf("`%s` is %s", c.Argument, enumerate(c.In, "or"))
}

// applies returns whether all conditions hold: false if one does not hold, even if others are
// unknown.
func (a attribute) applies(m values) types.Bool {
	all := types.BoolValue(true)
	for _, c := range a.conditions() {
		switch holds := c.holds(m); {
		case holds.IsUnknown():
			all = holds
		case !holds.ValueBool():
			return holds
		}
	}
	return all
}

// equal reports whether two values of the argument have the same meaning.
func (a attribute) equal(x, y attr.Value) bool {
	if x.Equal(y) {
		return true
	}
	one, text := x.(types.String)
	other, _ := y.(types.String)
	known := !one.IsNull() && !one.IsUnknown() && !other.IsNull() && !other.IsUnknown()
	return text && a.same != nil && known && a.same(one.ValueString(), other.ValueString())
}
