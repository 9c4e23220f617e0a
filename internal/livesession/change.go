package livesession

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// The service has no call to change, stop or delete a session. A change of an argument that the
// service knows makes a new session in an update in place, and the state keeps the old one until
// the new one exists.

// Update creates a new session if the plan needs one, waits for one that was never ready, or
// changes only the provider's own arguments. If it fails, the state keeps the session that it has.
func (r *liveSession) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	m := get(ctx, req.Plan, &resp.Diagnostics)
	state := get(ctx, req.State, &resp.Diagnostics)
	config := get(ctx, req.Config, &resp.Diagnostics)
	data := readPrivate(ctx, req.Private, state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	changed := changes(state, m, config, &data)
	if len(changed) > 0 && providerdata.ProtectsChange(state.flag("deletion_protection"), m.flag("deletion_protection")) && !data.unusable(state, m) {
		resp.Diagnostics.Append(protectedChange(state.label(), changed))
		return
	}
	if len(changed) > 0 && data.Imported {
		resp.Diagnostics.Append(importDiffers(state, m, changed))
		return
	}
	data.Imported = false
	given := m.given(config)
	data.own(r.Data)
	ok := true
	switch {
	case len(changed) > 0:
		if ok = r.move(ctx, m, given, state, &data, &resp.Diagnostics); ok {
			resp.Diagnostics.Append(state.leftBehind(m.text("id"), changed)...)
		}
	case data.waitsFor(state) && !m.ready(state.str("status")):
		ok = r.waitAgain(ctx, m, given, state, &data, &resp.Diagnostics)
	default:
		m.keep(state)
		r.showEndpoints(ctx, m, state, &data, &resp.Diagnostics)
		if resp.Diagnostics.HasError() {
			return
		}
		if data.waitsFor(state) {
			data.Waiting = nil
		}
	}
	if !ok {
		resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privateDataKey, data)...)
		return
	}
	m.save(ctx, &data, output{&resp.State, resp.Private, resp.Identity, &resp.Diagnostics})
}

// move makes the session of a plan that of m, and reports whether it can be used: the one that an
// earlier update made with the same arguments, or a new one. old is the session in the state.
func (r *liveSession) move(ctx context.Context, m values, given values, old values, data *privateData, diags *diag.Diagnostics) (ok bool) {
	limited, cancel := m.limit(ctx, "update", diags)
	defer cancel()
	if !r.inAccount(limited, old, data, diags) {
		return false
	}
	next := privateData{Unconfirmed: true, FoundIn: r.account()}
	if data.waitsFor(old) && old.ended() {
		data.Waiting = nil
	}
	var created api.Session
	if data.continues(old, m, given) {
		var failed bool
		if created, failed = r.readOnItsWay(limited, m, data, diags); failed {
			return false
		}
	}
	if created == nil {
		if created = r.create(ctx, limited, m, given, old, diags); created == nil {
			return false
		}
		data.leave()
		data.Waiting = &made{ID: created.ID(), Name: m.text("name"), Status: created.Status(), Arguments: data.digest(given)}
	}
	stopped := r.settle(limited, m, given, created, m.afterUpdate(old), &next, diags)
	if stopped == nil {
		if data.Waiting.ID == created.ID() {
			data.Waiting = nil
		}
		data.leave()
		next.Left = data.Left
		*data = next
		return true
	}
	data.Waiting.Status = m.text("status")
	if stopped.result == over {
		data.Waiting = nil
	}
	diags.Append(stopped.Diagnostic)
	return false
}

// readOnItsWay reads the session that an earlier update made and did not see ready. It is nil,
// without a failure, if that has ended or is gone.
func (r *liveSession) readOnItsWay(ctx context.Context, m values, data *privateData, diags *diag.Diagnostics) (s api.Session, failed bool) {
	s, err := r.readEarlier(ctx, data.Waiting.ID, time.Time{})
	switch {
	case err != nil && !api.NotFound(err):
		diags.Append(unreadableEarlier(data.Waiting.label(), err))
		return nil, true
	case s == nil, terminal(s.Status()) && !m.ready(types.StringValue(s.Status())):
		data.Waiting = nil
		return nil, false
	}
	return s, false
}

