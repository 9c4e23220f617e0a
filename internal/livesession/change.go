package livesession

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// The service has no call to change, stop or delete a session. A change of an argument that the
// service knows makes a new session in an update in place, and the state keeps the old one until
// the new one exists.

// Update creates a new session if the plan needs one, waits for one that was never ready, or
// changes only the provider's own arguments.
func (r *liveSession) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m, state, config model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	data, diags := providerdata.ReadPrivate[privateData](ctx, req.Private, privateDataKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	changed := changes(&state, &m, &config, &data)
	if len(changed) > 0 && state.DeletionProtection.ValueBool() && !data.unusable(&state, &m) {
		resp.Diagnostics.Append(protected(state.label(), "create a new session in its place because of "+names(changed)))
		return
	}
	given := m.given(&config)
	switch {
	case len(changed) > 0:
		created := r.make(ctx, &m, &given, &state, &data, &resp.Diagnostics)
		if !created {
			return
		}
		resp.Diagnostics.Append(state.leftBehind(m.ID.ValueString(), changed)...)
	case data.NotReady && !m.ready(state.Status):
		data.rememberURLs(&m, &state.session)
		if !r.waitAgain(ctx, &m, &given, &state, &data, &resp.Diagnostics) {
			return
		}
	default:
		data.rememberURLs(&m, &state.session)
		m.keep(&state)
		r.showEndpoints(ctx, &m, &state, &data, &resp.Diagnostics)
		if resp.Diagnostics.HasError() {
			return
		}
		data.NotReady = false
	}
	m.save(ctx, &data, output{&resp.State, resp.Private, resp.Identity, &resp.Diagnostics})
}

// make creates the session of a plan and waits for it, and reports whether one was created. old is
// the session in the state.
func (r *liveSession) make(ctx context.Context, m *model, given *session, old *model, data *privateData, diags *diag.Diagnostics) (ok bool) {
	limited, cancel := m.limit(ctx, diags)
	defer cancel()
	if !r.inAccount(limited, &old.session, data, diags) {
		return false
	}
	created := r.create(ctx, limited, given, old, diags)
	if created == nil {
		return false
	}
	*data = privateData{Unconfirmed: true, NotReadBy: byListing, FoundIn: r.account()}
	data.rememberURLs(m, given)
	r.settleUpdate(limited, m, given, created, data, diags)
	return true
}

// waitAgain waits for the session in the state, which an earlier update has created, and reports
// whether it was looked for.
func (r *liveSession) waitAgain(ctx context.Context, m *model, given *session, state *model, data *privateData, diags *diag.Diagnostics) (ok bool) {
	limited, cancel := m.limit(ctx, diags)
	defer cancel()
	if !r.inAccount(limited, &state.session, data, diags) {
		return false
	}
	m.keep(state)
	r.settleUpdate(limited, m, given, &api.Session{ID: state.ID.ValueString(), Status: state.Status.ValueString()}, data, diags)
	return true
}

// settleUpdate is settle for an update, after which the state has the session even if it is not
// ready.
func (r *liveSession) settleUpdate(ctx context.Context, m *model, given *session, created *api.Session, data *privateData, diags *diag.Diagnostics) {
	problem := r.settle(ctx, m, given, created, stays, data, diags)
	data.NotReady = problem != nil
	if problem != nil {
		diags.Append(problem)
	}
}

// inAccount reports whether the session in the state is in the account of the configuration. It
// asks the service only if the session was last found under another address or token id, and no
// refresh has looked for it since.
func (r *liveSession) inAccount(ctx context.Context, state *session, data *privateData, diags *diag.Diagnostics) bool {
	diags.Append(r.Data.NeedLive(typeName)...)
	if diags.HasError() || data.FoundIn == (account{}) || data.FoundIn == r.account() {
		return !diags.HasError()
	}
	id := state.ID.ValueString()
	_, err := r.Data.API.GetSession(ctx, id)
	switch {
	case api.NotFound(err):
		diags.Append(elsewhere(state, data.FoundIn, r.account(), err))
	case err != nil:
		diags.Append(providerdata.ErrorDiagnostic("Reading live session "+id, err))
	default:
		data.FoundIn = r.account()
	}
	return err == nil
}

// keep makes the session in the state the result of a plan that left computed values open.
func (m *model) keep(state *model) {
	for _, a := range computed {
		if a.value(&m.session).IsUnknown() {
			a.copy(&m.session, &state.session)
		}
	}
	m.dropEndpoints()
}

