package livesession

import (
	"context"
	"fmt"
	"slices"
	"sync"

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
	m := get(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	generated := false
	if r.Data != nil { // Terraform validates what it generates in the run that imports
		_, generated = providerdata.Shared[imports](r.Data).Load(m.text("name"))
	}
	for _, a := range arguments {
		resp.Diagnostics.Append(m.checkConditions(a, generated)...)
	}
	resp.Diagnostics.Append(m.checkVersion()...)
	resp.Diagnostics.Append(checkLocalTime(m.text("scheduled_at"), m.text("timezone"))...)
	resp.Diagnostics.Append(checkDistinctStatuses(m.set("wait_for_status"), m.set("replace_on_status"))...)
}

// imports are the names of the sessions that this run has imported.
type imports struct{ sync.Map }

// checkConditions checks that an argument, or its write-only twin, is set exactly when it applies.
// It never shows the value, which may be a secret. generated is set if Terraform may have written
// the configuration.
func (m values) checkConditions(a attribute, generated bool) (diags diag.Diagnostics) {
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
		if a.sensitive() && generated {
			detail += " A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in."
		}
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

// checkDistinctStatuses warns of a status that is in both wait_for_status and replace_on_status.
func checkDistinctStatuses(waited, replaced types.Set) (diags diag.Diagnostics) {
	if waited.IsUnknown() {
		return nil
	}
	good := waitStatuses(waited)
	for _, status := range elements(replaced) {
		if slices.Contains(good, status) {
			diags.AddAttributeWarning(path.Root("replace_on_status"), "Every plan will create a new session",
				fmt.Sprintf("%s is in both `replace_on_status` and `wait_for_status` (by default %s). "+
					"Each apply would create a session in whose place the next plan creates another. Remove %s from one of them.", status, enumerate(defaultWaitForStatus, "and"), status))
		}
	}
	return diags
}