// waitAgain waits for the session in the state, and reports whether the state is to have what was
// seen of it: if it became ready, and if the run was interrupted.
func (r *liveSession) waitAgain(ctx context.Context, m values, given values, state values, data *privateData, diags *diag.Diagnostics) (ok bool) {
	limited, cancel := m.limit(ctx, "update", diags)
	defer cancel()
	if !r.inAccount(limited, state, data, diags) {
		return false
	}
	m.keep(state)
	stopped := r.settle(limited, m, given, api.Session{"id": state.text("id"), "status": state.text("status")}, m.afterUpdate(nil), data, diags)
	switch {
	case stopped == nil:
		data.Waiting = nil
		return true
	case stopped.result == interrupted:
		diags.Append(stopped.warning())
		return true
	}
	diags.Append(stopped.Diagnostic)
	return false
}

// inAccount reports whether the session in the state is in the account of the configuration. It
// asks the service only if the session was last found under another address or token id, and no
// refresh has looked for it since.
func (r *liveSession) inAccount(ctx context.Context, state values, data *privateData, diags *diag.Diagnostics) bool {
	diags.Append(r.Data.NeedLive(typeName)...)
	if diags.HasError() || data.FoundIn == (account{}) || data.FoundIn == r.account() {
		return !diags.HasError()
	}
	id := state.text("id")
	_, err := r.Data.API.GetSession(ctx, id)
	switch {
	case api.NotFound(err):
		diags.Append(elsewhere(state, data.FoundIn, r.account(), err))
	case err != nil:
		diags.Append(providerdata.ErrorDiagnostic("Reading the live session", err))
	default:
		data.FoundIn = r.account()
	}
	return err == nil
}

// keep makes the session in the state the result of a plan that left computed values open.
func (m values) keep(state values) {
	for _, a := range computed {
		if m[a.Name].IsUnknown() {
			m[a.Name] = state[a.Name]
		}
	}
	m.dropEndpoints()
}

// showEndpoints reads the endpoints that the state did not have so far.
func (r *liveSession) showEndpoints(ctx context.Context, m, state values, data *privateData, diags *diag.Diagnostics) {
	if !state.hidesEndpoints() || m.hidesEndpoints() || !r.inAccount(ctx, state, data, diags) {
		return
	}
	s, err := r.Data.API.GetSession(ctx, m.text("id"))
	if err != nil {
		diags.Append(providerdata.ErrorDiagnostic("Reading the live session", err))
		return
	}
	m.fill(s, endpoints) // the other values were planned as they are in the state
}

// Delete stops nothing: the service has no call that stops or deletes a session.
func (r *liveSession) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	m := get(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	data := readPrivate(ctx, req.Private, m, &resp.Diagnostics)
	if data.protected(m, m) { // a tainted session, whose plan does not see the state, or the client plans no deletion
		providerdata.RefuseDelete(ctx, resp, protected(m.label(), providerdata.ReplaceOrRemove))
		return
	}
	note, diags := providerdata.ReadPlanNote(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	// Without a status, no GET has shown it.
	unready := m.str("status").IsNull() || !ending(m.text("status")) && !m.ready(m.str("status"))
	limited, cancel := m.limit(ctx, "create", &resp.Diagnostics)
	defer cancel()
	if data.FoundIn != (account{}) && !data.waitsFor(m) { // it was ready; that of a tainted session is not known
		unready = false
	}
	refusing := r.Data.Ledger.Lines(ctx, note.Earlier)
	var goesOn, left bool
	var d diag.Diagnostic
	if note.Create { // what refuses the Create must not cost the session in the state
		if refused := r.refusesCreate(limited, note); refused.HasError() {
			providerdata.RefuseDelete(ctx, resp, refused...)
			return
		}
		if goesOn, d = r.goesOn(limited, m, &data); goesOn {
			refusing = slices.DeleteFunc(refusing, func(line *resume.Line) bool { return line.Made() != nil && line.Made().ID == data.Waiting.ID })
		}
		if d == nil && unready && !m.ended() {
			left, d = r.leave(ctx, limited, m, refusing)
		}
		if d == nil && !left {
			d = r.madeEarlier(ctx, limited, m, m, m, refusing...)
		}
		if d != nil {
			providerdata.RefuseDelete(ctx, resp, d)
			return
		}
	}
	if left {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Live session %s is on its way", m.title()),
			fmt.Sprintf("Live session %s was removed from the state before it could be used. A create with the same arguments waits for it, and creates no other session unless it has ended. "+
				"With other arguments, it %s. %s", m.label(), m.goesOn(), noStop))
	} else {
		resp.Diagnostics.Append(m.forgotten("was removed from the state")...)
	}
	if goesOn {
		providerdata.Shared[onWay](r.Data).leave(data)
		resp.Diagnostics.Append(data.Waiting.handedOver()...)
	}
	resp.Diagnostics.Append(warnOthers(data.others(m, goesOn), forgottenToo)...)
}

