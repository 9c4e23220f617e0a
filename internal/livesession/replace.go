package livesession

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// Terraform replaces a session by a Delete and a Create. Delete gets the private data of the plan, in
// which the plan notes its intent. Create gets nothing from Delete, so Delete offers the session in
// memory: both run in one process.
//
// With create_before_destroy, Create runs first and cannot know that it replaces a session. Delete
// then runs on a plan of its own, which is that of a destroy.

// Delete stops nothing: the service has no call that stops or deletes a session. It makes a request
// only for a replacement, to find out whether Create would be refused.
func (r *liveSession) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m model
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	note, diags := providerdata.ReadPrivate[intent](ctx, req.Private, intentKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	createsOf(r.Data).own(m.ID.ValueString()) // it keeps running, so no lost create of this run may claim it
	var refused diag.Diagnostic
	switch {
	case m.DeletionProtection.ValueBool(): // of a tainted session, whose plan does not see the state, or of a client that plans no deletion
		refused = protected(m.label(), providerdata.ReplaceOrRemove)
	case note.Action != "":
		refused = r.checkReplacement(ctx, &m.session, note)
	}
	if refused != nil {
		providerdata.RefuseDelete(ctx, resp, refused)
		return
	}
	if note.Action == "" {
		resp.Diagnostics.Append(m.forgotten("was removed from the state")...)
		return
	}
	old := &replaced{intent: note, model: m}
	old.data, diags = providerdata.ReadPrivate[privateData](ctx, req.Private, privateDataKey)
	resp.Diagnostics.Append(diags...)
	replacedOf(r.Data).Offer(old)
	if note.Action == actionDecide {
		resp.Diagnostics.Append(m.mayBeKept())
	} else {
		resp.Diagnostics.Append(m.forgotten("was removed from the state")...)
	}
}

// checkReplacement checks what Create would refuse, before the session is forgotten. It is nil if
// nothing is wrong. An error of Delete keeps the session in the state.
func (r *liveSession) checkReplacement(ctx context.Context, m *session, in intent) diag.Diagnostic {
	refuse := func(why string) diag.Diagnostic {
		return diag.NewErrorDiagnostic("The live session was not replaced",
			fmt.Sprintf("Live session %s stays in the state, because creating the session that replaces it would fail. %s", m.label(), why))
	}
	if diags := r.Data.NeedLive(typeName); diags.HasError() {
		return refuse(diags[0].Detail())
	}
	problem, err := "", error(nil)
	if !r.Data.SkipRegionValidation {
		problem, err = r.checkRegion(ctx, in.Region)
	}
	if r.Data.SkipRegionValidation || err != nil { // find out whether the service accepts the credentials
		if _, err := r.Data.API.GetSession(ctx, m.ID.ValueString()); err != nil && !api.NotFound(err) {
			return refuse(providerdata.ErrorDiagnostic("Reading the live session", err).Detail())
		}
	}
	if in.Action == actionDecide { // the session may be kept, whatever Create would refuse
		return nil
	}
	if in.Region != "" && problem != "" {
		return refuse("The region is not allocated to the account: " + problem)
	}
	planned := session{IsScheduled: types.BoolValue(in.ScheduledAt != ""), Timezone: types.StringValue(in.Timezone), ScheduledAt: types.StringValue(in.ScheduledAt)}
	if diags := planned.checkFuture(time.Now()); diags.HasError() {
		return refuse(diags[0].Detail())
	}
	return nil
}

// intentOf returns the intent of a plan that creates an object.
func intentOf(plan *model, raw tftypes.Value, action string) intent {
	in := intent{Action: action, Region: plan.Region.ValueString()}
	if plan.IsScheduled.ValueBool() {
		in.Timezone, in.ScheduledAt = plan.Timezone.ValueString(), plan.ScheduledAt.ValueString()
	}
	in.Unknown, in.Known = digestOf(raw, nil)
	return in
}

