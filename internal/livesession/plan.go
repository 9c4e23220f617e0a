package livesession

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// ModifyPlan applies the rules that need the account or the clock, decides whether the apply
// creates a session, and warns of sessions that keep running. Terraform calls it several times for
// one resource: for a replacement first with the prior state, and then without it, as for a create,
// but with the private data of the first call.
func (r *liveSession) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state := get(ctx, req.State, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		data := readPrivate(ctx, resp.Private, state, &resp.Diagnostics)
		if data.protected(state, state) {
			resp.Diagnostics.Append(protected(state.label(), "remove it from the state"))
			return
		}
		resp.Diagnostics.Append(state.forgotten("will be removed from the state")...)
		resp.Diagnostics.Append(warnOthers(data.others(state, false), forgottenToo)...)
		return
	}
	plan := get(ctx, req.Plan, &resp.Diagnostics)
	config := get(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		r.planCreate(ctx, plan, config, resp)
	} else {
		r.planChange(ctx, state, plan, config, resp)
	}
	plan.planComputed()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan.object())...)
}

// planChange plans an update: one that creates a session, that waits for one, or that changes only
// the provider's own arguments.
func (r *liveSession) planChange(ctx context.Context, state, plan, config values, resp *resource.ModifyPlanResponse) {
	data := readPrivate(ctx, resp.Private, state, &resp.Diagnostics)
	if r.Data != nil {
		data.own(r.Data)
	}
	var note providerdata.PlanNote // for the second call of a replacement
	if data.protected(state, plan) {
		note.Protected = state.label()
	}
	resp.Diagnostics.Append(note.Write(ctx, resp.Private)...)
	known := r.Data != nil && !r.Data.Unknown
	if known && data.FoundIn != r.account() {
		resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privateReplacedKey, replaced{state.text("id"), state.text("name")})...)
	}
	changed := changes(state, plan, config, &data)
	if data.Imported && decided(changed) {
		resp.Diagnostics.Append(importDiffers(state, plan, changed))
		return
	}
	given := plan.given(config)
	refused := decided(changed) && providerdata.ProtectsChange(state.flag("deletion_protection"), plan.flag("deletion_protection")) && !data.unusable(state, plan)
	continues := !refused && len(changed) > 0 && data.continues(state, plan, given)
	mayContinue := !given.known() && data.onItsWay(state)
	resp.Diagnostics.Append(warnOthers(data.others(state, continues || mayContinue), leftBeside)...)
	if mayContinue {
		resp.Diagnostics.Append(data.Waiting.mayWait()...)
	}
	switch {
	case refused:
		resp.Diagnostics.Append(protectedChange(note.Protected, changed))
	case continues:
		plan.open(computed)
		resp.Diagnostics.Append(data.Waiting.willWait(state)...)
	case len(changed) > 0:
		plan.open(computed)
		resp.Diagnostics.Append(state.willLeave(changed)...)
		if decided(changed) && (!known || r.inAccount(ctx, state, &data, &resp.Diagnostics)) {
			r.checkNew(ctx, plan, config, &resp.Diagnostics)
		}
	case data.waitsFor(state) && !plan.ready(state.str("status")):
		plan.openUnsettled(state)
		waiting := made{ID: state.text("id"), Name: state.text("name"), Status: state.text("status")}
		resp.Diagnostics.Append(waiting.willWait(nil)...)
	case state.hidesEndpoints() && !plan.hidesEndpoints():
		plan.open(endpoints)
	}
}

// planCreate applies the rules for a new session.
func (r *liveSession) planCreate(ctx context.Context, plan, config values, resp *resource.ModifyPlanResponse) {
	first, diags := providerdata.ReadPlanNote(ctx, resp.Private) // of the call with the prior state, if there was one
	resp.Diagnostics.Append(diags...)
	if first.Protected != "" {
		resp.Diagnostics.Append(protected(first.Protected, "replace it"))
		return
	}
	was, diags := providerdata.ReadPrivate[replaced](ctx, resp.Private, privateReplacedKey)
	resp.Diagnostics.Append(diags...)
	if was.ID != "" && r.Data != nil && !r.Data.Unknown {
		data, diags := providerdata.ReadPrivate[privateData](ctx, resp.Private, privateDataKey)
		resp.Diagnostics.Append(diags...)
		if !r.inAccount(ctx, values{"id": types.StringValue(was.ID), "name": types.StringValue(was.Name)}, &data, &resp.Diagnostics) {
			return
		}
	}
	r.checkNew(ctx, plan, config, &resp.Diagnostics)
	given := plan.given(config)
	note := providerdata.PlanNote{Create: true, Earlier: r.refusing(ctx, plan, given)}
	if !r.waitsInstead(ctx, plan) {
		note.Until, note.Region = given.start(), given.text("region")
	}
	resp.Diagnostics.Append(note.Write(ctx, resp.Private)...)
}

// checkNew reports why a session could not be created.
func (r *liveSession) checkNew(ctx context.Context, plan, config values, diags *diag.Diagnostics) {
	if r.Data != nil {
		diags.Append(r.Data.NeedLive(typeName)...)
	}
	if r.waitsInstead(ctx, plan) {
		return
	}
	given := plan.given(config)
	diags.Append(given.checkFuture(time.Now())...)
	r.planRegion(ctx, given.str("region"), diags)
}

const withoutCheck = "To plan without this check, set `skip_region_validation = true` in the provider block."

// planRegion reports a region in which the account can create no session.
func (r *liveSession) planRegion(ctx context.Context, region types.String, diags *diag.Diagnostics) {
	if r.Data == nil || diags.HasError() || r.Data.Unknown || r.Data.SkipRegionValidation || region.IsUnknown() {
		return
	}
	problem, err := r.checkRegion(ctx, region.ValueString())
	switch {
	case ctx.Err() != nil:
		diags.Append(providerdata.ErrorDiagnostic("Listing the regions", ctx.Err()))
	case api.Misconfigured(err):
		failed := providerdata.ErrorDiagnostic("Listing the regions", err)
		diags.AddError(failed.Summary(), failed.Detail()+"\n\n"+withoutCheck)
	case err != nil:
		diags.AddAttributeWarning(path.Root("region"), "The region was not checked",
			fmt.Sprintf("The provider did not check whether %q is allocated to the account. "+
				"If it is not, creating the session will fail. %s\n\n%s", region.ValueString(), providerdata.ErrorAndAdvice(err), withoutCheck))
	case problem != "":
		diags.AddAttributeError(path.Root("region"), "The region is not allocated to the account", problem)
	}
}

// openUnsettled plans what can change, or come, while a session becomes ready as known after the
// apply.
func (m values) openUnsettled(state values) {
	for _, a := range withoutID {
		if a.Name == "status" || state[a.Name].IsNull() {
			m[a.Name] = a.unknown
		}
	}
}

// planComputed plans the values of the service that can never apply as null, so that `count` and
// `for_each` may depend on them.
func (m values) planComputed() {
	for _, a := range computed {
		switch applies := a.applies(m); {
		case !applies.IsUnknown() && !applies.ValueBool():
			m[a.Name] = a.none
		case a.sensitive() && m.flag("endpoints_in_state").IsUnknown():
			m[a.Name] = a.unknown
		}
	}
	m.dropEndpoints()
}
