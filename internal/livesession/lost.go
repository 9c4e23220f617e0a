package livesession

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// searchLimit limits the search for a lost session, including retries of the listing.
const searchLimit = 2 * time.Minute

// createFailed turns the failure of a create into a diagnostic. A session that may have been
// created nevertheless is looked for in the listing, so that the user can import it instead of
// creating a second one. ErrorText leaves out the advice to apply again. old is the session in the
// state, which is empty for a new resource.
func createFailed(ctx context.Context, data *providerdata.Data, given, old values, sent time.Time, err error) diag.Diagnostic {
	if !api.MayHaveBeenProcessed(err) {
		return providerdata.ErrorDiagnostic("Creating the live session", err)
	}
	l := lostCreate{data: data, given: given, old: old, sent: sent, within: appearWithin}
	l.search(ctx)
	return diag.NewErrorDiagnostic("The live session may have been created",
		fmt.Sprintf("%s\n\nThe request was sent, but its outcome is not known. The provider did not send it again, because that could create a second session.\n\n%s",
			providerdata.ErrorText(err), l.text()))
}

// lostCreate is the search for the session of a create whose response was lost. The service shows
// no time of creation, so every session with these arguments may be it, unless the listing showed
// it before, or a resource has it.
type lostCreate struct {
	data  *providerdata.Data
	given values    // with the URLs of write-only arguments
	old   values    // in the state; may be empty
	sent  time.Time // before the request went out; zero: by an earlier process

	within time.Duration // how long the session may still take to appear

	searched    time.Duration // from the first listing to the last
	interrupted bool
	listed      bool          // a listing was read
	err         error         // of the last listing
	found       []api.Session // in the last listing that was read; those that may still run come first
}

// search lists repeatedly for within. It does not end when a session appears, because that
// may be an older one that the listing shows late, and the new one may follow.
func (l *lostCreate) search(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, searchLimit)
	defer cancel()
	start := time.Now()
	appearing(limited, l.within, func() (done bool) {
		if ctx.Err() != nil {
			return true
		}
		l.err = l.list(limited)
		l.searched = time.Since(start)
		return l.err != nil && !transient(l.err)
	})
	l.interrupted = ctx.Err() != nil
}

// list reads the whole listing.
func (l *lostCreate) list(ctx context.Context) error {
	var found, ended []api.Session
	for s, err := range l.data.Sessions.All(ctx) {
		switch {
		case err != nil:
			return err
		case !mayHave(l.given, s), l.data.Ledger.Owns(s.ID()), l.data.Sessions.ShownBefore(s.ID(), l.sent):
		case terminal(s.Status()):
			ended = append(ended, s)
		default:
			found = append(found, s)
		}
	}
	l.listed, l.found = true, slices.Concat(found, ended)
	return nil
}

// A diagnostic has at most this many import blocks, and no more bytes of them: an account may have
// thousands of sessions with the same arguments, and an id may be long.
const mostBlocks, mostBlockBytes = 10, 6 << 10

// text describes the result of the search, with import blocks. It shows no sources and
// destinations, which are secrets.
func (l *lostCreate) text() string {
	var b strings.Builder
	switch {
	case !l.listed && l.interrupted:
		b.WriteString("The run was interrupted before the provider could look for the session.")
	case !l.listed:
		fmt.Fprintf(&b, "The provider looked for the session, but listing the sessions of the account failed: %s", providerdata.Reason(l.err))
	default:
		fmt.Fprintf(&b, "The provider looked for the session in the listing for %s", seconds(l.searched))
		if l.interrupted {
			b.WriteString(", until the run was interrupted")
		}
		if len(l.found) == 0 {
			b.WriteString(". No session with exactly these arguments is listed yet. The session may still appear.")
		} else {
			fmt.Fprintf(&b, ", and found %s with exactly these arguments. Each may be the new session, an older one, or the session of another create: "+
				"the service shows no time of creation. Do not import a session that a resource already has: `terraform state list -id=ID` finds the resource of an id.", count(len(l.found)))
		}
		if l.err != nil && !l.interrupted {
			b.WriteString(" The last listing failed: " + providerdata.Reason(l.err))
		}
	}
	left := mostBlockBytes
	for i, s := range l.found {
		block := importBlock(s.ID())
		if left -= len(block); left < 0 || i == mostBlocks {
			fmt.Fprintf(&b, "\n\nNot shown here: %s of these. The data source `vodlive_live_sessions` lists all of them by name.", count(len(l.found)-i))
			break
		}
		status := strings.Trim(strconv.Quote(s.Status()), `"`) // a line break would end the comment
		b.WriteString("\n\n# status " + status + "\n" + block)
	}
	b.WriteString("\n\n")
	b.WriteString(replacing(l.old))
	fmt.Fprintf(&b, "Before you apply, list the sessions of the account again (data source vodlive_live_sessions) and look for a session named %q in region %s "+
		"with input %s, mode %s and output mode %s that no resource manages. If there is one, import it with an `import` block. ",
		l.given.text("name"), l.given.text("region"), l.given.text("input"), l.given.text("mode"), l.given.text("output_mode"))
	if !l.sent.IsZero() { // otherwise the ledger has it, and nothing is created
		b.WriteString("An apply without the import may create a second session. ")
	}
	b.WriteString("If several resources have these arguments, import each session into one of them only.")
	return b.String()
}

// importBlock is the block that imports a session.
func importBlock(id string) string {
	return fmt.Sprintf("import {\n  to = %s.NAME\n  id = %s\n}", typeName, parse.HCL(id))
}

// mayHave reports whether a session has the given arguments. An optional value that the service did
// not send counts as equal.
func mayHave(given values, s api.Session) bool {
	shown := given.shown(s)
	return s.Name() != "" && s["region"] != "" && s["input"] != "" && s["mode"] != "" && len(differing(given, shown)) == 0
}