// digestOf returns the attributes of an object that are not known, and a digest of the others. It
// leaves out those that skip names.
func digestOf(raw tftypes.Value, skip []string) (unknown []string, known string) {
	var values map[string]tftypes.Value
	_ = raw.As(&values) // no value of another type is planned
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case slices.Contains(skip, name):
		case !values[name].IsFullyKnown():
			unknown = append(unknown, name)
		default:
			_, _ = fmt.Fprintf(hash, "%s=%s\n", name, values[name])
		}
	}
	return unknown, hex.EncodeToString(hash.Sum(nil))
}

// replaced is a session whose Delete has run for a replacement.
type replaced struct {
	intent
	model model // as in the state
	data  privateData
}

// replacedOf are the sessions that Delete offers.
func replacedOf(data *providerdata.Data) *providerdata.Handover[*replaced] {
	return providerdata.Shared[providerdata.Handover[*replaced]](data)
}

// matches reports whether the session has the arguments that a plan asks for, so that it is kept.
func (o *replaced) matches(plan, config *model) bool {
	return o.Action == actionDecide && len(replacing(&o.model, plan, config)) == 0 &&
		!slices.Contains(elements(plan.ReplaceOnStatus), o.model.Status.ValueString())
}

// takeReplaced takes a session that was offered for a planned object: of several, the one of which most was known
// while planning, because fewer other objects can take that one.
func (r *liveSession) takeReplaced(raw tftypes.Value, fits func(*replaced) bool) (*replaced, bool) {
	var values map[string]tftypes.Value
	_ = raw.As(&values)
	for unknown := range len(values) + 1 {
		if o, ok := replacedOf(r.Data).Take(offeredFor(raw, func(o *replaced) bool { return len(o.Unknown) == unknown && fits(o) })); ok {
			return o, true
		}
	}
	return nil, false
}

// offeredFor tells which of the sessions that Delete offers are for a planned object and fit.
func offeredFor(raw tftypes.Value, fits func(*replaced) bool) func(*replaced) bool {
	return func(o *replaced) bool {
		if !fits(o) { // before the digest, which takes longer
			return false
		}
		_, known := digestOf(raw, o.Unknown)
		return known == o.Known
	}
}

func anyReplaced(*replaced) bool { return true }

// change is an argument whose change replaces the session.
type change struct {
	name    string
	unknown bool                     // it may come out at apply as it was
	undo    func(plan, state *model) // plans the value of the state; nil where Terraform would refuse that
}

// replacing returns the changes that replace the session: of the arguments that the service knows,
// because it has no call to change a session, and of the version of the write-only URLs.
func replacing(state, plan, config *model) (changed []change) {
	if !state.URLsWOVersion.IsNull() && !state.URLsWOVersion.Equal(plan.URLsWOVersion) {
		changed = append(changed, change{"urls_wo_version", plan.URLsWOVersion.IsUnknown(), func(plan, state *model) { plan.URLsWOVersion = state.URLsWOVersion }})
	}
	for _, a := range arguments {
		was, is := a.value(&state.session), a.value(&plan.session)
		if a.equal(was, is) {
			continue
		}
		c := change{a.name, mayBeEqual(was, is), func(plan, state *model) {
			if !was.IsNull() { // else the value stays unknown: Terraform refuses null in its place
				a.copy(&plan.session, &state.session)
			}
		}}
		if a.twin != nil && is.IsNull() { // after an import, a value may move to the write-only argument
			twin := *a.twin(config)
			if a.equal(was, twin) {
				continue
			}
			c.unknown, c.undo = twin.IsUnknown(), nil
		}
		changed = append(changed, c)
	}
	return changed
}

// mayBeEqual reports whether a planned value that is not known, or an object with such parts, may
// come out as it was.
func mayBeEqual(was, is attr.Value) bool {
	before, _ := was.(types.Object)
	after, object := is.(types.Object)
	if !object || is.IsUnknown() {
		return is.IsUnknown()
	}
	for name, part := range after.Attributes() {
		if old := before.Attributes()[name]; !part.IsUnknown() && (old == nil || !part.Equal(old)) {
			return false
		}
	}
	return true
}

