package livesession

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const (
	defaultTimeout = 20 * time.Minute

	pollFirst = time.Second
	pollLast  = 15 * time.Second
	// appearWithin is how long a GET may return 404 for a new session, and a listing may lack it.
	appearWithin = 30 * time.Second
)

// pollFunc waits between early and late and then reads the session, as sessions.Reader.Poll does.
type pollFunc func(ctx context.Context, id string, early, late time.Duration) (api.Session, error)

// wait polls a new session until it has one of the wanted statuses, or until it has been read once
// if want is empty. It returns the session as last read, in any case. It continues on unknown
// statuses and on transient failures: the retries of a single call cover only seconds. next says
// how a user goes on after a failure.
func wait(ctx context.Context, poll pollFunc, created api.Session, want []string, next outlook) (api.Session, *stop) {
	start, last := time.Now(), created
	readable := start // when the session was last read
	var lastErr error // the failure of the last poll; nil after a success
	seen := []string{created.Status()}
	for interval := pollFirst; ; interval = min(interval*3/2, pollLast) {
		s, err := poll(ctx, created.ID(), max(interval*3/4, pollFirst), min(interval*5/4, pollLast))
		switch {
		case ctx.Err() != nil && errors.Is(context.Cause(ctx), errTimeout):
			detail := fmt.Sprintf("Live session %s was created, but had no status of `wait_for_status` (%s) when `timeouts.%s` ended after %s. "+
				"The last status seen was %s.%s %s%s",
				last.ID(), enumerate(want, "or"), next.operation, time.Since(start).Round(time.Second), last.Status(), before(seen), next.unfinished, remedy(want, next.operation))
			if lastErr != nil {
				detail += "\n\nThe last attempt to read it failed: " + providerdata.ErrorText(lastErr)
			}
			return last, &stop{diag.NewErrorDiagnostic("The live session was not ready in time", detail), stillGoing}
		case ctx.Err() != nil:
			return last, &stop{diag.NewErrorDiagnostic("Waiting for the live session was interrupted",
				fmt.Sprintf("Live session %s was created; its last status seen was %s. %s", last.ID(), last.Status(), next.interrupted)), interrupted}
		case api.NotFound(err) && time.Since(readable) < appearWithin:
			tflog.Info(ctx, "The live session is not readable yet", map[string]any{"id": created.ID()})
			continue
		case err != nil && !transient(err):
			return last, &stop{diag.NewErrorDiagnostic("The new live session cannot be read",
				fmt.Sprintf("Live session %s was created, but reading it failed. The last status seen was %s. %s\n\n%s",
					last.ID(), last.Status(), next.unfinished, providerdata.ErrorText(err))), stillGoing}
		case err != nil:
			lastErr = err
			tflog.Warn(ctx, "Reading the live session failed, still waiting", map[string]any{"id": created.ID(), "error": err.Error()})
			continue
		}
		lastErr, last, readable = nil, s, time.Now()
		if seen[len(seen)-1] != s.Status() {
			seen = append(seen, s.Status())
		}
		tflog.Info(ctx, "Waiting for the live session", map[string]any{
			"id": s.ID(), "status": s.Status(), "waiting_for": enumerate(want, "or"), "elapsed": time.Since(start).Round(time.Second).String(),
		})
		switch {
		case len(want) == 0, slices.Contains(want, s.Status()):
			return s, nil
		case terminal(s.Status()):
			return s, &stop{diag.NewErrorDiagnostic("The live session ended in a final status",
				fmt.Sprintf("Live session %s was created but ended in status %s, which is final. %s "+
					"To accept %s as the result of a create, add it to `wait_for_status`.", s.ID(), s.Status(), next.ended, s.Status())), over}
		}
	}
}

// waitStatuses returns the statuses of wait_for_status, or the default.
func waitStatuses(set types.Set) []string {
	if set.IsNull() {
		return defaultWaitForStatus
	}
	return elements(set)
}

