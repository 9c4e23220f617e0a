package livesession

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// Create creates a session, waits for it and reads the values that only the listing has. It saves the
// id before it waits: a later failure leaves the session in the state as tainted.
func (r *liveSession) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m, config model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, intentKey, nil)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if old, ok := r.takeReplaced(req.Plan.Raw, func(o *replaced) bool { return o.matches(&m, &config) }); ok {
		old.keepAs(ctx, &m, resp)
		return
	}
	limit, diags := m.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	limited, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()

	given := m.given(&config)
	created, refused := r.create(ctx, limited, &given, &resp.Diagnostics)
	if created == nil {
		switch old, ok := r.takeReplaced(req.Plan.Raw, anyReplaced); {
		case ok && refused:
			old.restore(ctx, resp)
		case ok: // the state must stay empty for the import of the session that may have been created
			resp.Diagnostics.Append(old.model.leftOut())
		}
		return
	}
	r.takeReplaced(req.Plan.Raw, func(o *replaced) bool { return o.Action == actionReplace }) // its replacement is complete

	shown, data := given, privateData{Unconfirmed: true, NotReadBy: byListing}
	m.fillCreated(created, &shown, &data)
	m.saveCreated(ctx, &data, resp)
	if resp.Diagnostics.HasError() {
		return
	}
	last, problem := wait(limited, r.pollCreated(&data), created, waitStatuses(m.WaitForStatus))
	m.fillCreated(last, &shown, &data)
	if problem != nil {
		resp.Diagnostics.Append(problem)
		m.DeletionProtection = types.BoolNull() // so that the next apply can replace the tainted session
	} else if s := r.listCreated(limited, &m, created.ID, last.Status, &resp.Diagnostics); s != nil {
		m.fillCreated(s, &shown, &data)
		data.NotReadBy, data.ListedIn = "", m.Status.String()
	}
	m.saveCreated(ctx, &data, resp)
	resp.Diagnostics.Append(otherValues(m.ID.ValueString(), &given, &shown)...)
}

// create sends the request once. Without a session, refused reports whether none was created for sure.
func (r *liveSession) create(ctx, limited context.Context, given *session, diags *diag.Diagnostics) (created *api.Session, refused bool) {
	diags.Append(r.Data.NeedLive(typeName)...)
	diags.Append(given.checkFuture(time.Now())...)
	if diags.HasError() {
		return nil, true
	}
	spec, sent := given.spec(), time.Now()
	answered := createsOf(r.Data).begin(spec)
	created, err := r.Data.API.CreateSession(limited, spec)
	r.Data.Sessions.Wrote()
	if err == nil {
		createsOf(r.Data).own(created.ID)
	}
	answered()
	if err != nil {
		diags.Append(createFailed(ctx, r.Data, *given, sent, err))
		return nil, !api.MayHaveBeenProcessed(err)
	}
	return created, false
}

// fillCreated sets the values of a response to a session that is being created. shown is the session
// as the service shows it. The arguments of m stay as planned, because Terraform refuses others.
func (m *model) fillCreated(s *api.Session, shown *session, data *privateData) {
	shown.fill(s, arguments)
	for _, a := range differing(&m.session, shown) {
		if !m.writeOnly(a) {
			data.addSpelling(a.name, a.value(shown))
		}
	}
	m.fillComputed(s)
}

// pollCreated returns how a new session is polled: by GETs until one has returned it, the first at
// once. Only then does it use pages of the listing, which may show a session for which a GET still
// returns 404. data notes whether a GET has returned it.
func (r *liveSession) pollCreated(data *privateData) pollFunc {
	first := true
	return func(ctx context.Context, id string, early, late time.Duration) (*api.Session, error) {
		switch {
		case !data.Unconfirmed:
			return r.Data.Sessions.Poll(ctx, id, early, late)
		case !first && !pause(ctx, early+rand.N(late-early+1)):
			return nil, ctx.Err()
		}
		first = false
		s, err := r.Data.API.GetSession(ctx, id)
		data.Unconfirmed = err != nil
		return s, err
	}
}

// listCreated returns the new session from the listing, if m lacks values that the listing may have
// in the status given, that of the last response. It lists up to three times, because the listing may not show a new session
// at once. A page from before the call could show an older status than the wait ended with.
func (r *liveSession) listCreated(ctx context.Context, m *model, id, status string, diags *diag.Diagnostics) *api.Session {
	if _, missing := m.missing(); len(missing) == 0 || slices.Contains(unallocatedStatuses, status) {
		return nil
	}
	for _, interval := range []time.Duration{0, 2 * time.Second, 5 * time.Second} {
		if !pause(ctx, interval) {
			return nil
		}
		s, ok := fromListing(ctx, r.Data, id, time.Now(), diags)
		if s != nil || !ok {
			return s
		}
	}
	return nil
}

// otherValues warns of arguments that the service shows with another meaning than given. It leaves
// out the values of sources and destinations, because they carry stream keys.
func otherValues(id string, given, shown *session) (diags diag.Diagnostics) {
	var lines strings.Builder
	for _, a := range differing(given, shown) {
		if a.sensitive {
			fmt.Fprintf(&lines, "\n  - %s (sensitive, so not shown)", a.name)
		} else {
			fmt.Fprintf(&lines, "\n  - %s: configured %s, shown %s", a.name, a.value(given), a.value(shown))
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
