package livesession

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// values are the attributes of a session by name, as a plan, a state or a configuration has them.
// Those of the resource have its own arguments, too.
type values map[string]attr.Value

// getter is a plan, a state or a configuration.
type getter interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

func valuesOf(ctx context.Context, from getter, diags *diag.Diagnostics) values {
	var o types.Object
	diags.Append(from.Get(ctx, &o)...)
	return o.Attributes()
}

// versionName is the argument without which a session has no write-only URLs.
const versionName = "urls_wo_version"

// object returns the values as one that a plan or a state can be set to.
func (m values) object() types.Object {
	kinds := map[string]attr.Type{}
	for name, value := range m {
		kinds[name] = value.Type(context.Background())
	}
	return types.ObjectValueMust(kinds, m)
}

// only returns the values of some attributes.
func (m values) only(list []attribute) types.Object {
	some := values{}
	for _, a := range list {
		some[a.Name] = m[a.Name]
	}
	return some.object()
}

// unset returns attributes of a session as null.
func unset(list []attribute) values {
	m := values{}
	for _, a := range list {
		m[a.Name] = a.null
	}
	return m
}

// null returns the null value of a type.
func null(typ attr.Type) attr.Value { return fromTerraform(typ, nil) }

func fromTerraform(typ attr.Type, value any) attr.Value {
	v, err := typ.ValueFromTerraform(context.Background(), tftypes.NewValue(typ.TerraformType(context.Background()), value))
	if err != nil {
		panic(err) // every type has null and unknown
	}
	return v
}

func (m values) str(name string) types.String {
	value, _ := m[name].(types.String)
	return value
}

// text is "" if the value is not known.
func (m values) text(name string) string { return m.str(name).ValueString() }

func (m values) flag(name string) types.Bool {
	value, _ := m[name].(types.Bool)
	return value
}

func (m values) set(name string) types.Set {
	value, _ := m[name].(types.Set)
	return value
}

// part returns an attribute of a group, null if there is none.
func (m values) part(group, name string) types.String {
	object, _ := m[group].(types.Object)
	value, _ := object.Attributes()[name].(types.String)
	return value
}

// fill sets fields to the values of a response. A value that the response lacks stays: create
// returns fewer fields than get, and get fewer than the listing. A value that does not apply to the
// session is null.
func (m values) fill(s api.Session, fields []attribute) {
	for _, a := range fields {
		was, shown := m[a.Name], a.valueIn(s)
		switch {
		case !a.applies(m).ValueBool():
			m[a.Name] = a.none
		case !shown.IsNull():
			m[a.Name] = shown
		case was == nil || was.IsNull() || was.IsUnknown():
			m[a.Name] = a.none
		}
	}
}

// addMissing sets those fields that have no value.
func (m values) addMissing(s api.Session, fields []attribute) {
	m.fill(s, selected(fields, func(a attribute) bool { return m[a.Name].IsNull() }))
	m.dropEndpoints()
}

// setComputed sets what the service computes, except for endpoints that the state must not have.
func (m values) setComputed(s api.Session) {
	m.fill(s, computed)
	m.dropEndpoints()
}

// dropEndpoints clears the endpoints if the state must not have them.
func (m values) dropEndpoints() {
	if m.flag("endpoints_in_state").Equal(types.BoolValue(false)) {
		m.clear(endpoints)
	}
}

// missing returns the names of the fields that apply but have no value. A URL that is write-only is
// not missing.
func (m values) missing(fields []attribute, of func(attribute) bool) (names []string) {
	hasWriteOnly := m[versionName] != nil && !m[versionName].IsNull()
	for _, a := range selected(fields, of) {
		isWriteOnly := a.HasTwin() && hasWriteOnly
		if m[a.Name].IsNull() && a.applies(m).ValueBool() && !isWriteOnly {
			names = append(names, "`"+a.Name+"`")
		}
	}
	return names
}

// withWriteOnly returns the arguments of a create request: as planned, with the write-only URLs of
// the configuration.
func (m values) withWriteOnly(config values) values {
	args := maps.Clone(m)
	for _, a := range twins {
		if args[a.Name].IsNull() {
			args[a.Name] = config[a.twin()]
		}
	}
	return args
}

// spec returns the arguments of the create request. It leaves out a text that is empty, and sends
// every boolean.
func (m values) spec() api.SessionSpec {
	spec := api.SessionSpec{}
	for _, a := range arguments {
		if value := sent(m[a.Name]); value != nil {
			spec[a.Name] = value
		}
	}
	return spec
}

// sent returns a value as JSON has it, nil to leave it out.
func sent(value attr.Value) any {
	switch value := value.(type) {
	case types.Bool:
		if !value.IsNull() && !value.IsUnknown() {
			return value.ValueBool()
		}
	case types.Int64:
		if !value.IsNull() && !value.IsUnknown() {
			return value.ValueInt64()
		}
	case types.String:
		if text := value.ValueString(); text != "" {
			return text
		}
	case types.Object:
		parts := map[string]any{}
		for name, part := range value.Attributes() {
			if text := sent(part); text != nil {
				parts[name] = text
			}
		}
		if len(parts) > 0 {
			return parts
		}
	}
	return nil
}

// elements are the known strings of a set, sorted.
func elements(set types.Set) []string {
	var items []string
	for _, e := range set.Elements() {
		if s, ok := e.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			items = append(items, s.ValueString())
		}
	}
	slices.Sort(items)
	return items
}

// label names a session in a diagnostic.
func (m values) label() string { return label(m.text("id"), m.text("name"), m.text("status")) }

func labelOf(s api.Session) string { return label(s.ID(), s.Name(), s.Status()) }

func label(id, name, status string) string {
	return fmt.Sprintf("%s (%q, status %s)", id, name, cmp.Or(status, "not known"))
}

// enumerate formats items as "A, B or C", with the conjunction given.
func enumerate(items []string, conjunction string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " " + conjunction + " " + items[len(items)-1]
}