// before names the statuses seen before the last one.
func before(seen []string) string {
	seen = slices.DeleteFunc(slices.Clone(seen[:len(seen)-1]), func(status string) bool { return status == "" })
	if len(seen) == 0 {
		return ""
	}
	return " Before it: " + enumerate(seen[max(0, len(seen)-mostSeen):], "and then") + "."
}

const mostSeen = 10 // statuses in a text

// remedy says what to do after a time limit: waiting longer for a status that nobody knows is of no
// use.
func remedy(want []string, operation string) string {
	unknown := slices.DeleteFunc(slices.Clone(want), func(status string) bool { return slices.Contains(statuses, status) })
	if len(unknown) == 0 {
		return fmt.Sprintf(" To wait longer, set `timeouts = { %s = \"40m\" }`.", operation)
	}
	return fmt.Sprintf(" The provider does not know %s: check `wait_for_status`. The known statuses are %s.", enumerate(unknown, "and"), enumerate(statuses, "and"))
}

// stop is why a wait ended without a wanted status.
type stop struct {
	diag.Diagnostic
	session outcome
}

// outcome is what is known of a session for which the wait ended.
type outcome int

const (
	stillGoing  outcome = iota // it may become ready
	interrupted                // so may this one
	over                       // it has ended
)

// warning is for a session that the state has.
func (s *stop) warning() diag.Diagnostic { return diag.NewWarningDiagnostic(s.Summary(), s.Detail()) }

// outlook is how a user goes on with a session for which the wait ended.
type outlook struct {
	operation                      string // whose time limit ends the wait
	interrupted, unfinished, ended string
}

// afterCreate is for a session that the state has, tainted after an error.
func (m values) afterCreate() outlook {
	return outlook{
		operation:   "create",
		interrupted: "It is in the state. The next apply waits for it again, and creates no other session unless it has ended.",
		unfinished: "It is in the state as tainted. The next apply with the same arguments waits for it again, although the plan says \"must be replaced\", and creates no other session " +
			"unless it has ended. With `prevent_destroy` or `create_before_destroy`, first run `terraform untaint` with the address of the resource.",
		ended: "It is in the state as tainted, so the next apply replaces it with a new session. " +
			"To keep it, run `terraform untaint` with the resource's address.",
	}
}

// afterUpdate is for a session that is to take the place of the one in the state. state is nil if
// the state has it already.
func (m values) afterUpdate(state values) outlook {
	o := outlook{operation: "create"}
	if m.updateLimit() != "" {
		o.operation = "update"
	}
	const again = "The next apply with the same arguments waits for it again, and creates no other session unless it has ended."
	if state == nil {
		o.interrupted, o.unfinished, o.ended = "It is in the state. "+again, "It is in the state. "+again, "It is in the state. The next apply creates another session."
		return o
	}
	keeps := fmt.Sprintf("The state still has live session %s. ", state.label())
	o.interrupted = keeps + again + " With other arguments it is left behind, and keeps running."
	o.unfinished = o.interrupted
	o.ended = keeps + "The next apply creates another session."
	return o
}

// transient reports whether the next poll may succeed.
func transient(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && (api.Unreadable(err) || e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError || e.Status == 0 && e.Attempts > 0)
}

// errTimeout is the cancellation cause of a time limit. It tells a timeout from an interrupt.
var errTimeout = errors.New("the time limit of the operation is over")

// fromListing returns a session from a page of the listing that was requested after since. It is
// nil if no page shows the session. A failure (ok is false) is only a warning, because the session
// exists.
func fromListing(ctx context.Context, data *providerdata.Data, id string, since time.Time, diags *diag.Diagnostics) (s api.Session, ok bool) {
	s, err := data.Sessions.Listed(ctx, id, since)
	if err != nil {
		diags.AddWarning(fmt.Sprintf("Some values of live session %s are missing", id),
			fmt.Sprintf("Only the listing shows the addresses, ports and transcoder of live session %s, and the listing failed. "+
				"The next plan or refresh tries again. %s", id, providerdata.ErrorText(err)))
	}
	return s, err == nil
}
