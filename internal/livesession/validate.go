package livesession

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// ValidateConfig checks the rules over several attributes: the rules of the service (SERVICE.md,
// "Sessions") and their converses. The service does not return a value that does not apply, so a
// configured one would be a difference in every plan.
func (r *liveSession) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	m := valuesOf(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	for _, a := range arguments {
		resp.Diagnostics.Append(m.checkConditions(a)...)
	}
	resp.Diagnostics.Append(m.checkVersion()...)
	resp.Diagnostics.Append(checkLocalTime(m.text("scheduled_at"), m.text("timezone"))...)
}

// checkConditions checks that an argument, or its write-only twin, is set exactly when it applies.
// It never shows the value, which may be a secret.
func (m values) checkConditions(a attribute) (diags diag.Diagnostics) {
	if a.Needs == nil {
		return nil
	}
	name := a.Name
	value := m[a.Name]
	if a.HasTwin() && value.IsNull() && !m[a.twin()].IsNull() {
		name, value = a.twin(), m[a.twin()]
	}
	var rules, values, lacking, instead []string
	for _, c := range a.conditions() {
		rules = append(rules, c.String())
		if c.holds(m).Equal(types.BoolValue(false)) {
			lacking = append(lacking, c.set(true))
		}
		instead = append(instead, c.set(false))
		if here := c.value(m).ValueString(); here != "" {
			values = append(values, fmt.Sprintf("`%s` is %s", c.Argument, here))
		}
	}
	rule, here := enumerate(rules, "and"), enumerate(values, "and")
	switch holds := a.applies(m); {
	case value.IsUnknown():
	case value.IsNull() && holds.ValueBool():
		detail := fmt.Sprintf("`%s` is required when %s. It is not set, and here %s. Set `%s`, or set %s.", name, rule, here, name, enumerate(instead, "or"))
		diags.AddAttributeError(path.Root(name), providerdata.MissingArgument, detail)
	case !value.IsNull() && holds.Equal(types.BoolValue(false)):
		detail := fmt.Sprintf("`%s` may only be set when %s. It is set, and here %s. Set %s, or remove `%s`", name, rule, here, enumerate(lacking, "and"), name)
		if value.Equal(types.StringValue("")) {
			detail += ", or write null: an empty string counts as set"
		}
		diags.AddAttributeError(path.Root(name), providerdata.DoesNotApply, detail+".")
	}
	return diags
}

// checkVersion refuses a version of write-only URLs where there is none.
func (m values) checkVersion() (diags diag.Diagnostics) {
	given := slices.ContainsFunc(twins, func(a attribute) bool { return !m[a.twin()].IsNull() })
	if !m[versionName].IsNull() && !m[versionName].IsUnknown() && !given {
		diags.AddAttributeError(path.Root("urls_wo_version"), providerdata.DoesNotApply,
			"`urls_wo_version` is set, but no write-only URL is, such as `input_source_a_wo`. Set one, or remove `urls_wo_version`.")
	}
	return diags
}
