package livesession

import (
	"context"
	"slices"

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

func get(ctx context.Context, from getter, diags *diag.Diagnostics) values {
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

// meaning is spec with one spelling of each value, by which a request is found again.
func (m values) meaning() api.SessionSpec {
	spec := m.spec()
	for _, a := range arguments {
		if text, ok := spec[a.Name].(string); ok && a.one != nil {
			spec[a.Name] = a.one(text)
		}
	}
	return spec
}

// known reports whether all arguments of a create request are known.
func (m values) known() bool {
	v, err := m.only(arguments).ToTerraformValue(context.Background())
	return err == nil && v.IsFullyKnown()
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
