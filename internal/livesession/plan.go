package livesession

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// ModifyPlan applies the rules that need the account or the clock, plans a replacement by
// replace_on_status, and warns of sessions that keep running. Terraform calls it several times for
// one resource: for a replacement first with the prior state, and then without it, as for a create.
func (r *liveSession) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state, plan model
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(state.forgotten("will be removed from the state")...)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		r.planCreate(ctx, &plan, resp)
		return
	}
	if r.Data != nil {
		r.Data.Creates.Own(state.ID.ValueString()) // so that no lost create of this run claims it
	}
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.RequiresReplace = replacing(&state, &plan, &config)
	status := state.Status.ValueString()
	switch {
	case slices.Contains(elements(plan.ReplaceOnStatus), status):
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("status"), types.StringUnknown())...)
		resp.RequiresReplace.Append(path.Root("status"))
	case len(resp.RequiresReplace) == 0 && (plan.ReplaceOnStatus.IsUnknown() || slices.ContainsFunc(plan.ReplaceOnStatus.Elements(), attr.Value.IsUnknown)):
		// A replacement that is only found necessary at apply would be an inconsistent final plan.
		resp.Diagnostics.AddAttributeError(path.Root("replace_on_status"), "replace_on_status is not known yet",
			fmt.Sprintf("Whether to replace live session %s (%q, status %s) depends on `replace_on_status`, whose value comes from a resource "+
				"that is not applied yet. Set `replace_on_status` to a value that is known during plan, or apply that resource first with `-target`.",
				state.ID.ValueString(), state.Name.ValueString(), cmp.Or(status, "not known")))
		return
	}
	if len(resp.RequiresReplace) > 0 {
		resp.Diagnostics.Append(state.forgotten("will be replaced by a new one and removed from the state")...)
	}
}

// replacing returns the attributes whose changes replace the session: the arguments that the service
// knows, because it has no call to change a session, and the version of the write-only URLs.
func replacing(state, plan, config *model) (changed path.Paths) {
	if !state.URLsWOVersion.IsNull() && !state.URLsWOVersion.Equal(plan.URLsWOVersion) {
		changed.Append(path.Root("urls_wo_version"))
	}
	for _, a := range arguments {
		was, is := a.value(&state.session), a.value(&plan.session)
		// After an import, a value may move to the write-only argument.
		moved := a.twin != nil && is.IsNull() && a.equal(was, *a.twin(config))
		if !was.Equal(is) && !moved {
			changed.Append(path.Root(a.name))
		}
	}
	return changed
}

// forgotten warns of a session that leaves the state and may keep running. It is empty if the last
// known status is terminal.
func (m *session) forgotten(what string) (diags diag.Diagnostics) {
	status := m.Status.ValueString()
	if m.ID.IsNull() || terminal(status) {
		return nil
	}
	diags.AddWarning("The live session keeps running",
		fmt.Sprintf("Live session %s (%q, status %s) %s, but keeps running: the service has no call to stop or delete a session. "+
			"To manage it again, import this id.", m.ID.ValueString(), m.Name.ValueString(), cmp.Or(status, "not known"), what))
	return diags
}

// planCreate applies the rules for a new session.
func (r *liveSession) planCreate(ctx context.Context, plan *model, resp *resource.ModifyPlanResponse) {
	resp.Diagnostics.Append(plan.checkFuture(time.Now())...)
	if r.Data == nil {
		return
	}
	resp.Diagnostics.Append(r.Data.NeedLive(typeName)...)
	if resp.Diagnostics.HasError() || r.Data.Unknown || r.Data.SkipRegionValidation || plan.Region.IsUnknown() {
		return
	}
	regions, err := r.Data.Regions(ctx)
	if ctx.Err() != nil {
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Listing the regions", ctx.Err()))
		return
	}
	if err != nil {
		resp.Diagnostics.AddAttributeWarning(path.Root("region"), "The region was not checked",
			fmt.Sprintf("Listing the regions failed, so the provider did not check whether %q is allocated to the account. "+
				"If it is not, creating the session will fail. %s\n\n"+
				"To plan without this check, set `skip_region_validation = true` in the provider block.", plan.Region.ValueString(), providerdata.ErrorText(err)))
		return
	}
	var names []string
	for _, region := range regions {
		if !region.Unavailable {
			names = append(names, region.Name)
		}
	}
	if problem := regionProblem(plan.Region.ValueString(), names); problem != "" {
		resp.Diagnostics.AddAttributeError(path.Root("region"), "The region is not allocated to the account", problem)
	}
}

// regionProblem describes what is wrong with a region. It is "" for an allocated region.
func regionProblem(region string, allocated []string) string {
	if slices.Contains(allocated, region) {
		return ""
	}
	if len(allocated) == 0 {
		return fmt.Sprintf("%q was given, but no region is allocated to this account.", region)
	}
	names := slices.Sorted(slices.Values(allocated))
	problem := fmt.Sprintf("%q was given; the regions allocated to this account are %s.", region, enumerate(names, "and"))
	near := alike(region, names)
	for edits := 1; near == "" && edits <= min(2, len(region)/3); edits++ {
		if i := slices.IndexFunc(names, func(name string) bool { return within(region, name, edits) }); i >= 0 {
			near = names[i]
		}
	}
	if near != "" {
		problem += fmt.Sprintf(" Did you mean %q?", near)
	}
	return problem
}

// within reports whether at most so many edits make b of a. An edit adds, removes or replaces a byte.
func within(a, b string, edits int) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if a == "" || b == "" || edits == 0 {
		return len(a)+len(b) <= edits
	}
	return within(a[1:], b, edits-1) || within(a, b[1:], edits-1) || within(a[1:], b[1:], edits-1)
}
