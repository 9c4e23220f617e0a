package livesession

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const statusTypeName = "vodlive_live_session_status"

// NewStatusResource returns the resource vodlive_live_session_status.
func NewStatusResource() resource.Resource {
	return &sessionStatus{providerdata.Resource{TypeName: statusTypeName}}
}

// sessionStatus is the resource that waits for many sessions at once. It has no counterpart at the
// service: Read keeps the state, and Delete drops it.
type sessionStatus struct{ providerdata.Resource }

var (
	_ resource.ResourceWithModifyPlan  = (*sessionStatus)(nil)
	_ resource.ResourceWithImportState = (*sessionStatus)(nil)
)

type statusModel struct {
	SessionIDs    types.Set      `tfsdk:"session_ids"`
	WaitForStatus types.Set      `tfsdk:"wait_for_status"`
	Triggers      types.Map      `tfsdk:"triggers"`
	IncludeURLs   types.Bool     `tfsdk:"include_urls"`
	Sessions      types.Map      `tfsdk:"sessions"`
	URLs          types.Map      `tfsdk:"urls"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`
}

func (r *sessionStatus) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	const limit = ", as a duration such as `\"90s\"` or `\"1h30m\"`. Default: `\"20m\"`."
	resp.Schema = schema.Schema{
		MarkdownDescription: "Waits until all given live sessions reach a status, for example `READY`, and exports them as they are then. " +
			"One listing of the account reads all of them, so that the wait for 50 sessions takes no longer than the wait for one: create the sessions with `wait_for_status = []`.\n\n" +
			"The resource waits when it is created. When `session_ids` changes, it waits only for the new ids: a session that it has waited for may have ended since. " +
			"When `wait_for_status` or `triggers` change, it waits again for all. " +
			"A refresh makes no request and changes nothing. Destroying the resource only removes it from the state.",
		Attributes: map[string]schema.Attribute{
			"session_ids": schema.SetAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Ids of the sessions to wait for. With an empty set, the resource waits for nothing and makes no request. Neither does it when ids are removed.",
				Validators:          []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(sessionID)},
			},
			"wait_for_status": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Statuses to wait for: all sessions must have one of them at the same time, so name the statuses that follow, too. Default: `[\"READY\", \"SCHEDULED\"]`. " +
					"A session in status `ERROR`, `TERMINATED`, `STOPPED` or `CANCELLED` ends the wait with an error unless its status is in the set.",
				Validators: append(statusSet(), setvalidator.SizeAtLeast(1)),
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Any strings. A change waits again for all sessions.",
			},
			"include_urls": includeURLs("`urls`"),
			"sessions": schema.MapAttribute{
				Computed: true, ElementType: objectType(withoutURLs),
				MarkdownDescription: "The sessions by id, with every field of the resource `vodlive_live_session` that the service knows, but the URLs, as they were when the wait ended.",
			},
			"urls": urlsAttribute("The URLs of the sessions by id, with `include_urls = true`; null otherwise. " +
				"The endpoints are in the state even if a session has `endpoints_in_state = false`. " +
				"Sources and destinations are null: they may be write-only arguments of a session, which no state has."),
			"timeouts": providerdata.Timeouts(ctx, timeouts.Opts{
				Create: true, CreateDescription: "Time limit for the wait when the resource is created" + limit,
				Update: true, UpdateDescription: "Time limit for the wait after a change" + limit,
			}),
		},
	}
}

// ImportState says why there is nothing to import.
func (r *sessionStatus) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("A wait cannot be imported",
		"`vodlive_live_session_status` is a wait, which the service does not know, so there is nothing to import. Remove the import and apply: "+
			"the resource is created, and waits until the sessions of `session_ids` have a status of `wait_for_status`. To import a session, use `vodlive_live_session`.")
}

