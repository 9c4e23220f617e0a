package livesession

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	defaultTimeout = 20 * time.Minute

	pollFirst = time.Second
	pollLast  = 15 * time.Second
	// appearWithin is how long a GET may return 404 for a new session, and a listing may lack it.
	appearWithin = 30 * time.Second
)

// appearing calls find at 0, 2, 6, 14 and 30 s, until it reports that no further call is needed,
// ctx ends, or a call has begun after within.
func appearing(ctx context.Context, within time.Duration, find func() (done bool)) {
	start := time.Now()
	for interval := 2 * time.Second; ; interval *= 2 {
		begun := time.Since(start)
		if find() || begun >= within || retry.Sleep(ctx, interval) != nil {
			return
		}
	}
}

// watch waits for sessions, which one look reads at once.
type watch struct {
	ids  []string // of the sessions to wait for
	want []string // each needs one of these statuses; none: it needs to be shown
	// look pauses, but not before the first look, and reads the sessions. What was requested at
	// asked or later, and does not show a session, shows that there was none.
	look func(ctx context.Context, pause time.Duration) (shown map[string]api.Session, asked time.Time, err error)
	// growth is the part of a pause by which the next one is longer: 2 for a half.
	growth time.Duration

	took    time.Duration
	shown   map[string]api.Session // by id, by the last look that did not fail
	lacking time.Time              // when the looks that lack sessions began; zero: the last one showed all
	err     error                  // of the last look; nil after a success
	// The ids of sessions without a wanted status: those in a final status, those in another one,
	// and those that are not shown.
	ended, waiting, missing []string
}

// waitResult is how a wait ended.
type waitResult int

const (
	ready       waitResult = iota
	over                   // sessions have ended in a status that is not wanted
	notShown               // sessions were not shown for appearWithin
	failed                 // a look failed, and the next one would fail, too
	timedOut               // at the time limit of the operation
	interrupted            // ctx ended otherwise
)

// wait looks until each session has a wanted status. It continues on unknown statuses and on
// transient failures: the retries of a single call cover only seconds.
func (w *watch) wait(ctx context.Context) waitResult {
	start := time.Now()
	w.lacking = start
	busy := time.Duration(0) // how long the requests of the last look took: a large account has many pages
	for pause := pollFirst; ; pause = min(pause+pause/w.growth, pollLast) {
		shown, asked, err := w.look(ctx, max(pause, busy))
		busy = time.Since(asked)
		w.took = time.Since(start)
		if ctx.Err() == nil {
			w.err = err
		}
		if err == nil {
			w.shown = shown
		}
		w.sort()
		rest := slices.Concat(w.ended, w.waiting, w.missing)
		tflog.Info(ctx, "Waiting for the live sessions", map[string]any{
			"sessions": len(w.ids), "waiting_for": enumerate(w.want, "or"), "elapsed": w.took.Round(time.Second).String(),
			"not_yet": len(rest), "first": strings.Join(w.describe(rest[:min(len(rest), 1)]), ""),
		})
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return timedOut
		case ctx.Err() != nil:
			return interrupted
		case err != nil && !transient(err):
			return failed
		case err != nil:
			tflog.Warn(ctx, "Reading live sessions failed, still waiting", map[string]any{"error": err.Error()})
		case len(w.ended) > 0:
			return over
		case len(w.waiting)+len(w.missing) == 0:
			return ready
		case len(w.missing) == 0:
			w.lacking = time.Time{}
		case w.lacking.IsZero(): // one look that takes long may miss a session that moves between its pages
			w.lacking = asked
		case asked.Sub(w.lacking) >= appearWithin:
			return notShown
		}
	}
}

// sort notes the ids of sessions without a wanted status.
func (w *watch) sort() {
	w.ended, w.waiting, w.missing = nil, nil, nil
	for _, id := range w.ids {
		switch s := w.shown[id]; {
		case s == nil:
			w.missing = append(w.missing, id)
		case len(w.want) == 0, slices.Contains(w.want, s.Status()):
		case terminal(s.Status()):
			w.ended = append(w.ended, id)
		default:
			w.waiting = append(w.waiting, id)
		}
	}
}

// describe returns a text for each session.
func (w *watch) describe(ids []string) (texts []string) {
	for _, id := range ids {
		switch s := w.shown[id]; {
		case s != nil:
			texts = append(texts, label(id, s.Name(), s.Status()))
		case w.shown == nil: // no look was successful
			texts = append(texts, id)
		default:
			texts = append(texts, id+" (not listed)")
		}
	}
	return texts
}

// pollFunc waits between early and late and then reads the session, as sessions.Reader.Poll does.
type pollFunc func(ctx context.Context, id string, early, late time.Duration) (api.Session, error)

