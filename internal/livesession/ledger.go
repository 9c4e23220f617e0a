package livesession

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// ledgerArgs is what a session is looked up by in the ledger.
func ledgerArgs(data *providerdata.Data, spec api.SessionSpec) string {
	arguments, _ := json.Marshal(spec) // strings and booleans
	return fmt.Sprintf("%s\n%s\n%s", data.LiveAddress, data.LiveAccount, arguments)
}

// takeOver looks in the ledger for a session with the same arguments, for which an earlier run has
// asked, and which Terraform could not save. done reports that nothing is to be sent. old is the
// session in the state, which may be nil.
func (r *liveSession) takeOver(ctx, limited context.Context, given *session, old *model, diags *diag.Diagnostics) (earlier *api.Session, done bool) {
	for {
		line, ok := r.Data.Ledger.Take(limited, resume.KindSession, ledgerArgs(r.Data, given.spec()), nil)
		switch {
		case !ok:
			return nil, false
		case line.Made() == nil:
			diags.Append(r.unanswered(ctx, line, given, old))
			return nil, true
		}
		id := line.Made().ID
		s, err := r.readEarlier(limited, id, line.Began())
		switch {
		case api.NotFound(err), err == nil && terminal(canonical(s.Status, statuses)):
			line.Drop(ctx)
		case err != nil:
			line.Return(ctx)
			diags.AddError("The live session of an earlier run cannot be read",
				fmt.Sprintf("A run that Terraform could not finish created live session %s with exactly these arguments at %s. It is in no state. "+
					"Reading it failed, so nothing was sent: another session would run beside it. Apply again.\n\n%s",
					id, utc(line.Began()), providerdata.ErrorText(err)))
			return nil, true
		case !createsOf(r.Data).own(id):
			line.Drop(ctx) // another resource has it
		default:
			diags.AddWarning("The live session of an earlier run was taken over",
				fmt.Sprintf("A run that Terraform could not finish created live session %s with exactly these arguments at %s, and it runs since then. "+
					"It was in no state, so it was taken over, and no other session was created. Its status is %s. "+
					"To create another one, run `terraform apply -replace` with the resource's address: this session keeps running.",
					id, utc(line.Began()), s.Status))
			return s, true
		}
	}
}

// unanswered reports a session for which an earlier run has asked without a response. It is
// reported once.
func (r *liveSession) unanswered(ctx context.Context, line *resume.Line, given *session, old *model) diag.Diagnostic {
	createsOf(r.Data).begin(given.spec())
	l := lostCreate{data: r.Data, given: *given, old: old, sent: line.Began()}
	l.search(ctx)
	if l.interrupted {
		line.Return(ctx)
	} else {
		line.Drop(ctx)
	}
	return diag.NewErrorDiagnostic("The live session may have been created",
		fmt.Sprintf("A run that Terraform could not finish asked for a session with exactly these arguments at %s, and did not get a response. "+
			"The provider did not send the request again, because that could create a second session.\n\n%s", utc(line.Began()), l.text()))
}

// readEarlier reads a session of an earlier run. A 404 does not count while the session may be too
// new to be read.
func (r *liveSession) readEarlier(ctx context.Context, id string, began time.Time) (*api.Session, error) {
	for interval := pollFirst; ; interval = min(interval*3/2, pollLast) {
		s, err := r.Data.API.GetSession(ctx, id)
		if !api.NotFound(err) || time.Since(began) >= appearWithin {
			return s, err
		}
		if err := retry.Sleep(ctx, interval); err != nil {
			return nil, err
		}
	}
}

func utc(t time.Time) string { return t.UTC().Format(time.RFC3339) }