// ModifyPlan plans the sessions of the state if the change asks for no wait and no listing.
func (r *sessionStatus) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	if r.Data != nil {
		resp.Diagnostics.Append(r.Data.NeedLive(statusTypeName)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	var plan statusModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if plan.withoutURLs() {
		plan.URLs = types.MapNull(objectType(onlyURLs))
	}
	if !req.State.Raw.IsNull() {
		var state statusModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		plan.keep(&state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

func (m *statusModel) withoutURLs() bool {
	return !m.IncludeURLs.IsUnknown() && !m.IncludeURLs.ValueBool()
}

// waitedFor returns the sessions of the state for which the plan does not wait again, nil if it
// waits for all.
func (m *statusModel) waitedFor(state *statusModel) map[string]attr.Value {
	if state == nil || partlyUnknown(m.WaitForStatus) || !providerdata.SameTriggers(state.Triggers, m.Triggers) ||
		!slices.Equal(waitStatuses(state.WaitForStatus), waitStatuses(m.WaitForStatus)) { // the default may be written out
		return nil
	}
	return state.Sessions.Elements()
}

// keep sets what the state has of the sessions and the URLs, if it has all of them.
func (m *statusModel) keep(state *statusModel) {
	if sessions, all := m.of(m.waitedFor(state)); all {
		m.Sessions = types.MapValueMust(objectType(withoutURLs), sessions)
	}
	if urls, all := m.of(state.URLs.Elements()); all && !m.Sessions.IsUnknown() && m.IncludeURLs.ValueBool() {
		m.URLs = types.MapValueMust(objectType(onlyURLs), urls)
	}
}

// of returns the values of known for `session_ids`, and whether it has all of them.
func (m *statusModel) of(known map[string]attr.Value) (values map[string]attr.Value, all bool) {
	values, all = map[string]attr.Value{}, known != nil && !m.SessionIDs.IsUnknown()
	for _, e := range m.SessionIDs.Elements() {
		id, _ := e.(types.String)
		value, found := known[id.ValueString()]
		if all = all && found; found {
			values[id.ValueString()] = value
		}
	}
	return values, all
}

func (r *sessionStatus) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m statusModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	r.apply(ctx, "create", &m, nil, &resp.State, &resp.Diagnostics)
}

func (r *sessionStatus) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m, before statusModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &before)...)
	r.apply(ctx, "update", &m, &before, &resp.State, &resp.Diagnostics)
}

// Read keeps the state: it shows the sessions as they were when the wait ended.
func (r *sessionStatus) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Delete makes no request: the sessions belong to other resources.
func (r *sessionStatus) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// apply waits for the sessions, unless the plan has them from the state, and sets the state. before
// is the state, nil without one.
func (r *sessionStatus) apply(ctx context.Context, operation string, m, before *statusModel, state *tfsdk.State, diags *diag.Diagnostics) {
	diags.Append(r.Data.NeedLive(statusTypeName)...)
	limitOf := m.Timeouts.Create
	if operation == "update" {
		limitOf = m.Timeouts.Update
	}
	limit, d := limitOf(ctx, defaultTimeout)
	diags.Append(d...)
	if (m.Sessions.IsUnknown() || m.URLs.IsUnknown()) && !diags.HasError() {
		limited, cancel := providerdata.WithLimit(ctx, limit, operation)
		defer cancel()
		if problem := r.wait(limited, operation, m, before); problem != nil {
			diags.Append(problem)
		}
	}
	if !diags.HasError() {
		diags.Append(state.Set(ctx, m)...)
	}
}

// wait waits for the sessions that the state does not have, and sets m.Sessions and m.URLs. The
// same listing shows the URLs that the state lacks of other sessions, whose status does not count.
func (r *sessionStatus) wait(ctx context.Context, operation string, m, before *statusModel) diag.Diagnostic {
	sessions, _ := m.of(m.waitedFor(before))
	urls := map[string]attr.Value{}
	if before != nil && len(sessions) > 0 {
		urls, _ = m.of(before.URLs.Elements())
	}
	w := watch{want: waitStatuses(m.WaitForStatus), growth: 8}
	var lacking []string // in the order of their ids, as those of a set are
	for _, id := range elements(m.SessionIDs) {
		if sessions[id] == nil {
			w.ids = append(w.ids, id)
		}
		if sessions[id] == nil || urls[id] == nil && m.IncludeURLs.ValueBool() {
			lacking = append(lacking, id)
		}
	}
	if len(lacking) > 0 {
		w.look = r.list(lacking)
		if problem := w.problem(w.wait(ctx), operation); problem != nil {
			return problem
		}
	}
	for _, id := range lacking {
		session, shown := exported(w.shown[id])
		if urls[id] = shown; sessions[id] == nil {
			sessions[id] = session
		}
	}
	m.Sessions, m.URLs = types.MapValueMust(objectType(withoutURLs), sessions), types.MapNull(objectType(onlyURLs))
	if m.IncludeURLs.ValueBool() {
		m.URLs = types.MapValueMust(objectType(onlyURLs), urls)
	}
	return nil
}