// names lists the arguments of changes in a sentence.
func names(changed []change) string {
	var list []string
	for _, c := range changed {
		list = append(list, "`"+c.name+"`")
	}
	return enumerate(list, "and")
}

// label names a session in a diagnostic.
func (m *session) label() string {
	return fmt.Sprintf("%s (%q, status %s)", m.ID.ValueString(), m.Name.ValueString(), cmp.Or(m.Status.ValueString(), "not known"))
}

// protected is the error of a plan that would do to a protected session what is given.
func protected(label, what string) diag.Diagnostic {
	return providerdata.Protected("live session", label, what)
}

// forgotten warns of a session that leaves the state and may keep running. It is empty if the last
// known status is terminal.
func (m *session) forgotten(what string) (diags diag.Diagnostics) {
	if m.ID.IsNull() || terminal(m.Status.ValueString()) {
		return nil
	}
	diags.AddWarning("The live session keeps running",
		fmt.Sprintf("Live session %s %s, but keeps running: the service has no call to stop or delete a session. "+
			"To manage it again, import this id.", m.label(), what))
	return diags
}

// mayReplace warns of a replacement that is decided at apply.
func (m *session) mayReplace(changed []change) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The live session may be replaced",
		fmt.Sprintf("The value of %s is not known yet, so this plan shows a replacement. If the value is as before, the apply keeps live session %s. "+
			"Otherwise it creates a new session and removes this one from the state without stopping it: the service has no call for that.\n\n"+
			"With `create_before_destroy` the apply creates a new session in any case. To avoid that, first apply the resource that the value comes from, "+
			"with `-target`, or set `deletion_protection = true`.",
			names(changed), m.label()))
}

// assumed warns of values that the plan of a protected session takes for unchanged.
func assumed(label string, changed []change) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The live session is assumed to be unchanged",
		fmt.Sprintf("The value of %s is not known yet. Live session %s has `deletion_protection = true`, so this plan takes the value for unchanged. "+
			"If it is not, the next plan shows it.", names(changed), label))
}

// mayBeKept warns, as the last diagnostic of a session whose Create may never run.
func (m *session) mayBeKept() diag.Diagnostic {
	return diag.NewWarningDiagnostic("The live session may be kept",
		fmt.Sprintf("The plan did not know yet whether to replace live session %s. If its arguments are as before, this apply keeps it in the state. "+
			"Otherwise, and if the apply ends before that is known, it is no longer in the state, and the service has no call to stop it. "+
			"To manage it again, add this block with the address of a resource, then apply:\n%s", m.label(), importBlock(m.ID.ValueString())))
}

// leftOut is the error for a replaced session that is in no state although it was not replaced.
func (m *session) leftOut() diag.Diagnostic {
	return diag.NewErrorDiagnostic("The live session keeps running",
		fmt.Sprintf("Live session %s was to be replaced. It is no longer in the state, but keeps running. "+
			"To manage it again, add this block with the address of a resource, then apply:\n%s", m.label(), importBlock(m.ID.ValueString())))
}

// restore returns a replaced session to the state, after the create of the new one was refused.
func (o *replaced) restore(ctx context.Context, resp *resource.CreateResponse) {
	o.model.saveCreated(ctx, &o.data, resp)
	resp.Diagnostics.AddError("The live session was not replaced",
		fmt.Sprintf("Live session %s is in the state again, as tainted, because the session that was to replace it could not be created. "+
			"The next apply tries the replacement again. To keep the session instead, run `terraform untaint` with the resource's address.", o.model.label()))
}

// keepAs ends a create without a request: the session has what the plan asks for.
func (o *replaced) keepAs(ctx context.Context, m *model, resp *resource.CreateResponse) {
	for _, a := range computed {
		a.copy(&m.session, &o.model.session)
	}
	m.dropEndpoints()
	m.saveCreated(ctx, &o.data, resp)
}
