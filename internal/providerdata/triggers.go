package providerdata

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// SameTriggers reports whether two values of `triggers` are the same: null, an empty map and a map
// of nulls are. A value that is not known yet differs from every other one.
func SameTriggers(a, b types.Map) bool {
	return !a.IsUnknown() && !b.IsUnknown() && maps.EqualFunc(set(a), set(b), attr.Value.Equal)
}

// set returns the elements that are not null.
func set(triggers types.Map) map[string]attr.Value {
	elements := maps.Clone(triggers.Elements())
	maps.DeleteFunc(elements, func(_ string, v attr.Value) bool { return v.IsNull() })
	return elements
}