// exported returns a session as it is in `sessions` and in `urls`.
func exported(s api.Session) (session, urls types.Object) {
	shown := unset(attributes)
	shown.fill(s, attributes)
	shown.clear(twins) // they may be write-only in the session's resource
	return shown.only(withoutURLs), shown.only(onlyURLs)
}

// list returns how a watch looks: it lists the account until it has shown all sessions.
func (r *sessionStatus) list(ids []string) func(context.Context, time.Duration) (map[string]api.Session, time.Time, error) {
	var asked time.Time // when the last listing began
	return func(ctx context.Context, pause time.Duration) (map[string]api.Session, time.Time, error) {
		if !asked.IsZero() && retry.Sleep(ctx, pause) != nil {
			return nil, asked, ctx.Err()
		}
		asked = time.Now()
		shown := map[string]api.Session{}
		for s, err := range r.Data.Sessions.All(ctx) {
			if err != nil {
				return nil, asked, err
			}
			if _, found := slices.BinarySearch(ids, s.ID()); found {
				shown[s.ID()] = s
			}
			if len(shown) == len(ids) {
				break
			}
		}
		return shown, asked, nil
	}
}

// problem is the error of a wait for many sessions, nil if they are ready. operation is
// the one whose time limit ends the wait.
func (w *watch) problem(result waitResult, operation string) diag.Diagnostic {
	rest := w.rest(slices.Concat(w.waiting, w.missing))
	again := strings.TrimSpace(rest) + "\n\nThe next apply waits again."
	switch result {
	case ready:
		return nil
	case failed:
		return providerdata.ErrorDiagnostic("Listing the live sessions", w.err)
	case over:
		return diag.NewErrorDiagnostic("Live sessions ended in another status",
			fmt.Sprintf("%d of %s ended in a final status that is not in `wait_for_status` (%s):\n%s\n\n"+
				"To create a session in its place, run `terraform apply -replace` with the address of its resource. To accept the status, add it to `wait_for_status`.%s",
				len(w.ended), count(len(w.ids)), enumerate(w.want, "or"), providerdata.List(w.describe(w.ended)), rest))
	case notShown:
		return diag.NewAttributeErrorDiagnostic(path.Root("session_ids"), "Live sessions are not listed",
			fmt.Sprintf("For %s, the listing of the account has not shown %s of `session_ids`:\n%s\n\n"+
				"Check the ids, and that `base_url` and the credentials belong to the account that has the sessions.",
				seconds(time.Since(w.lacking)), count(len(w.missing)), providerdata.List(w.describe(w.missing))))
	case interrupted:
		return diag.NewErrorDiagnostic("Waiting for the live sessions was interrupted", again)
	case timedOut:
	}
	detail := fmt.Sprintf("The time limit in `timeouts` ended after %s. %s", w.took.Round(time.Second), again)
	if w.err != nil {
		detail += "\n\nThe last listing failed: " + providerdata.Reason(w.err)
	}
	return diag.NewErrorDiagnostic("The live sessions were not ready in time", detail+"\n\n"+strings.TrimSpace(remedy(w.want, operation)))
}

// rest lists the sessions that had no wanted status yet, "" for none.
func (w *watch) rest(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("\n\n%s had no status of `wait_for_status` (%s) yet:\n%s", count(len(ids)), enumerate(w.want, "or"), providerdata.List(w.describe(ids)))
}
