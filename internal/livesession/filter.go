package livesession

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

// filter selects sessions for a data source or a list resource. A null attribute selects all. The
// service documents no filters, so the provider applies them to the pages of the listing.
type filter struct {
	Region     types.String `tfsdk:"region"`
	Mode       types.String `tfsdk:"mode"`
	Input      types.String `tfsdk:"input"`
	OutputMode types.String `tfsdk:"output_mode"`
	Statuses   types.Set    `tfsdk:"statuses"`
	Name       types.String `tfsdk:"name"`
	NameRegex  types.String `tfsdk:"name_regex"`
}

// filterAttributes are for the schemas of the data source and of the list resource.
var filterAttributes = map[string]schema.Attribute{
	"region": filterBy("Only sessions in this region.", notBlank),
	"mode":   filterBy("Only sessions with this mode: `HA` or `NORM`.", oneOf(sessionfield.Modes...)),
	"input": filterBy("Only sessions with this input: `RTMP_PUSH`, `RTMP_PULL`, `RTMPS_PUSH` or `RTMPS_PULL`.",
		oneOf(sessionfield.Directions...)),
	"output_mode": filterBy("Only sessions with this output mode: `RTMP_PUSH`, `RTMP_PULL`, `RTMPS_PUSH` or `RTMPS_PULL`.",
		oneOf(sessionfield.Directions...)),
	"statuses": schema.SetAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Only sessions with one of these statuses, for example `[\"READY\", \"SCHEDULED\"]`.",
		Validators:          append(statusSet(), setvalidator.SizeAtLeast(1)),
	},
	"name": filterBy("Only sessions with exactly this name.", notBlank),
	"name_regex": filterBy("Only sessions whose name matches this regular expression "+
		"([RE2](https://github.com/google/re2/wiki/Syntax), anywhere in the name).", regex),
}

func filterBy(description string, rules ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: rules}
}

// matching yields the sessions of the account that match. An error is the last element.
func (f *filter) matching(ctx context.Context, data *providerdata.Data) iter.Seq2[api.Session, diag.Diagnostic] {
	return func(yield func(api.Session, diag.Diagnostic) bool) {
		pattern, err := regexp.Compile(f.NameRegex.ValueString())
		if err != nil { // it was unknown during validation
			yield(nil, diag.NewAttributeErrorDiagnostic(path.Root("name_regex"), providerdata.InvalidValue, fmt.Sprintf("`name_regex` is %q, which is no regular expression in RE2 syntax: %s.", f.NameRegex.ValueString(), err)))
			return
		}
		for s, err := range sessionsOf(ctx, data.API) {
			if err != nil {
				yield(nil, providerdata.ErrorDiagnostic("Listing the live sessions", err))
				return
			}
			if f.matches(s) && pattern.MatchString(s.Name()) && !yield(s, nil) {
				return
			}
		}
	}
}

// matches applies all attributes but name_regex. Spellings of the service that mean the same count
// as the same.
func (f *filter) matches(s api.Session) bool {
	same := func(want types.String, got string) bool { return want.IsNull() || want.ValueString() == got }
	return (f.Region.IsNull() || strings.EqualFold(f.Region.ValueString(), s["region"])) && same(f.Mode, s["mode"]) &&
		same(f.Input, s["input"]) && same(f.OutputMode, s["output_mode"]) &&
		(f.Statuses.IsNull() || slices.Contains(elements(f.Statuses), s.Status())) &&
		(f.Name.IsNull() || api.SameText(f.Name.ValueString(), s.Name()))
}
