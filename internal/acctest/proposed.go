package acctest

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// What follows is what Terraform's package objchange does, for attributes: there are no blocks
// here, and no nested attributes in lists, sets and maps that a resource's configuration may set.

// proposed is the proposal for a plan: the configuration, and for what is computed and not
// configured the prior value.
func proposed(attributes []*tfprotov6.SchemaAttribute, prior, config tftypes.Value) tftypes.Value {
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	was, is := object(prior), object(config)
	for _, a := range attributes {
		before, existed := was[a.Name]
		switch {
		case a.Computed && is[a.Name].IsNull() && existed:
			is[a.Name] = before
		case isObject(a):
			is[a.Name] = proposed(a.NestedType.Attributes, before, is[a.Name])
		}
	}
	return tftypes.NewValue(config.Type(), is)
}

// misplanned are the attributes whose planned value is neither the configured one nor, where it is
// equivalent to that, the prior one; what is computed and not configured is free.
func misplanned(attributes []*tfprotov6.SchemaAttribute, prior, config, planned tftypes.Value) (wrong []string) {
	if config.IsNull() != planned.IsNull() {
		return []string{"an object is planned that is not configured, or the other way round"}
	}
	was, given, is := object(prior), object(config), object(planned)
	for _, a := range attributes {
		before, want, got := was[a.Name], given[a.Name], is[a.Name]
		_, existed := was[a.Name]
		switch {
		case a.WriteOnly:
			if !got.IsNull() {
				wrong = append(wrong, a.Name+" is write-only, but planned")
			}
		case got.Equal(want), a.Computed && (want.IsNull() || !a.Optional), existed && !before.IsNull() && !want.IsNull() && got.Equal(before):
		case isObject(a) && got.IsKnown() && want.IsKnown():
			for _, inner := range misplanned(a.NestedType.Attributes, before, want, got) {
				wrong = append(wrong, a.Name+"."+inner)
			}
		default:
			wrong = append(wrong, fmt.Sprintf("%s is %v, configured is %v", a.Name, got, want))
		}
	}
	return wrong
}

// incompatible says where a value is not what was planned; "" where it is nowhere. Unknown may
// become anything, what is known must stay.
func incompatible(at string, planned, actual tftypes.Value) string {
	if !planned.IsKnown() || planned.Equal(actual) {
		return ""
	}
	if !planned.IsNull() && !actual.IsNull() && actual.IsKnown() {
		switch typ := planned.Type(); {
		case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
			was, is := object(planned), object(actual)
			for name, v := range was {
				now, there := is[name]
				if !there {
					return fmt.Sprintf("element %s.%s has vanished", at, name)
				}
				if wrong := incompatible(at+"."+name, v, now); wrong != "" {
					return wrong
				}
			}
			for name := range is {
				if _, there := was[name]; !there {
					return fmt.Sprintf("new element %s.%s has appeared", at, name)
				}
			}
			return ""
		case typ.Is(tftypes.List{}):
			was, is := as[[]tftypes.Value](planned), as[[]tftypes.Value](actual)
			if len(was) != len(is) {
				return fmt.Sprintf("the length of %s changed from %d to %d", at, len(was), len(is))
			}
			for i := range was {
				if wrong := incompatible(fmt.Sprintf("%s[%d]", at, i), was[i], is[i]); wrong != "" {
					return wrong
				}
			}
			return ""
		case typ.Is(tftypes.Set{}) && !planned.IsFullyKnown():
			return "" // no element of one is a certain one of the other
		}
	}
	return fmt.Sprintf("%s was planned to be %v and is %v", at, planned, actual)
}

func isObject(a *tfprotov6.SchemaAttribute) bool {
	return a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle
}

// object has the attributes of an object or the elements of a map; it is empty for anything else.
func object(v tftypes.Value) map[string]tftypes.Value {
	values := map[string]tftypes.Value{}
	if v.IsNull() || !v.IsKnown() || !v.Type().Is(tftypes.Object{}) && !v.Type().Is(tftypes.Map{}) {
		return values
	}
	return maps.Clone(as[map[string]tftypes.Value](v)) // As hands out the value's own
}
