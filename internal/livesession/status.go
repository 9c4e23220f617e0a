package livesession

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
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
	"github.com/hashicorp/terraform-plugin-log/tflog"

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
			"The resource waits when it is created. When `session_ids` changes, it waits, in place, only for the new ids: a session that it has waited for may have ended since. " +
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
				MarkdownDescription: "Statuses to wait for: each session must have one of them. Default: `[\"READY\", \"SCHEDULED\"]`. " +
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
	if state == nil || !state.WaitForStatus.Equal(m.WaitForStatus) || !providerdata.SameTriggers(state.Triggers, m.Triggers) {
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
	limit, diags := m.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	r.apply(ctx, &m, nil, limit, &resp.State, &resp.Diagnostics)
}

func (r *sessionStatus) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m, before statusModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &before)...)
	limit, diags := m.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	r.apply(ctx, &m, &before, limit, &resp.State, &resp.Diagnostics)
}

// Read keeps the state: it shows the sessions as they were when the wait ended.
func (r *sessionStatus) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Delete makes no request: the sessions belong to other resources.
func (r *sessionStatus) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// apply waits for the sessions, unless the plan has them from the state, and sets the state. before
// is the state, nil without one.
func (r *sessionStatus) apply(ctx context.Context, m, before *statusModel, limit time.Duration, state *tfsdk.State, diags *diag.Diagnostics) {
	diags.Append(r.Data.NeedLive(statusTypeName)...)
	if (m.Sessions.IsUnknown() || m.URLs.IsUnknown()) && !diags.HasError() {
		limited, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
		defer cancel()
		if problem := r.wait(limited, m, before); problem != nil {
			diags.Append(problem)
		}
	}
	if !diags.HasError() {
		diags.Append(state.Set(ctx, m)...)
	}
}