// wait polls a new session until it has one of the wanted statuses, or until it has been read once
// if want is empty. It returns the session as last read, in any case. next says how a user goes on
// after a failure.
func wait(ctx context.Context, poll pollFunc, created api.Session, want []string, next outlook) (api.Session, *stop) {
	last, seen := created, []string{created.Status()}
	var absent error // of the last response that did not show it
	w := watch{ids: []string{created.ID()}, want: want, growth: 2}
	w.look = func(ctx context.Context, pause time.Duration) (map[string]api.Session, time.Time, error) {
		s, err := poll(ctx, created.ID(), max(pause*3/4, pollFirst), min(pause*5/4, pollLast))
		switch {
		case api.NotShown(err):
			absent, err = err, nil
		case err == nil:
			last = s
			if seen[len(seen)-1] != s.Status() {
				seen = append(seen, s.Status())
			}
			return map[string]api.Session{created.ID(): s}, time.Now(), nil
		}
		return nil, time.Now(), err
	}
	stopped := &stop{result: w.wait(ctx)}
	was, status := fmt.Sprintf("Live session %s was created", last.ID()), cmp.Or(last.Status(), "not known")
	switch stopped.result {
	case ready:
		return last, nil
	case over:
		stopped.Diagnostic = diag.NewErrorDiagnostic("The live session ended in a final status",
			fmt.Sprintf("%s but ended in status %s, which is final. %s To accept %s as the result of a create, add it to `wait_for_status`.", was, last.Status(), next.ended, last.Status()))
	case timedOut:
		detail := fmt.Sprintf("%s, but had no status of `wait_for_status` (%s) when `timeouts.%s` ended after %s. The last status seen was %s.%s %s%s",
			was, enumerate(want, "or"), next.operation, w.took.Round(time.Second), status, before(seen), next.unfinished, remedy(want, next.operation))
		if w.err != nil {
			detail += "\n\nThe last attempt to read it failed: " + providerdata.Reason(w.err)
		}
		stopped.Diagnostic = diag.NewErrorDiagnostic("The live session was not ready in time", detail)
	case interrupted:
		stopped.Diagnostic = diag.NewErrorDiagnostic("Waiting for the live session was interrupted",
			fmt.Sprintf("%s; its last status seen was %s. %s", was, status, next.interrupted))
	case failed, notShown:
		stopped.Diagnostic = diag.NewErrorDiagnostic("The new live session cannot be read",
			fmt.Sprintf("%s, but could not be read. The last status seen was %s. %s\n\n%s", was, status, next.unfinished, providerdata.ErrorText(cmp.Or(w.err, absent))))
	}
	return last, stopped
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

// remedy says what to do after a time limit. Waiting longer is of no use for statuses that nobody
// knows, and for those that a session had between two reads.
func remedy(want []string, operation string) string {
	unknown := slices.DeleteFunc(slices.Clone(want), func(status string) bool { return slices.Contains(statuses, status) })
	lasting := slices.DeleteFunc(slices.Clone(want), func(status string) bool { return slices.Contains(passingStatuses, status) })
	switch {
	case len(unknown) > 0:
		return fmt.Sprintf(" The provider does not know %s: check `wait_for_status`. The known statuses are %s.", enumerate(unknown, "and"), enumerate(statuses, "and"))
	case len(want) > 0 && len(lasting) == 0:
		return fmt.Sprintf(" A session may have had status %s between two reads: add the statuses that follow to `wait_for_status`, such as READY.", enumerate(want, "or"))
	}
	return fmt.Sprintf(" To wait longer, set `timeouts = { %s = \"40m\" }`.", operation)
}

// stop is why the wait for a session ended without a wanted status.
type stop struct {
	diag.Diagnostic
	result waitResult
}

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
	o := outlook{operation: m.limiting("update")}
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
	return ok && (e.MayPass || e.Status == 0 && e.Attempts > 0)
}

// fromListing returns a session from a page of the listing that was requested after since. It is
// nil if no page shows the session. A failure (ok is false) is only a warning, because the session
// exists.
func fromListing(ctx context.Context, data *providerdata.Data, id string, since time.Time, diags *diag.Diagnostics) (s api.Session, ok bool) {
	s, err := data.Sessions.Listed(ctx, id, since)
	if err != nil {
		diags.AddWarning(fmt.Sprintf("Some values of live session %s are missing", id),
			fmt.Sprintf("Only the listing shows the addresses, ports and transcoder of live session %s, and the listing failed. "+
				"The next plan or refresh tries again. %s", id, providerdata.Reason(err)))
	}
	return s, err == nil
}
