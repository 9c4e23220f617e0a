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
// one resource: for a replacement first with the prior state, and then without it, as for a create,
// but with the private data of the first call.
func (r *liveSession) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state, plan, config model
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, intentKey, intent{})...)
		if state.DeletionProtection.ValueBool() {
			resp.Diagnostics.Append(protected(state.label(), "remove it from the state"))
			return
		}
		resp.Diagnostics.Append(state.forgotten("will be removed from the state")...)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		r.planCreate(ctx, &plan, &config, resp)
	} else {
		r.planChange(ctx, &state, &plan, &config, resp)
	}
}

// planChange decides whether a session is replaced.
func (r *liveSession) planChange(ctx context.Context, state, plan, config *model, resp *resource.ModifyPlanResponse) {
	if r.Data != nil {
		createsOf(r.Data).own(state.ID.ValueString()) // so that no lost create of this run claims it
	}
	status := state.Status.ValueString()
	ended := slices.Contains(elements(plan.ReplaceOnStatus), status)
	changed := replacing(state, plan, config)
	undecided := len(changed) > 0 && !ended && !slices.ContainsFunc(changed, func(c change) bool { return !c.unknown })
	note := intent{Action: actionReplace}
	if state.DeletionProtection.ValueBool() {
		note.Protected = state.label()
		if undecided && !slices.ContainsFunc(changed, func(c change) bool { return c.undo == nil }) {
			// The session cannot be replaced, so the plan assumes that nothing has changed.
			for _, c := range changed {
				c.undo(plan, state)
			}
			resp.Diagnostics.Append(assumed(state.label(), changed))
			changed, undecided = nil, false
		}
	}
	if undecided {
		note.Action = actionDecide
	}
	for _, c := range changed {
		resp.RequiresReplace.Append(path.Root(c.name))
	}
	plan.planComputed()
	switch {
	case ended:
		plan.Status = types.StringUnknown()
		resp.RequiresReplace.Append(path.Root("status"))
		changed = append(changed, change{name: "replace_on_status"})
	case len(changed) == 0 && (plan.ReplaceOnStatus.IsUnknown() || slices.ContainsFunc(plan.ReplaceOnStatus.Elements(), attr.Value.IsUnknown)):
		// A replacement that is only found necessary at apply would be an inconsistent final plan.
		resp.Diagnostics.AddAttributeError(path.Root("replace_on_status"), "replace_on_status is not known yet",
			fmt.Sprintf("Whether to replace live session %s depends on `replace_on_status`, whose value comes from a resource "+
				"that is not applied yet. Set `replace_on_status` to a value that is known during plan, or apply that resource first with `-target`.", state.label()))
		return
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, intentKey, note)...)
	switch {
	case len(changed) == 0:
	case note.Protected != "":
		resp.Diagnostics.Append(protected(note.Protected, "replace it because of "+names(changed)))
	case !undecided:
		resp.Diagnostics.Append(state.forgotten("will be replaced by a new one and removed from the state")...)
	case !terminal(status):
		resp.Diagnostics.Append(state.mayReplace(changed))
	}
}

// planCreate applies the rules for a new session.
func (r *liveSession) planCreate(ctx context.Context, plan, config *model, resp *resource.ModifyPlanResponse) {
	first, diags := providerdata.ReadPrivate[intent](ctx, resp.Private, intentKey) // of the call with the prior state, if there was one
	resp.Diagnostics.Append(diags...)
	if first.Protected != "" {
		resp.Diagnostics.Append(protected(first.Protected, "replace it"))
		return
	}
	plan.planComputed()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	note := intentOf(plan, resp.Plan.Raw, cmp.Or(first.Action, actionReplace))
	resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, intentKey, note)...)
	kept := note.Action == actionDecide // perhaps, so what a new session must not have is no error
	if r.Data != nil {
		resp.Diagnostics.Append(r.Data.NeedLive(typeName)...)
		kept = kept || replacedOf(r.Data).Has(offeredFor(resp.Plan.Raw, func(o *replaced) bool { return o.matches(plan, config) }))
	}
	if !kept {
		resp.Diagnostics.Append(plan.checkFuture(time.Now())...)
		r.planRegion(ctx, plan.Region, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() && r.Data != nil {
		if old, ok := r.takeReplaced(resp.Plan.Raw, anyReplaced); ok {
			resp.Diagnostics.Append(old.model.leftOut())
		}
	}
}

// planRegion reports a region in which the account can create no session.
func (r *liveSession) planRegion(ctx context.Context, region types.String, diags *diag.Diagnostics) {
	if r.Data == nil || diags.HasError() || r.Data.Unknown || r.Data.SkipRegionValidation || region.IsUnknown() {
		return
	}
	problem, err := r.checkRegion(ctx, region.ValueString())
	switch {
	case ctx.Err() != nil:
		diags.Append(providerdata.ErrorDiagnostic("Listing the regions", ctx.Err()))
	case err != nil:
		diags.AddAttributeWarning(path.Root("region"), "The region was not checked",
			fmt.Sprintf("Listing the regions failed, so the provider did not check whether %q is allocated to the account. "+
				"If it is not, creating the session will fail. %s\n\n"+
				"To plan without this check, set `skip_region_validation = true` in the provider block.", region.ValueString(), providerdata.ErrorText(err)))
	case problem != "":
		diags.AddAttributeError(path.Root("region"), "The region is not allocated to the account", problem)
	}
}

// planComputed plans the values of the service that can never apply as null, so that `count` and
// `for_each` may depend on them.
func (m *model) planComputed() {
	unknown := session{
		InputEndpointA: types.StringUnknown(), InputEndpointB: types.StringUnknown(),
		OutputEndpointA: types.StringUnknown(), OutputEndpointB: types.StringUnknown(),
	}
	for _, a := range computed {
		switch applies := a.applies(&m.session); {
		case !applies.IsUnknown() && !applies.ValueBool():
			a.clear(&m.session)
		case a.sensitive && m.EndpointsInState.IsUnknown():
			a.copy(&m.session, &unknown)
		}
	}
	m.dropEndpoints()
}
