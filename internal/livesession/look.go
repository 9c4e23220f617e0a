package livesession

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// The values of on_existing. It decides about an equal session that this run has not removed from
// the state.
const (
	existingFail   = "fail"
	existingUse    = "use"
	existingCreate = "create"
)

func (m values) onExisting() string { return cmp.Or(m.text("on_existing"), existingFail) }

// findOrCreate returns a session with these arguments: an equal one that runs already, or a new one.
// It returns nil after an error.
func (r *liveSession) findOrCreate(ctx context.Context, args values, diags *diag.Diagnostics) api.Session {
	if args.onExisting() == existingCreate {
		return r.create(ctx, args, nil, diags)
	}
	listed, err := r.listing().since(ctx, r.Data.API, time.Time{})
	if err != nil {
		diags.Append(providerdata.ErrorDiagnostic("Listing the live sessions", err))
		return nil
	}
	equal := selected(listed, func(s api.Session) bool { return args.matches(s) && !r.run().hasClaimed(s.ID()) })
	var removed, others []api.Session
	for _, s := range equal {
		if r.run().hasRemoved(s.ID()) {
			removed = append(removed, s)
		} else {
			others = append(others, s)
		}
	}
	usable := removed // first, if others may be used, too
	if args.onExisting() == existingUse {
		usable = slices.Concat(removed, others)
	}
	for _, s := range usable {
		if r.run().claim(s.ID()) {
			diags.Append(usedDiagnostic(s, "already runs with these arguments, so it is used and nothing was created. "+
				"For another session, change an argument or set `on_existing = \"create\"`"))
			return s
		}
	}
	if args.onExisting() == existingFail && len(others) > 0 {
		diags.Append(existsDiagnostic(others))
		return nil
	}
	return r.create(ctx, args, listed, diags)
}

// matches reports whether a session of the listing runs and shows every argument that is set.
func (m values) matches(s api.Session) bool {
	if isFinal(s.Status()) || m.replacesOn(s.Status()) {
		return false
	}
	return !slices.ContainsFunc(arguments, func(a attribute) bool {
		return !m[a.Name].IsNull() && !a.equal(m[a.Name], a.valueIn(s))
	})
}

// create sends the create request. before is the listing of the look, nil with `on_existing =
// "create"`, which reads none.
func (r *liveSession) create(ctx context.Context, args values, before []api.Session, diags *diag.Diagnostics) api.Session {
	if diags.Append(args.checkFuture(time.Now())...); diags.HasError() {
		return nil
	}
	s, err := r.Data.API.CreateSession(ctx, args.spec())
	r.run().setLastCreate(time.Now())
	switch {
	case err == nil && !r.isOld(s, before) && r.run().claim(s.ID()):
		return s
	case err == nil: // a cache has answered, or the service returned one session for two requests
		err = fmt.Errorf("the response has the id of another session, %s", s.ID())
	case !api.MayHaveBeenProcessed(err):
		diags.Append(providerdata.ErrorDiagnostic("Creating the live session", err))
		return nil
	}
	return r.findLost(ctx, args, before, err, diags)
}

// findLost looks for the session of a create request whose outcome is unknown because of cause. Only
// the listing before the request tells a new session from equal ones.
func (r *liveSession) findLost(ctx context.Context, args values, before []api.Session, cause error, diags *diag.Diagnostics) api.Session {
	const summary = "The live session may have been created"
	detail := fmt.Sprintf("The request to create %q was sent, but its outcome is unknown: %s", args.text("name"), providerdata.Reason(cause))
	if before == nil {
		diags.AddError(summary, detail+" With `on_existing = \"create\"`, the next apply creates another session. "+
			"Look for this one in the data source `vodlive_live_sessions` first, and import it if it exists.")
		return nil
	}
	for range attempts(ctx) {
		listed, err := r.listing().since(ctx, r.Data.API, time.Now())
		if err != nil {
			continue // the listing is read again
		}
		for _, s := range listed {
			if !r.isOld(s, before) && args.matches(s) && r.run().claim(s.ID()) {
				diags.Append(usedDiagnostic(s, "appeared after a create request whose response was lost. It has these arguments, so it is used"))
				return s
			}
		}
	}
	diags.AddError(summary, detail+" The listing of the account does not show it yet. The next apply looks for it first.")
	return nil
}

// isOld reports whether a session existed before a create request.
func (r *liveSession) isOld(s api.Session, before []api.Session) bool {
	return r.run().hasRemoved(s.ID()) || slices.ContainsFunc(before, func(old api.Session) bool { return old.ID() == s.ID() })
}

// usedDiagnostic warns of a session that this operation did not create.
func usedDiagnostic(s api.Session, why string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("A running live session is used", fmt.Sprintf("Live session %s %s.", labelOf(s), why))
}

// existsDiagnostic is the error of sessions that run with the arguments of a new one.
func existsDiagnostic(others []api.Session) diag.Diagnostic {
	more := ""
	if n := len(others) - 1; n > 0 {
		more = fmt.Sprintf(" %d more do, too.", n)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("on_existing"), "A live session with these arguments exists",
		fmt.Sprintf("Live session %s runs with these arguments.%s Nothing was created.\n\n"+
			"To manage it here, import it or set `on_existing = \"use\"`. For another session beside it, set `on_existing = \"create\"`. "+
			"If the resource is tainted and has `create_before_destroy`, run `terraform untaint`.\n\n"+
			"import {\n  to = %s.NAME\n  id = %s\n}", labelOf(others[0]), more, typeName, parse.HCL(others[0].ID())))
}
