package providerdata_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

func TestSameTriggers(t *testing.T) {
	t.Parallel()
	triggers := func(values ...attr.Value) types.Map {
		elements := map[string]attr.Value{}
		for i, v := range values {
			elements[string(rune('a'+i))] = v
		}
		return types.MapValueMust(types.StringType, elements)
	}
	null, one, two := types.StringNull(), types.StringValue("1"), types.StringValue("2")
	// Values in one group are the same, those of different groups are not.
	groups := [][]types.Map{
		{types.MapNull(types.StringType), triggers(), triggers(null), triggers(null, null), {}},
		{triggers(one), triggers(one, null)},
		{triggers(two)},
		{triggers(null, one)},
		{triggers(one, two)},
		{triggers(types.StringValue(""))},
	}
	for i, group := range groups {
		for _, a := range group {
			for j, other := range groups {
				for _, b := range other {
					if got := providerdata.SameTriggers(a, b); got != (i == j) {
						t.Errorf("%s and %s are the same: %v", a, b, got)
					}
				}
			}
			for _, unknown := range []types.Map{types.MapUnknown(types.StringType), triggers(types.StringUnknown())} {
				if providerdata.SameTriggers(a, unknown) || providerdata.SameTriggers(unknown, a) {
					t.Errorf("%s is the same as %s", a, unknown)
				}
			}
		}
	}
}
