package livesession

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// ModifyPlan requires a replacement, refuses or warns of what takes a session from the state, and
// checks what needs the account or the clock. Terraform calls it twice for a replacement: with the
// prior state, and then without it, as for a create. For a tainted session, only the second call is
// made.
func (r *liveSession) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state := valuesOf(ctx, req.State, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.checkRemoval(state, values{})...)
		return
	}
	plan := valuesOf(ctx, req.Plan, &resp.Diagnostics)
	config := valuesOf(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	creating := req.State.Raw.IsNull()
	if !creating {
		if plan.replacesOn(state.text("status")) {
			plan["status"] = types.StringUnknown()
		}
		resp.RequiresReplace = changedPaths(state, plan)
	}
	if len(resp.RequiresReplace) > 0 {
		resp.Diagnostics.Append(r.checkRemoval(state, plan)...)
	}
	if creating && plan.onExisting() != existingUse || len(resp.RequiresReplace) > 0 {
		resp.Diagnostics.Append(plan.checkFuture(time.Now())...) // with "use", a session from before its start may run
	}
	if creating || len(resp.RequiresReplace) > 0 {
		r.checkNew(ctx, plan.withWriteOnly(config), &resp.Diagnostics)
	}
	plan.planComputed()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan.object())...)
}

// changedPaths returns the paths of what needs a new session: the arguments of the service, the version
// of the write-only URLs, and a status of `replace_on_status`.
func changedPaths(state, plan values) (paths path.Paths) {
	for _, a := range arguments {
		for _, part := range a.parts {
			if !state.part(a.Name, part.Name).Equal(plan.part(a.Name, part.Name)) {
				paths.Append(path.Root(a.Name).AtName(part.Name))
			}
		}
		if a.parts == nil && !state[a.Name].Equal(plan[a.Name]) {
			paths.Append(path.Root(a.Name))
		}
	}
	for _, name := range []string{versionName, "status"} {
		if !state[name].Equal(plan[name]) {
			paths.Append(path.Root(name))
		}
	}
	return paths
}

// replacesOn reports whether a session with a status is to be replaced.
func (m values) replacesOn(status string) bool {
	return slices.Contains(elements(m.set("replace_on_status")), status)
}

// checkRemoval refuses a plan that takes a protected session from the state, and warns of one that
// keeps running. plan is empty if nothing replaces the session.
func (r *liveSession) checkRemoval(state, plan values) (diags diag.Diagnostics) {
	isLifted := plan.flag("deletion_protection").Equal(types.BoolValue(false))
	switch {
	case r.Data != nil && r.run().isApply():
		// This is the apply. With create_before_destroy, it plans the destroy of the old session again,
		// which the plan has allowed.
	case state.flag("deletion_protection").ValueBool() && !isLifted:
		diags.AddError("The live session is protected from deletion",
			fmt.Sprintf("Live session %s has `deletion_protection = true` in the state, so it can be neither destroyed nor replaced. "+
				"To allow a replacement, set `deletion_protection = false` in the same plan. To destroy it, apply `false` first. If its block is gone, add it again. "+
				"If it is a deposed object, run `terraform state rm` with the address of the resource, and apply with `on_existing = \"use\"`.", state.label()))
	case !isFinal(state.text("status")):
		next := "To manage it again, import its id."
		if len(plan) == 0 {
			next += " If its block was renamed, write a `moved` block instead of applying this plan."
		}
		diags.AddWarning("A live session keeps running", // constant, so that Terraform folds many of them
			fmt.Sprintf("Live session %s will leave the state. The service has no call to stop it, so it keeps running. %s", state.label(), next))
	}
	return diags
}

// checkNew reports why a session could not be created.
func (r *liveSession) checkNew(ctx context.Context, args values, diags *diag.Diagnostics) {
	if r.Data != nil {
		diags.Append(r.Data.NeedLive(typeName)...)
	}
	if region := args.str("region"); r.Data != nil && !diags.HasError() && !r.Data.Unknown && !r.Data.SkipRegionValidation && !region.IsUnknown() {
		diags.Append(checkRegion(ctx, r.Data, region.ValueString())...)
	}
}

const withoutCheck = "To plan without this check, set `skip_region_validation = true` in the provider block."

// checkRegion reports a region in which the account can create no session.
func checkRegion(ctx context.Context, data *providerdata.Data, region string) (diags diag.Diagnostics) {
	problem, err := regionProblem(ctx, data, region)
	switch {
	case ctx.Err() != nil:
		diags.Append(providerdata.ErrorDiagnostic("Listing the regions", ctx.Err()))
	case api.Misconfigured(err):
		failed := providerdata.ErrorDiagnostic("Listing the regions", err)
		diags.AddError(failed.Summary(), failed.Detail()+"\n\n"+withoutCheck)
	case err != nil:
		diags.AddAttributeWarning(path.Root("region"), "The region was not checked",
			fmt.Sprintf("The provider did not check whether %q is allocated to the account. If it is not, the create will fail. %s\n\n%s", region, providerdata.ErrorAndAdvice(err), withoutCheck))
	case problem != "":
		diags.AddAttributeError(path.Root("region"), "The region is not allocated to the account", problem)
	}
	return diags
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
