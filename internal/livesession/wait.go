package livesession

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	defaultTimeout = 20 * time.Minute

	firstPause   = time.Second
	longestPause = 15 * time.Second
	// appearWithin is how long a GET may return 404 for a new session, and the listing may lack it.
	appearWithin = 30 * time.Second
)

// waitUntilReady reads a session until it has a status of `wait_for_status`, or once if that is
// empty. It goes on after an unknown status and after failures that may pass.
func (r *liveSession) waitUntilReady(ctx context.Context, m values) (diags diag.Diagnostics) {
	want := waitStatuses(m.set("wait_for_status"))
	start := time.Now()
	for pause := firstPause; ; pause = min(pause*3/2, longestPause) {
		s, err := r.Data.API.GetSession(ctx, m.text("id"))
		if err == nil {
			m.setComputed(s)
		}
		redact.Info(ctx, "Waiting for the live session", map[string]any{
			"id": m.text("id"), "status": m.text("status"), "waiting_for": enumerate(want, "or"), "elapsed": time.Since(start).Round(time.Second).String(),
		})
		switch {
		case err == nil && (len(want) == 0 || slices.Contains(want, s.Status())):
			return nil
		case ctx.Err() != nil:
		case err != nil && (mayPass(err) || api.NotShown(err) && time.Since(start) < appearWithin):
			redact.Warn(ctx, "Reading the live session failed, still waiting", map[string]any{"error": err.Error()})
		case err != nil:
			diags.AddError("The new live session cannot be read", fmt.Sprintf("%s %s", providerdata.ErrorText(err), m.nextStepText()))
			return diags
		case isFinal(s.Status()):
			diags.AddError("The live session ended in a final status",
				fmt.Sprintf("Live session %s has ended. The next apply creates another one. To accept this status as the result of a create, add it to `wait_for_status`.", m.label()))
			return diags
		}
		if retry.Sleep(ctx, pause*3/4+rand.N(pause/2)) == nil {
			continue
		}
		diags.Append(m.notReadyDiagnostic(ctx, want))
		return diags
	}
}

// notReadyDiagnostic is the error of a wait that ended with ctx.
func (m values) notReadyDiagnostic(ctx context.Context, want []string) diag.Diagnostic {
	summary, advice := "Waiting for the live session was interrupted", ""
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		summary, advice = "The live session was not ready in time", "To wait longer, set `timeouts.create`. "
	}
	awaited := "could not be read yet"
	if len(want) > 0 {
		awaited = fmt.Sprintf("has no status of `wait_for_status` (%s) yet", enumerate(want, "or"))
	}
	return diag.NewErrorDiagnostic(summary, fmt.Sprintf("Live session %s %s. %s%s", m.label(), awaited, advice, m.nextStepText()))
}

// nextStepText says how to go on with a session that Terraform taints.
func (m values) nextStepText() string {
	switch m.onExisting() {
	case existingCreate:
		return "The state has it, tainted: the next apply creates another one. To keep this one, run `terraform untaint`."
	case existingUse:
		return "The state has it, tainted: the next apply goes on with it, although its plan reads \"must be replaced\"."
	}
	return "The state has it, tainted: the next apply goes on with it, although its plan reads \"must be replaced\". " +
		"With `create_before_destroy`, run `terraform untaint` first."
}

// waitUntilListed waits for the listing to show the session, and adds the values that only it shows.
func (r *liveSession) waitUntilListed(ctx context.Context, m values) (diags diag.Diagnostics) {
	missing := m.missing(computed, attribute.isListed)
	if len(missing) == 0 || !isAllocated(m.text("status")) {
		return nil
	}
	s, err := r.listing().find(ctx, r.Data.API, m.text("id"), time.Time{}) // read for another session, it may do
	if s != nil {
		m.addMissing(s, computed)
	}
	if len(m.missing(computed, attribute.isListed)) == 0 {
		return nil
	}
	for range attempts(ctx) {
		if s, err = r.listing().find(ctx, r.Data.API, m.text("id"), time.Now()); s != nil {
			m.addMissing(s, computed)
			return nil
		}
	}
	diags.Append(missingDiagnostic(m, missing, err))
	return diags
}

// attempts yields at 0, 2, 6, 14 and 30 s, and ends with ctx.
func attempts(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range 5 {
			if i > 0 && retry.Sleep(ctx, time.Second<<i) != nil || !yield(i) {
				return
			}
		}
	}
}

// waitStatuses returns the statuses of wait_for_status, or the default.
func waitStatuses(set types.Set) []string {
	if set.IsNull() {
		return []string{statusReady, statusScheduled}
	}
	return elements(set)
}

// mayPass reports whether another request may succeed.
func mayPass(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && (e.MayPass || e.Status == 0 && e.Attempts > 0)
}
