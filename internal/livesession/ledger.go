package livesession

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// ledgerRequest is what a session is looked up by in the ledger.
func ledgerRequest(data *providerdata.Data, given values) resume.Request {
	return resume.Request{Kind: resume.KindSession, Service: data.LiveAddress + "\n" + data.LiveAccount, Body: given.meaning(), Name: given.text("name")}
}

// leave leaves a session that was never ready to the Create that replaces it: Terraform passes
// nothing from a Delete to a Create. An error of the Create that can be foreseen must not cost the
// state: that it could not read the session, or that lines refuse it which have other arguments
// than the session. Whether write-only URLs are equal, only the Create sees. A session that ends is
// not left: the Create does not use it.
func (r *liveSession) leave(ctx, limited context.Context, m values, refusing []*resume.Line) (left bool, d diag.Diagnostic) {
	equal := r.earlierLines(limited, m, m)
	if m[versionName].IsNull() && slices.ContainsFunc(refusing, func(line *resume.Line) bool { return !slices.Contains(equal, line) }) {
		if d := r.madeEarlier(ctx, limited, m, m, m, refusing...); d != nil {
			return false, d
		}
	}
	s, err := r.readEarlier(limited, m.text("id"), time.Now())
	switch {
	case err != nil && !api.NotFound(err):
		return false, unreadableEarlier(m.label(), err)
	case err == nil && !m.usable(s):
		m["status"] = types.StringValue(s.Status()) // what is said of it is true
		return false, nil
	}
	r.Data.Ledger.Leave(ctx, leftRequest(r.Data, m), resume.Made{ID: m.text("id")})
	return true, nil
}

// left takes the session with these arguments that a Delete of this process has left, and that has
// not ended. After one that was killed, a state may still have it.
func (r *liveSession) left(ctx context.Context, m values, diags *diag.Diagnostics) api.Session {
	for {
		line, ok := r.Data.Ledger.Take(ctx, leftRequest(r.Data, m), (*resume.Line).Left)
		if !ok {
			return nil
		}
		s, err := r.readEarlier(ctx, line.Made().ID, line.Began())
		switch {
		case err != nil && !api.NotFound(err):
			diags.Append(unreadableEarlier(line.Made().ID, err))
			return nil
		case err == nil && m.usable(s):
			return s
		}
		resume.Drop(ctx, line)
	}
}

// usable reports whether a session on its way is, or may become, what the configuration waits for.
func (m values) usable(s api.Session) bool {
	return !ending(s.Status()) || m.ready(types.StringValue(s.Status()))
}

// leftRequest is what a session that a Delete has left is looked up by: the arguments that states
// have.
func leftRequest(data *providerdata.Data, m values) resume.Request {
	r := ledgerRequest(data, m)
	r.Body = []any{r.Body, m[versionName].String()}
	return r
}

// unreadableEarlier is the error of a session of an earlier run that cannot be read.
func unreadableEarlier(label string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The live session of an earlier run cannot be read",
		fmt.Sprintf("An earlier run created live session %s with exactly these arguments. "+
			"It could not be read, so the create was not sent: another session would run beside it. Apply again.\n\n%s", label, providerdata.ErrorText(err)))
}

// earlierLines are the lines of sessions with these arguments, and of those that a Delete has left,
// which had the arguments of m.
func (r *liveSession) earlierLines(ctx context.Context, m, given values) []*resume.Line {
	return append(r.Data.Ledger.Find(ctx, ledgerRequest(r.Data, given)), r.Data.Ledger.Find(ctx, leftRequest(r.Data, m))...)
}

// refusing are the ids of lines that would refuse to create a session with these arguments. There
// are none while an argument is not known.
func (r *liveSession) refusing(ctx context.Context, m, given values) (ids []string) {
	if r.Data == nil || r.Data.Unknown || !given.known() {
		return nil
	}
	for _, line := range r.earlierLines(ctx, m, given) {
		if line.Made() != nil {
			ids = append(ids, line.ID())
		}
	}
	return ids
}

// madeEarlier looks in the ledger for sessions with these arguments for which an earlier run has
// asked and which no state has shown. One that may run is an error: nobody can stop it, and only
// the user knows whether another resource has it. others are lines of sessions with other arguments
// to tell of. old is the session in the state, which may be nil.
func (r *liveSession) madeEarlier(ctx, limited context.Context, m, given, old values, others ...*resume.Line) diag.Diagnostic {
	lines := r.earlierLines(limited, m, given)
	others = slices.DeleteFunc(others, func(line *resume.Line) bool { return slices.Contains(lines, line) })
	var told earlier
	var unanswered []*resume.Line
	for _, line := range append(lines, others...) {
		if line.Made() == nil {
			unanswered = append(unanswered, line)
			continue
		}
		id := line.Made().ID
		s, err := r.readEarlier(limited, id, line.Began())
		switch {
		case api.NotFound(err), err == nil && terminal(s.Status()):
			resume.Drop(ctx, line)
		case err != nil:
			return unreadableEarlier(id, err)
		default:
			told.add(line, s)
		}
	}
	if d := told.diagnostic(old); d != nil {
		return d
	}
	return r.unanswered(ctx, unanswered, given, old)
}

