package livesession

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// TestSchemaOfEachType has attributes of every type be required, optional, optional with a default,
// and computed.
func TestSchemaOfEachType(t *testing.T) {
	t.Parallel()
	for kind, byDefault := range map[sessionfield.Kind]string{sessionfield.Flag: "false", sessionfield.Number: "7", sessionfield.Text: "abc"} {
		for _, f := range []sessionfield.Field{
			{Kind: kind, Required: true},
			{Kind: kind, Optional: true},
			{Kind: kind, Optional: true, Computed: true, Default: byDefault},
			{Kind: kind, Computed: true},
		} {
			a := newAttribute(f)
			s := a.schema()
			if s.IsRequired() != a.Required || s.IsOptional() != a.Optional || s.IsComputed() != a.Computed || s.GetType() != a.typ {
				t.Errorf("%+v has the schema %+v", a, s)
			}
			want := a.Optional && a.Computed
			if got := strings.Contains(s.GetMarkdownDescription(), " Default: `"+byDefault+"`."); got != want {
				t.Errorf("%+v is described as %q", a, s.GetMarkdownDescription())
			}
			if r := a.readOnly().schema(); r.IsRequired() || r.IsOptional() || !r.IsComputed() || strings.Contains(r.GetMarkdownDescription(), "Default") {
				t.Errorf("%+v has the read-only schema %+v", a, r)
			}
		}
	}
}
