package livesession

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestSchemaOfEachType has attributes of every type be required, optional, optional with a default,
// and computed.
func TestSchemaOfEachType(t *testing.T) {
	t.Parallel()
	for byDefault, none := range map[attr.Value]attr.Value{
		types.BoolValue(false):   types.BoolNull(),
		types.Int64Value(7):      types.Int64Null(),
		types.StringValue("abc"): types.StringNull(),
	} {
		for _, a := range []attribute{
			{required: true, access: access{none: none}},
			{optional: true, access: access{none: none}},
			{optional: true, computed: true, access: access{none: byDefault}},
			{computed: true, access: access{none: none}},
		} {
			s := a.schema()
			if s.IsRequired() != a.required || s.IsOptional() != a.optional || s.IsComputed() != a.computed || s.GetType() != none.Type(t.Context()) {
				t.Errorf("%+v has the schema %+v", a, s)
			}
			want := a.optional && a.computed
			if got := strings.Contains(s.GetMarkdownDescription(), " Default: `"+strings.Trim(byDefault.String(), `"`)+"`."); got != want {
				t.Errorf("%+v is described as %q", a, s.GetMarkdownDescription())
			}
			if r := a.readOnly().schema(); r.IsRequired() || r.IsOptional() || !r.IsComputed() || strings.Contains(r.GetMarkdownDescription(), "Default") {
				t.Errorf("%+v has the read-only schema %+v", a, r)
			}
		}
	}
}
