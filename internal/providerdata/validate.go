package providerdata

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// NotBlank rejects an empty string and white space.
var NotBlank = stringvalidator.RegexMatches(regexp.MustCompile(`\S`), "must not be blank")

// StringRule validates a known string.
type StringRule struct {
	// Kind is what the summary calls the value, "" for the name of its attribute. With a Kind, the
	// problem follows the path of the attribute.
	Kind     string
	Allowed  string                    // the rule, such as "must not be blank"
	Problem  func(value string) string // "" for none
	Doubtful bool                      // a problem is a warning, not an error
}

// Description returns the rule.
func (v StringRule) Description(context.Context) string { return v.Allowed }

// MarkdownDescription returns the rule.
func (v StringRule) MarkdownDescription(context.Context) string { return v.Allowed }

// ValidateString adds the problem of a value to the response.
func (v StringRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	switch problem := v.Problem(req.ConfigValue.ValueString()); {
	case problem == "":
	case v.Doubtful:
		resp.Diagnostics.AddAttributeWarning(req.Path, "Doubtful "+label(req.Path), problem)
	case v.Kind != "":
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+v.Kind, fmt.Sprintf("`%s` %s", req.Path, problem))
	default:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+label(req.Path), problem)
	}
}

// label is the path of an attribute without list indexes and set values.
func label(p path.Path) string {
	var names []string
	for _, step := range p.Steps() {
		if name, ok := step.(path.PathStepAttributeName); ok {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, ".")
}
