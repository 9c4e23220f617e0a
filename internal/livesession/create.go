package livesession

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// defaultCreateTimeout is timeouts.create when it is not set.
const defaultCreateTimeout = 20 * time.Minute

// Create creates the session, saves its id at once, waits, and then looks up
// what only the listing shows. Whatever fails after the id is known leaves the
// session in the state, tainted.
func (r *liveSession) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m model
	resp.Diagnostics.Append(providerdata.Get(ctx, req.Plan, &m)...)
	resp.Diagnostics.Append(r.data.NeedLive(typeName)...)
	limit, diags := m.Timeouts.Create(ctx, defaultCreateTimeout)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(m.checkFuture(r.now())...)
	if resp.Diagnostics.HasError() {
		return
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errCreateTimeout)
	defer cancel()

	spec := m.spec()
	created, err := r.data.API.CreateSession(limited, spec)
	r.data.Sessions.Wrote()
	if err != nil {
		resp.Diagnostics.Append(r.createFailed(ctx, spec, err))
		return
	}
	r.data.Sessions.Own(created.ID)
	resp.Diagnostics.Append(differences(spec, created)...)

	plan := m.session
	save := func() {
		stored := m
		stored.session = withArguments(m.session, plan)
		resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, stored)...)
		setIdentity(ctx, resp.Identity, created.ID, &resp.Diagnostics)
	}
	m.fill(created)
	save()
	if resp.Diagnostics.HasError() {
		return
	}
	r.settle(limited, &m, created, resp)
	save()
}

// settle waits for the session and completes what is known of it.
func (r *liveSession) settle(ctx context.Context, m *model, created *api.Session, resp *resource.CreateResponse) {
	since := time.Now()
	want := waitFor(m.WaitForStatus)
	if len(want) == 0 {
		// Not waiting is no reason not to look: one read tells the endpoints. If
		// it fails, the next refresh has them.
		if s, err := r.data.Sessions.Get(ctx, created.ID); err == nil {
			m.fill(s)
		}
	} else {
		last, err := wait(ctx, r.data.Sessions, created, want)
		m.fill(last)
		if err != nil {
			resp.Diagnostics.Append(waitDiagnostic(err))
			return
		}
	}
	if unallocated(m.Status.ValueString()) {
		return
	}
	if r.lookUpNew(ctx, &m.session, since, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, listedKey, listedMark(&m.session))...)
	}
}

// lookUpNew is lookUp for a session that the listing may not show at once.
func (r *liveSession) lookUpNew(ctx context.Context, m *session, since time.Time, diags *diag.Diagnostics) bool {
	for _, again := range []time.Duration{0, 2 * time.Second, 5 * time.Second} {
		if again > 0 {
			if !pause(ctx, again) {
				return false
			}
			since = time.Now()
		}
		before := len(*diags)
		if lookUp(ctx, r.data, m, since, diags) {
			return true
		}
		if len(*diags) > before {
			return false
		}
	}
	return false
}

// withArguments is a session as read, with the arguments as planned: Terraform
// takes any other value for a defect of the provider. differences has told the
// user of it, and the next refresh shows it.
func withArguments(read, plan session) session {
	read.Name, read.Region, read.Input, read.Mode = plan.Name, plan.Region, plan.Input, plan.Mode
	read.OutputMode, read.InputPreset = plan.OutputMode, plan.InputPreset
	read.InputSourceA, read.InputSourceB = plan.InputSourceA, plan.InputSourceB
	read.OutputDestinationA, read.OutputDestinationB = plan.OutputDestinationA, plan.OutputDestinationB
	read.EnableInputRecord, read.IsScheduled = plan.EnableInputRecord, plan.IsScheduled
	read.Timezone, read.ScheduledAt = plan.Timezone, plan.ScheduledAt
	return read
}

// waitDiagnostic says how the waiting ended and what can be done.
func waitDiagnostic(err error) diag.Diagnostic {
	var w *waitError
	if !errors.As(err, &w) {
		return providerdata.ErrorDiagnostic("Waiting for the live session", err)
	}
	const taint = "It is in the state, marked as tainted, so that the next apply replaces it with a new one. " +
		"To keep it as it is, run `terraform untaint` with the resource's address"
	switch w.why {
	case endTerminal:
		return diag.NewErrorDiagnostic(fmt.Sprintf("The live session ended as %s", w.status),
			fmt.Sprintf("Live session %s was created and then reached status %s, from which it will not become %s by itself. %s. "+
				"If %s is what you want, name it in `wait_for_status`.", w.id, w.status, "usable", taint, w.status))
	case endTimeout:
		detail := fmt.Sprintf("Live session %s was created; when the time for creating it was over (`timeouts.create`), after %s, its last status seen was %s. "+
			"%s: the service goes on with it either way. Or give it longer with `timeouts = { create = \"40m\" }`.",
			w.id, w.after.Round(time.Second), w.status, taint)
		if w.err != nil {
			detail += "\n\nThe last attempt to read it failed: " + w.err.Error() + "."
		}
		return diag.NewErrorDiagnostic("The live session was not ready in time", detail)
	case endInterrupt:
		return diag.NewErrorDiagnostic("Waiting for the live session was interrupted",
			fmt.Sprintf("Live session %s was created; its last status seen was %s. %s.", w.id, w.status, taint))
	default:
		read := providerdata.ErrorDiagnostic(fmt.Sprintf("Reading live session %s", w.id), w.err)
		return diag.NewErrorDiagnostic("The new live session cannot be read",
			fmt.Sprintf("Live session %s was created; its last status seen was %s. %s.\n\n%s", w.id, w.status, taint, read.Detail()))
	}
}
