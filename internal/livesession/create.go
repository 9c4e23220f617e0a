package livesession

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// Create creates a session, waits for it and reads the values that only the listing has. A failure
// after the session was created leaves it in the state as tainted.
func (r *liveSession) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	m := get(ctx, req.Plan, &resp.Diagnostics)
	config := get(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.Data.NeedLive(typeName)...)
	limited, cancel := m.limit(ctx, "create", &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(providerdata.PlanNote{}.Write(ctx, resp.Private)...) // a client may delete without a plan
	given := m.given(config)
	created := r.left(limited, m, &resp.Diagnostics)
	if created == nil && !resp.Diagnostics.HasError() {
		created = r.handed(limited, m, given, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if created == nil {
		created = r.create(ctx, limited, m, given, nil, &resp.Diagnostics)
	}
	if created == nil {
		return
	}
	data := privateData{Unconfirmed: true, FoundIn: r.account()}
	if stopped := r.settle(limited, m, given, created, m.afterCreate(), &data, &resp.Diagnostics); stopped != nil {
		if stopped.result != over {
			data.Waiting = &made{ID: m.text("id"), Name: m.text("name"), Status: m.text("status"), Failed: stopped.result != interrupted}
		}
		if stopped.result == interrupted {
			resp.Diagnostics.Append(stopped.warning())
		} else {
			resp.Diagnostics.Append(stopped.Diagnostic)
			m["deletion_protection"] = types.BoolNull() // so that the next apply can replace the tainted session
		}
		if m.ready(m.str("status")) { // by what the create returned: no GET has shown it
			m["status"] = types.StringNull()
		}
	}
	m.save(ctx, &data, output{&resp.State, resp.Private, resp.Identity, &resp.Diagnostics})
}

// limit limits ctx to the time that an operation may take.
func (m values) limit(ctx context.Context, operation string, diags *diag.Diagnostics) (context.Context, context.CancelFunc) {
	given, _ := m["timeouts"].(timeouts.Value)
	limitOf := given.Create
	if operation = m.limiting(operation); operation == "update" {
		limitOf = given.Update
	}
	limit, d := limitOf(ctx, defaultTimeout)
	diags.Append(d...)
	return providerdata.WithLimit(ctx, limit, operation)
}

// limiting is the attribute of `timeouts` that limits an operation: an update has the limit of a
// create unless it is given one.
func (m values) limiting(operation string) string {
	given, _ := m["timeouts"].(timeouts.Value)
	if update, _ := given.Attributes()["update"].(types.String); update.ValueString() == "" {
		return "create"
	}
	return operation
}

// create sends the request once, unless an earlier run has sent it and no state shows the session.
// old is the session in the state, nil if there is none.
func (r *liveSession) create(ctx, limited context.Context, m, given, old values, diags *diag.Diagnostics) api.Session {
	diags.Append(given.checkFuture(time.Now())...)
	if diags.HasError() {
		return nil
	}
	if d := r.madeEarlier(ctx, limited, m, given, old); d != nil {
		diags.Append(d)
		return nil
	}
	spec := given.spec()
	line := r.Data.Ledger.Begin(ctx, ledgerRequest(r.Data, given))
	sent := time.Now()
	created, err := r.Data.API.CreateSession(limited, spec)
	r.Data.Sessions.Wrote()
	if err == nil && !r.Data.Ledger.Own(created.ID()) { // as of a cache that answers a POST
		err = &api.Error{
			Attempted: "creating the live session", MayHaveBeenProcessed: true,
			Err: fmt.Errorf("the response has the id of another session, %s", created.ID()),
		}
	}
	switch {
	case err == nil:
		line.Complete(ctx, resume.Made{ID: created.ID()})
		return created
	case !api.MayHaveBeenProcessed(err):
		resume.Drop(ctx, line)
	}
	diags.Append(createFailed(ctx, r.Data, given, old, sent, err))
	return nil
}

// settle waits for a session and fills m with what the service shows of it. given has the values of
// the create request. next says how a user goes on after a failure.
func (r *liveSession) settle(ctx context.Context, m values, given values, created api.Session, next outlook, data *privateData, diags *diag.Diagnostics) *stop {
	shown := maps.Clone(given)
	data.Renditions = nil // of an earlier session
	m.fillCreated(created, shown)
	last, stopped := wait(ctx, r.pollCreated(data, func(s api.Session) {
		m.fillCreated(s, shown)
		data.drifted(m, s)
	}), created, waitStatuses(m.set("wait_for_status")), next)
	m.fillCreated(last, shown)
	if stopped == nil {
		if s := r.listCreated(ctx, m, created.ID(), last.Status(), diags); s != nil {
			shown.fill(s, shown.left(arguments))
			m.fill(s, m.left(computed))
			m.dropEndpoints()
			data.ListedIn = m.str("status").String()
		}
	}
	diags.Append(otherValues(m.text("id"), given, shown)...)
	return stopped
}

// fillCreated sets the values of a response to a session that is being created. shown is the
// session as the service shows it. The arguments of m stay as planned, because Terraform refuses
// others.
func (m values) fillCreated(s api.Session, shown values) {
	shown.fill(s, arguments)
	m.fillComputed(s)
}

// pollCreated returns how a new session is polled: by GETs until one has returned it, the first at
// once. Only then does it use pages of the listing, which may show a session for which a GET still
// returns 404. data notes whether a GET has returned it, and got gets what it returned.
func (r *liveSession) pollCreated(data *privateData, got func(api.Session)) pollFunc {
	first := true
	return func(ctx context.Context, id string, early, late time.Duration) (api.Session, error) {
		switch {
		case !data.Unconfirmed:
			return r.Data.Sessions.Poll(ctx, id, early, late)
		case !first && retry.Sleep(ctx, early+rand.N(late-early+1)) != nil:
			return nil, ctx.Err()
		}
		first = false
		s, err := r.Data.API.GetSession(ctx, id)
		if data.Unconfirmed = err != nil; err == nil {
			got(s)
		}
		return s, err
	}
}

// listCreated returns the new session from the listing, if m lacks values that the listing may
// have. status is the one in the last response. It lists for appearWithin, because the listing may
// not show a new session at once, and then warns of what is missing. A page from before the call
// could show an older status than the wait ended with.
func (r *liveSession) listCreated(ctx context.Context, m values, id, status string, diags *diag.Diagnostics) api.Session {
	_, missing := m.missing()
	if len(missing) == 0 || slices.Contains(unallocatedStatuses, status) {
		return nil
	}
	start, listable := time.Now(), true
	var s api.Session
	appearing(ctx, appearWithin, func() (done bool) {
		s, listable = fromListing(ctx, r.Data, id, time.Now(), diags)
		return s != nil || !listable
	})
	if s != nil || !listable {
		return s
	}
	diags.AddWarning(fmt.Sprintf("Some values of live session %s are missing", m.title()),
		fmt.Sprintf("Only the listing shows %s of live session %s, and it has not shown the session for %s. They are null in the state. "+
			"What depends on them was made with null. The next plan or refresh looks for them again.",
			enumerate(quotedNames(missing), "and"), m.label(), seconds(time.Since(start))))
	return nil
}

// quotedNames are names of attributes for a text.
func quotedNames(names []string) (list []string) {
	for _, name := range names {
		list = append(list, "`"+name+"`")
	}
	return list
}

// otherValues warns of arguments that the service shows with another meaning than given. It leaves
// out the values of sources and destinations, because they carry stream keys.
func otherValues(id string, given, shown values) (diags diag.Diagnostics) {
	var lines strings.Builder
	for _, a := range differing(given, shown) {
		if a.sensitive() {
			fmt.Fprintf(&lines, "\n  - %s (sensitive, so not shown)", a.Name)
		} else {
			fmt.Fprintf(&lines, "\n  - %s: configured %s, shown %s", a.Name, given[a.Name], shown[a.Name])
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	diags.AddWarning("The service stored other values than configured",
		fmt.Sprintf("Live session %s was created, but the service shows other values for it than the configuration has:%s\n\n"+
			"Terraform keeps the configured values in the state, and plans show no difference as long as the service shows these values. "+
			"Check whether you can use the session. To create another one, run `terraform apply -replace` with the resource's address: "+
			"this session keeps running.", id, lines.String()))
	return diags
}