// earlier are sessions of earlier runs that no state has shown, for one diagnostic.
type earlier struct{ sessions, blocks, commands, files []string }

func (e *earlier) add(line *resume.Line, s api.Session) {
	id := line.Made().ID
	e.sessions = append(e.sessions, fmt.Sprintf("An earlier run created live session %s (%q, status %s) with exactly these arguments at %s, and no plan on this machine has shown it in the state since.",
		id, line.Name(), s.Status(), utc(line.Began())))
	e.blocks = append(e.blocks, importBlock(id))
	e.commands = append(e.commands, fmt.Sprintf("`terraform state list -id=%s`", parse.Shell(id)))
	e.files = append(e.files, line.Path())
}

// diagnostic is nil without sessions.
func (e *earlier) diagnostic(old values) diag.Diagnostic {
	if len(e.sessions) == 0 {
		return nil
	}
	others := ""
	if len(e.sessions) > 1 {
		others = " If several resources have these arguments, import each session into one of them only."
	}
	return diag.NewErrorDiagnostic("An earlier run has created this live session",
		fmt.Sprintf("%s Nothing stops a session, so no other one was created.\n\n%sTo manage it, add its block with the address of the resource, then apply.%s\n\n%s\n\n"+
			"If a resource has it already, %s names that resource. Then run `terraform refresh`, or a plan without `-target` and `-refresh=false`, before you apply again.\n\n%s",
			strings.Join(e.sessions, "\n"), replacing(old), others, strings.Join(e.blocks, "\n\n"), enumerate(e.commands, "or"), secondSession(e.files...)))
}

// replacing says what comes before an import into a resource that has a session. The Create of a
// create_before_destroy does not see the state.
func replacing(old values) string {
	has := "If the state still has another session of the resource, as with `create_before_destroy`, first"
	if old.text("id") != "" {
		has = fmt.Sprintf("The state still has live session %s. To import another session in its place, first", old.label())
	}
	return has + " run `terraform state rm` with the address of the resource. "
}

// secondSession says how to create a session although the ledger has lines. In memory they have no
// files.
func secondSession(files ...string) string {
	files = slices.DeleteFunc(files, func(file string) bool { return file == "" })
	if len(files) == 0 {
		return "To create another session beside it, apply again."
	}
	noun := "file"
	if len(files) > 1 {
		noun = "files"
	}
	return fmt.Sprintf("To create another session beside it, remove the %s %s and apply again.", noun, enumerate(files, "and"))
}

// unanswered looks for sessions for which earlier runs have asked without a response. It returns
// nil and drops the lines if the service surely did not make them, because new sessions would be in
// the listing by now, or if all that it may have made has ended.
func (r *liveSession) unanswered(ctx context.Context, lines []*resume.Line, given values, old values) diag.Diagnostic {
	if len(lines) == 0 {
		return nil
	}
	l := lostCreate{data: r.Data, given: given, old: old}
	var times, files []string
	for _, line := range lines {
		age := max(time.Since(line.Began()), 0) // a clock that was set back since then says nothing
		l.within = max(l.within, appearWithin-age)
		times, files = append(times, utc(line.Began())), append(files, line.Path())
	}
	l.search(ctx)
	runs := slices.ContainsFunc(l.found, func(s api.Session) bool { return !terminal(s.Status()) })
	if !l.interrupted && l.err == nil && !runs {
		for _, line := range lines {
			resume.Drop(ctx, line)
		}
		return nil
	}
	asked := "An earlier run asked for a session"
	if len(lines) > 1 {
		asked = fmt.Sprintf("Earlier runs asked for %d sessions", len(lines))
	}
	return diag.NewErrorDiagnostic("The live session may have been created",
		fmt.Sprintf("%s with exactly these arguments at %s, and did not get a response. "+
			"The provider did not send the request again, because that could create a second session.\n\n%s\n\n%s", asked, enumerate(times, "and"), l.text(), secondSession(files...)))
}

// readEarlier reads a session of an earlier run. A 404 does not count while the listing shows the
// session: then it is as the listing has it.
func (r *liveSession) readEarlier(ctx context.Context, id string, began time.Time) (api.Session, error) {
	s, err := r.readNew(ctx, id, began)
	if api.NotFound(err) {
		if listed, listErr := r.Data.Sessions.Listed(ctx, id, time.Time{}); listed != nil || listErr != nil {
			return listed, listErr
		}
	}
	return s, err
}

// imported tells the ledger that the user imports a session with exactly the arguments of requests
// without a response: once a state has it, it was the answer to one of them, or the user wants no
// other.
func (r *liveSession) imported(ctx context.Context, m values) {
	id := m.text("id")
	lines := r.Data.Ledger.Find(ctx, ledgerRequest(r.Data, m))
	lines = slices.DeleteFunc(lines, func(line *resume.Line) bool { return line.Made() != nil })
	if len(lines) == 0 || slices.ContainsFunc(lines, func(line *resume.Line) bool { return line.Imported() == id }) {
		return
	}
	i := slices.IndexFunc(lines, func(line *resume.Line) bool { return line.Imported() == "" })
	r.Data.Ledger.Import(ctx, id, lines[max(i, 0)])
}

func utc(t time.Time) string { return t.UTC().Format(time.RFC3339) }