// refusesCreate returns why the Create of a replacement would fail before its request.
func (r *liveSession) refusesCreate(ctx context.Context, note providerdata.PlanNote) diag.Diagnostics {
	diags := r.Data.NeedLive(typeName)
	if !note.Until.IsZero() && !note.Until.After(time.Now()) {
		diags.AddAttributeError(path.Root("scheduled_at"), "scheduled_at is in the past",
			fmt.Sprintf("The new session was to start at %s. A new session needs a start in the future, so nothing was replaced and the state is as it was.", utc(note.Until)))
	}
	if note.Region != "" { // else it was not known while planning
		r.planRegion(ctx, types.StringValue(note.Region), &diags)
	}
	return diags
}

// change is a reason to create a new session in place of the one in the state.
type change struct {
	name    string // of an argument, or `status`
	unknown bool   // it may come out at apply as it was
}

// changes returns why a plan needs a new session: arguments that the service knows, the version of
// the write-only URLs, which alone says whether these change, and the status.
func changes(state, plan, config values, data *privateData) (list []change) {
	if was, is := state[versionName], plan[versionName]; !was.IsNull() && !is.IsNull() && !was.Equal(is) {
		list = append(list, change{versionName, is.IsUnknown()})
	}
	for _, a := range arguments {
		was, is := state[a.Name], plan[a.Name]
		if a.HasTwin() && is.IsNull() { // it may have moved to the write-only argument
			is = config[a.twin()]
		}
		if a.equal(was, is) || state.writeOnly(a) {
			continue
		}
		list = append(list, change{a.Name, mayBeEqual(was, is)})
	}
	ended := slices.Contains(elements(plan.set("replace_on_status")), state.text("status"))
	if ended || partlyUnknown(plan.set("replace_on_status")) {
		list = append(list, change{"replace_on_status", !ended})
	}
	switch {
	case data.waitsFor(state) && partlyUnknown(plan.set("wait_for_status")):
		list = append(list, change{"wait_for_status", true})
	case data.unusable(state, plan):
		list = append(list, change{name: "status"})
	}
	return list
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

// importDiffers is the error of a plan that imports a session and has other arguments than it: a
// new session would run beside it.
func importDiffers(state, plan values, changed []change) diag.Diagnostic {
	var lines []string
	for _, c := range changed {
		i := slices.IndexFunc(arguments, func(a attribute) bool { return a.Name == c.name })
		switch {
		case c.name == "replace_on_status":
			lines = append(lines, fmt.Sprintf("`replace_on_status` has %s, the status of the session: remove it until the session is imported", state.text("status")))
		case i < 0:
			lines = append(lines, "`"+c.name+"`")
		case arguments[i].sensitive():
			lines = append(lines, "`"+c.name+"` (sensitive, so not shown)")
		default:
			lines = append(lines, fmt.Sprintf("`%s`: the session has %s, the configuration %s", c.name, state[c.name], plan[c.name]))
		}
	}
	return diag.NewErrorDiagnostic("The imported live session differs from the configuration",
		fmt.Sprintf("Live session %s is imported in this plan, or no plan has refreshed it since its import, and the configuration has other arguments. The service cannot change a session, so the apply would create a new one, "+
			"and the imported one would be in no state:\n%s\n\nWrite the values of the session, and plan again. To create a new session in its place, change the configuration after the import.",
			state.label(), providerdata.List(lines)))
}

// label names a session in a diagnostic.
func (m values) label() string {
	return label(m.text("id"), m.text("name"), m.text("status"))
}

func label(id, name, status string) string {
	return fmt.Sprintf("%s (%q, status %s)", id, name, cmp.Or(status, "not known"))
}

// protected is the error of a plan that would do to a protected session what is given.
func protected(label, what string) diag.Diagnostic {
	return providerdata.Protected("live session", label, what)
}

// protectedChange is the error of a change in place of a protected session.
func protectedChange(label string, changed []change) diag.Diagnostic {
	return providerdata.ProtectedChange("live session", label, "create a new session in its place because of "+names(changed))
}

// ended reports whether a session is known to run no longer.
func (m values) ended() bool { return m.str("id").IsNull() || terminal(m.text("status")) }

const noStop = "The service has no call to stop or delete a session. To manage it again, import this id."

// goesOn says what a session that no state has any longer does.
func (m values) goesOn() string {
	if m.text("status") != statusScheduled || m.text("scheduled_at") == "" {
		return "keeps running"
	}
	return fmt.Sprintf("stays scheduled for %s (%s) and will run then", m.text("scheduled_at"), m.text("timezone"))
}

// title names a session in the first line of a diagnostic: Terraform folds warnings whose first
// lines are equal.
func (m values) title() string { return title(m.text("id"), m.text("name")) }

func title(id, name string) string { return fmt.Sprintf("%s (%q)", id, name) }

// forgotten warns of a session that leaves the state and may keep running.
func (m values) forgotten(what string) (diags diag.Diagnostics) {
	if !m.ended() {
		diags.AddWarning(fmt.Sprintf("Live session %s keeps running", m.title()), fmt.Sprintf("Live session %s %s, but %s. %s", m.label(), what, m.goesOn(), noStop))
	}
	return diags
}

// leftBehind warns of a session in whose place the state has a new one.
func (m values) leftBehind(id string, changed []change) diag.Diagnostics {
	return m.forgotten(fmt.Sprintf("was replaced in the state by the new live session %s because of %s", id, names(changed)))
}

const forPolicies = " Unless the plan replaces the resource, the change is an update with `change.after_unknown.id` in its JSON; policies that count deletes and replacements do not see it."

// willLeave warns, in a plan, of the new session that the apply creates, and of the one that it
// leaves running.
func (m values) willLeave(changed []change) (diags diag.Diagnostics) {
	keeps := ""
	if !m.ended() {
		keeps = fmt.Sprintf(" Live session %s %s. %s", m.label(), m.goesOn(), noStop)
	}
	if decided(changed) {
		diags.AddWarning("A new live session will be created in place of "+m.title(),
			fmt.Sprintf("The apply creates a new live session in place of %s because of %s, since the service has no call to change a session.%s%s",
				m.text("id"), names(changed), keeps, forPolicies))
		return diags
	}
	diags.AddWarning("A new live session may be created in place of "+m.title(),
		fmt.Sprintf("The value of %s is not known yet. It decides at apply whether live session %s is kept, or a new one is created in its place.%s%s\n\n"+
			"To know before, first apply the resource that the value comes from, with `-target`. With `deletion_protection = true` in state and configuration, the apply creates no new session.",
			names(changed), m.text("id"), strings.Replace(keeps, " Live session", " In that case, live session", 1), forPolicies))
	return diags
}
