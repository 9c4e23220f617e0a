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

const defaultCreateTimeout = 20 * time.Minute

// Create saves the id before it waits: a later failure leaves the session in the state as tainted.
func (r *liveSession) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m, config model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, intentKey, nil)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if old, ok := r.takeReplaced(req.Plan.Raw, func(o *replaced) bool { return o.serves(&m, &config) }); ok {
		old.keepAs(ctx, &m, resp)
		return
	}
	limit, diags := m.Timeouts.Create(ctx, defaultCreateTimeout)
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

	n := &newborn{model: &m, given: given, shown: given, memory: memory{Unconfirmed: true, Unseen: byListing}}
	n.seen(created)
	n.save(ctx, resp)
	if resp.Diagnostics.HasError() {
		return
	}
	r.settle(limited, n, created, resp)
	if resp.Diagnostics.HasError() {
		m.DeletionProtection = types.BoolNull() // so that the next apply can replace the tainted session
	}
	n.save(ctx, resp)
	resp.Diagnostics.Append(n.differences()...)
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
		diags.Append(r.createFailed(ctx, *given, sent, err))
		return nil, !api.MayHaveBeenProcessed(err)
	}
	return created, false
}

// newborn is the session of a running Create, after the service has returned its id.
type newborn struct {
	memory
	model *model  // written to the state, with the arguments as planned: Terraform refuses others
	given session // as planned, with the URLs of write-only arguments
	shown session // as the service shows it
}

// seen applies a response of the service.
func (n *newborn) seen(s *api.Session) {
	n.shown.fill(s, arguments)
	for _, a := range differing(&n.model.session, &n.shown) {
		if !n.model.writeOnly(a) {
			n.add(a.name, a.value(&n.shown))
		}
	}
	n.model.fillComputed(s)
}

func (n *newborn) save(ctx context.Context, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(resp.State.Set(ctx, *n.model)...)
	resp.Diagnostics.Append(n.keep(ctx, resp.Private)...)
	setIdentity(ctx, resp.Identity, n.model.ID.ValueString(), &resp.Diagnostics)
}

// settle waits for the session and fills in the values that the create response lacks. It sends GETs
// until one has returned the session, the first at once. Only then does it use pages of the listing,
// which may show a session for which a GET still returns 404.
func (r *liveSession) settle(ctx context.Context, n *newborn, created *api.Session, resp *resource.CreateResponse) {
	first := true
	poll := func(ctx context.Context, id string, early, late time.Duration) (*api.Session, error) {
		switch {
		case !n.Unconfirmed:
			return r.Data.Sessions.Poll(ctx, id, early, late)
		case !first && !pause(ctx, early+rand.N(late-early+1)):
			return nil, ctx.Err()
		}
		first = false
		s, err := r.Data.API.GetSession(ctx, id)
		n.Unconfirmed = err != nil
		return s, err
	}
	last, failed := wait(ctx, poll, created, waitFor(n.model.WaitForStatus))
	n.seen(last)
	if failed != nil {
		resp.Diagnostics.Append(failed)
		return
	}
	if _, missing := n.model.untold(); len(missing) == 0 || slices.Contains(unallocatedStatuses, last.Status) {
		return
	}
	if s := r.listedNew(ctx, created.ID, &resp.Diagnostics); s != nil {
		n.seen(s)
		n.Unseen, n.Listed = "", n.model.Status.String()
	}
}

// listedNew calls listed up to three times, because the listing may not show a new session at once.
// A page from before the call could show an older status than the wait ended with.
func (r *liveSession) listedNew(ctx context.Context, id string, diags *diag.Diagnostics) *api.Session {
	for _, again := range []time.Duration{0, 2 * time.Second, 5 * time.Second} {
		if !pause(ctx, again) {
			return nil
		}
		s, ok := listed(ctx, r.Data, id, time.Now(), diags)
		if s != nil || !ok {
			return s
		}
	}
	return nil
}

// differences warns of arguments that the service shows with another meaning than given. It leaves
// out the values of sources and destinations, because they carry stream keys.
func (n *newborn) differences() (diags diag.Diagnostics) {
	var lines strings.Builder
	for _, a := range differing(&n.given, &n.shown) {
		if a.sensitive {
			fmt.Fprintf(&lines, "\n  - %s (sensitive, so not shown)", a.name)
		} else {
			fmt.Fprintf(&lines, "\n  - %s: configured %s, shown %s", a.name, a.value(&n.given), a.value(&n.shown))
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	diags.AddWarning("The service stored other values than configured",
		fmt.Sprintf("Live session %s was created, but the service shows other values for it than the configuration has:%s\n\n"+
			"Terraform keeps the configured values in the state, and plans show no difference as long as the service shows these values. "+
			"Check whether you can use the session. To create another one, run `terraform apply -replace` with the resource's address: "+
			"this session keeps running.",
			n.model.ID.ValueString(), lines.String()))
	return diags
}