// wait waits for the sessions that the state does not have, and sets m.Sessions and m.URLs.
func (r *sessionStatus) wait(ctx context.Context, m, before *statusModel) diag.Diagnostic {
	sessions, _ := m.of(m.waitedFor(before))
	urls := map[string]attr.Value{}
	if before != nil && len(sessions) > 0 {
		urls, _ = m.of(before.URLs.Elements())
	}
	g := group{list: r.Data.Sessions.All, want: waitStatuses(m.WaitForStatus), operation: "create"}
	if before != nil {
		g.operation = "update"
	}
	var lacking group // URLs of sessions that are not waited for
	lacking.list = g.list
	for _, id := range elements(m.SessionIDs) {
		if sessions[id] == nil {
			g.ids = append(g.ids, id)
		} else if urls[id] == nil && m.IncludeURLs.ValueBool() {
			lacking.ids = append(lacking.ids, id)
			urls[id] = unset(onlyURLs).object()
		}
	}
	if problem := g.wait(ctx); problem != nil {
		return problem
	}
	if err := lacking.read(ctx); err != nil {
		return providerdata.ErrorDiagnostic("Listing the live sessions", err)
	}
	for _, s := range g.shown {
		sessions[s.ID()], urls[s.ID()] = exported(s)
	}
	for _, s := range lacking.shown {
		_, urls[s.ID()] = exported(s)
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

type group struct {
	list func(context.Context) iter.Seq2[api.Session, error]
	ids  []string
	want []string

	operation string // whose time limit ends the wait

	shown map[string]api.Session // by id, from the last listing that did not fail
}

// wait lists the sessions until each has one of the wanted statuses. Each pause is an eighth of
// the time waited so far, from 1 s to 15 s, and no shorter than the listing before it, because the
// listing of a large account takes many calls. Like the wait for one session, it continues on
// unknown statuses and on transient failures.
func (g *group) wait(ctx context.Context) diag.Diagnostic {
	if len(g.ids) == 0 {
		return nil
	}
	start := time.Now()
	var (
		lastErr      error     // the failure of the last listing; nil after a success
		missingSince time.Time // the end of the first listing since when one of them is missing; zero: none is
	)
	for {
		begun := time.Now()
		err := g.read(ctx)
		ended, waiting, missing := g.sorted()
		switch {
		case len(missing) == 0:
			missingSince = time.Time{}
		case err == nil && missingSince.IsZero():
			missingSince = time.Now()
		}
		tflog.Info(ctx, "Waiting for live sessions", map[string]any{
			"sessions": len(g.ids), "waiting_for": enumerate(g.want, "or"), "not_yet": len(waiting) + len(missing),
			"elapsed": time.Since(start).Round(time.Second).String(),
		})
		switch {
		case ctx.Err() != nil:
			return g.stopped(ctx, time.Since(start), lastErr)
		case err != nil && !transient(err):
			return providerdata.ErrorDiagnostic("Listing the live sessions", err)
		case len(ended) > 0:
			return diag.NewErrorDiagnostic("Live sessions ended in another status",
				fmt.Sprintf("%d of %s ended in a final status that is not in `wait_for_status` (%s):%s\n\n"+
					"To create a session in its place, run `terraform apply -replace` with the address of its resource. To accept the status, add it to `wait_for_status`.%s",
					len(ended), count(len(g.ids)), enumerate(g.want, "or"), g.lines(ended), g.rest(slices.Concat(waiting, missing))))
		case err == nil && len(waiting)+len(missing) == 0:
			return nil
		case err == nil && len(missing) > 0 && begun.Sub(missingSince) >= appearWithin:
			return diag.NewAttributeErrorDiagnostic(path.Root("session_ids"), "Live sessions are not listed",
				fmt.Sprintf("For %s, the listing of the account has not shown %s of `session_ids`:%s\n\n"+
					"Check the ids, and that `base_url` and the credentials belong to the account that has the sessions.",
					seconds(time.Since(missingSince)), count(len(missing)), g.lines(missing)))
		}
		lastErr = err
		interval := max(pollFirst, min(time.Since(start)/8, pollLast), time.Since(begun))
		if retry.Sleep(ctx, interval) != nil {
			return g.stopped(ctx, time.Since(start), lastErr)
		}
	}
}

// read lists the account until it has shown all sessions. Of none, it makes no request.
func (g *group) read(ctx context.Context) error {
	if len(g.ids) == 0 {
		return nil
	}
	shown := map[string]api.Session{}
	for s, err := range g.list(ctx) {
		if err != nil {
			return err
		}
		if _, asked := slices.BinarySearch(g.ids, s.ID()); asked {
			shown[s.ID()] = s
		}
		if len(shown) == len(g.ids) {
			break
		}
	}
	g.shown = shown
	return nil
}

// sorted returns the ids of sessions without a wanted status: those in a final status, those in
// another one, and those that the listing did not show.
func (g *group) sorted() (ended, waiting, missing []string) {
	for _, id := range g.ids {
		s := g.shown[id]
		switch {
		case s == nil:
			missing = append(missing, id)
		case slices.Contains(g.want, s.Status()):
		case terminal(s.Status()):
			ended = append(ended, id)
		default:
			waiting = append(waiting, id)
		}
	}
	return ended, waiting, missing
}

// stopped says that the time limit or an interrupt ended the wait. lastErr is the failure of the
// last listing, nil if it did not fail.
func (g *group) stopped(ctx context.Context, after time.Duration, lastErr error) diag.Diagnostic {
	_, waiting, missing := g.sorted()
	detail := strings.TrimSpace(g.rest(slices.Concat(waiting, missing))) + "\n\nThe sessions keep running. The next apply waits again."
	if !errors.Is(context.Cause(ctx), errTimeout) {
		return diag.NewErrorDiagnostic("Waiting for the live sessions was interrupted", detail)
	}
	detail = fmt.Sprintf("The time limit in `timeouts` ended after %s. ", after.Round(time.Second)) + detail
	if lastErr != nil {
		detail += "\n\nThe last listing failed: " + providerdata.ErrorText(lastErr)
	}
	detail += "\n\n" + strings.TrimSpace(remedy(g.want, g.operation))
	return diag.NewErrorDiagnostic("The live sessions were not ready in time", detail)
}

// rest lists the sessions that had no wanted status yet, "" for none.
func (g *group) rest(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("\n\n%s had no status of `wait_for_status` (%s) yet:%s", count(len(ids)), enumerate(g.want, "or"), g.lines(ids))
}

// lines has a line for each session, after a line break.
func (g *group) lines(ids []string) string {
	var lines []string
	for _, id := range ids {
		if s := g.shown[id]; s != nil {
			lines = append(lines, fmt.Sprintf("%s (%q, status %s)", id, s.Name(), cmp.Or(s.Status(), "not known")))
		} else {
			lines = append(lines, id+" (not listed)")
		}
	}
	return "\n" + providerdata.List(lines)
}