// showEndpoints reads the endpoints that the state did not have so far.
func (r *liveSession) showEndpoints(ctx context.Context, m, state *model, data *privateData, diags *diag.Diagnostics) {
	if !state.hidesEndpoints() || m.hidesEndpoints() || !r.inAccount(ctx, &state.session, data, diags) {
		return
	}
	s, err := r.Data.API.GetSession(ctx, m.ID.ValueString())
	if err != nil {
		diags.Append(providerdata.ErrorDiagnostic("Reading live session "+m.ID.ValueString(), err))
		return
	}
	m.fill(s, endpoints) // the other values were planned as they are in the state
}

// Delete stops nothing: the service has no call that stops or deletes a session.
func (r *liveSession) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m model
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	createsOf(r.Data).own(m.ID.ValueString()) // it keeps running, so no lost create of this run reports it
	if m.DeletionProtection.ValueBool() {     // of a tainted session, whose plan does not see the state, or of a client that plans no deletion
		providerdata.RefuseDelete(ctx, resp, protected(m.label(), providerdata.ReplaceOrRemove))
		return
	}
	resp.Diagnostics.Append(m.forgotten("was removed from the state")...)
}

// change is a reason to create a new session in place of the one in the state.
type change struct {
	name    string // of an argument, or `status`
	unknown bool   // it may come out at apply as it was
}

// changes returns why a plan needs a new session: arguments that the service knows, the version of
// the write-only URLs, and the status.
func changes(state, plan, config *model, data *privateData) (list []change) {
	if version := plan.URLsWOVersion; !state.URLsWOVersion.IsNull() && !version.IsNull() && !state.URLsWOVersion.Equal(version) {
		list = append(list, change{"urls_wo_version", version.IsUnknown()})
	}
	for _, a := range arguments {
		was, is := a.value(&state.session), a.value(&plan.session)
		if a.twin != nil && is.IsNull() { // the value may have moved to the write-only argument
			is = *a.twin(config)
		}
		if a.equal(was, is) || state.writeOnly(a) && plan.sameWriteOnly(a, data) {
			continue
		}
		list = append(list, change{a.name, mayBeEqual(was, is)})
	}
	ended := slices.Contains(elements(plan.ReplaceOnStatus), state.Status.ValueString())
	if ended || partlyUnknown(plan.ReplaceOnStatus) {
		list = append(list, change{"replace_on_status", !ended})
	}
	switch {
	case data.NotReady && partlyUnknown(plan.WaitForStatus):
		list = append(list, change{"wait_for_status", true})
	case data.unusable(state, plan):
		list = append(list, change{name: "status"})
	}
	return list
}

// sameWriteOnly reports whether a URL that was given by a write-only argument still is, so that
// only its version counts, or has moved to the plain argument and is the same.
func (m *model) sameWriteOnly(a attribute, data *privateData) bool {
	value, _ := a.value(&m.session).(types.String)
	return value.IsNull() || !value.IsUnknown() && data.WriteOnly[a.name] == saltedURL(data.Salt, value)
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

// decided reports whether a new session is needed whatever comes out of the unknown values.
func decided(changed []change) bool {
	return slices.ContainsFunc(changed, func(c change) bool { return !c.unknown })
}

// names lists what has changed in a sentence.
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

// ended reports whether a session is known to run no longer.
func (m *session) ended() bool { return m.ID.IsNull() || terminal(m.Status.ValueString()) }

const noStop = "The service has no call to stop or delete a session. To manage it again, import this id."

// forgotten warns of a session that leaves the state and may keep running.
func (m *session) forgotten(what string) (diags diag.Diagnostics) {
	if !m.ended() {
		diags.AddWarning("The live session keeps running", fmt.Sprintf("Live session %s %s, but keeps running. %s", m.label(), what, noStop))
	}
	return diags
}

// leftBehind warns of a session in whose place the state has a new one.
func (m *session) leftBehind(id string, changed []change) diag.Diagnostics {
	return m.forgotten(fmt.Sprintf("was replaced in the state by the new live session %s because of %s", id, names(changed)))
}

// willLeave warns, in a plan, of the new session that the apply creates, and of the one that it
// leaves running.
func (m *session) willLeave(changed []change) (diags diag.Diagnostics) {
	keeps := ""
	if !m.ended() {
		keeps = fmt.Sprintf(" Live session %s keeps running. %s", m.label(), noStop)
	}
	if decided(changed) {
		diags.AddWarning("A new live session will be created",
			fmt.Sprintf("The apply creates a new live session in place of %s because of %s, since the service has no call to change a session.%s", m.ID.ValueString(), names(changed), keeps))
		return diags
	}
	diags.AddWarning("A new live session may be created",
		fmt.Sprintf("The value of %s is not known yet. It decides at apply whether live session %s is kept, or a new one is created in its place.%s\n\n"+
			"To know before, first apply the resource that the value comes from, with `-target`. While the state has `deletion_protection = true`, the apply creates no new session.",
			names(changed), m.ID.ValueString(), strings.Replace(keeps, " Live session", " In that case, live session", 1)))
	return diags
}
