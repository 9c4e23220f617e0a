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
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// searchLimit limits the search for a lost session, including retries of the listing.
const searchLimit = 2 * time.Minute

// createFailed turns the failure of a create into a diagnostic. A session that may have been
// created nevertheless is looked for in the listing, so that the user can import it instead of
// creating a second one. ErrorText leaves out the advice to apply again. old is the session in the
// state, which is nil for a new resource.
func createFailed(ctx context.Context, data *providerdata.Data, given session, old *model, sent time.Time, err error) diag.Diagnostic {
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
// no time of creation, so when the listing first shows a session tells a new one from an older one.
type lostCreate struct {
	data  *providerdata.Data
	given session   // with the URLs of write-only arguments
	old   *model    // in the state; may be nil
	sent  time.Time // before the request went out; zero: by an earlier process

	within time.Duration // how long the session may still take to appear

	searched    time.Duration // from the first listing to the last
	interrupted bool
	err         error           // of the last listing
	firstIDs    map[string]bool // in the first listing; nil before

	// Sessions of the last listing with these arguments that no resource of this run has.
	appeared []*api.Session // not in the first listing
	inFirst  []*api.Session // in the first listing, so new or older
	older    []*api.Session // on a page received before the request was sent
}

// search lists repeatedly for within. It does not end when a session appears, because that
// may be an older one that the listing shows late, and the new one may follow.
func (l *lostCreate) search(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, searchLimit)
	defer cancel()
	start := time.Now()
	// The listings begin at 0, 2, 6, 14 and 30 s, the last one after appearWithin at most.
	for interval := 2 * time.Second; ctx.Err() == nil; interval *= 2 {
		begun := time.Since(start)
		l.err = l.list(limited)
		l.searched = time.Since(start)
		refused := l.err != nil && !transient(l.err)
		if begun >= l.within || refused || retry.Sleep(limited, interval) != nil {
			break
		}
	}
	l.interrupted = ctx.Err() != nil
}

// list reads the whole listing and sorts the matching sessions into appeared, inFirst and older.
func (l *lostCreate) list(ctx context.Context) error {
	var matching []*api.Session
	for s, err := range l.data.Sessions.All(ctx) {
		if err != nil {
			return err
		}
		if mayHave(&l.given, s) && !createsOf(l.data).owns(s.ID) && !l.data.Ledger.HasShown(s.ID) {
			matching = append(matching, s)
		}
	}
	first := l.firstIDs == nil
	if first {
		l.firstIDs = map[string]bool{}
	}
	l.appeared, l.inFirst, l.older = nil, nil, nil
	slices.SortStableFunc(matching, runningFirst)
	for _, s := range matching {
		if first {
			l.firstIDs[s.ID] = true
		}
		switch {
		case l.data.Sessions.ShownBefore(s.ID, l.sent):
			l.older = append(l.older, s)
		case l.firstIDs[s.ID]:
			l.inFirst = append(l.inFirst, s)
		default:
			l.appeared = append(l.appeared, s)
		}
	}
	return nil
}

// certain reports whether the only session that appeared is most likely the new one: the first
// listing had none, and no other create with these arguments is unanswered.
func (l *lostCreate) certain() bool {
	return len(l.appeared) == 1 && len(l.inFirst) == 0 && !l.interrupted && l.err == nil && !createsOf(l.data).several(l.given.spec())
}

// text describes the result of the search, with an import block for each session that may be new.
// It shows no sources and destinations, which are secrets.
func (l *lostCreate) text() string {
	var b strings.Builder
	certain := l.certain()
	switch {
	case l.firstIDs == nil && l.interrupted:
		b.WriteString("The run was interrupted before the provider could look for the session.")
	case l.firstIDs == nil:
		fmt.Fprintf(&b, "The provider looked for the session, but listing the sessions of the account failed: %s", providerdata.ErrorText(l.err))
	case certain:
		b.WriteString("A session with exactly these arguments appeared after the request was sent. It is most likely the new session. It may also be an older one that the listing shows late, or one that somebody else created:")
	default:
		fmt.Fprintf(&b, "The provider looked for the session in the listing for %s", seconds(l.searched))
		if l.interrupted {
			b.WriteString(", until the run was interrupted")
		}
		if len(l.appeared) == 0 {
			b.WriteString(". No session with exactly these arguments appeared in this time. The session may still appear.")
		} else {
			fmt.Fprintf(&b, ". In this time %s with exactly these arguments appeared. Each may be the new session, an older one that the listing shows late, "+
				"or the session of another create.", count(len(l.appeared)))
		}
		if l.err != nil && !l.interrupted {
			b.WriteString(" The last listing failed: " + providerdata.ErrorText(l.err))
		}
	}
	shown := withBlocks(l.appeared, l.inFirst)
	writeBlocks(&b, l.appeared, shown)
	if len(l.inFirst) > 0 {
		fmt.Fprintf(&b, "\n\nThe first listing already showed %s with exactly these arguments. Each may be the new session or an older one: "+
			"the service shows no time of creation. Do not import a session that a resource already has: `terraform state list -id=ID` finds the resource of an id.", count(len(l.inFirst)))
		writeBlocks(&b, l.inFirst, shown)
	}
	if len(l.older) > 0 {
		fmt.Fprintf(&b, "\n\nBefore the request was sent, the listing already showed %s with exactly these arguments, which cannot be the new session: %s.", count(len(l.older)), idsOf(l.older))
	}
	b.WriteString("\n\n")
	b.WriteString(replacing(l.old))
	if certain {
		b.WriteString("Add this block with the address of the resource, then apply.")
	} else {
		spec := l.given.spec()
		fmt.Fprintf(&b, "Before you apply, list the sessions of the account again (data source vodlive_live_sessions) and look for a session named %q in region %s "+
			"with input %s, mode %s and output mode %s that no resource manages. If there is one, import it with an `import` block. "+
			"An apply without the import creates a second session.", spec.Name, spec.Region, spec.Input, spec.Mode, spec.OutputMode)
	}
	b.WriteString(" If several resources have these arguments, import each session into one of them only.")
	return b.String()
}

// A diagnostic has at most this many import blocks, and no more bytes of them: an account may have
// thousands of sessions with the same arguments, and an id may be long.
const mostBlocks, mostBlockBytes = 10, 6 << 10

// withBlocks chooses the sessions of both lists that get an import block: first those that may
// still run.
func withBlocks(appeared, inFirst []*api.Session) map[*api.Session]bool {
	chosen := map[*api.Session]bool{}
	left := mostBlockBytes
	all := slices.Concat(appeared, inFirst)
	slices.SortStableFunc(all, runningFirst)
	for _, s := range all {
		if left -= len(importBlock(s.ID)); left < 0 || len(chosen) == mostBlocks {
			break
		}
		chosen[s] = true
	}
	return chosen
}

// runningFirst orders sessions that may still run before those that have ended.
func runningFirst(a, b *api.Session) int {
	ended := func(s *api.Session) int {
		if terminal(canonical(s.Status, statuses)) {
			return 1
		}
		return 0
	}
	return ended(a) - ended(b)
}

// writeBlocks writes an import block for each chosen session of a list, below an empty line, and
// then how many have none.
func writeBlocks(b *strings.Builder, list []*api.Session, chosen map[*api.Session]bool) {
	others := 0
	for _, s := range list {
		if !chosen[s] {
			others++
			continue
		}
		status := strings.Trim(strconv.Quote(s.Status), `"`) // a line break would end the comment
		b.WriteString("\n\n# status " + status + "\n" + importBlock(s.ID))
	}
	if others > 0 {
		fmt.Fprintf(b, "\n\nNot shown here: %s of these. The data source `vodlive_live_sessions` lists all of them by name.", count(others))
	}
}

// idsOf names sessions in a sentence, at most as many as import blocks.
func idsOf(list []*api.Session) string {
	var ids []string
	left := mostBlockBytes / 2 // bytes
	for i, s := range list {
		if left -= len(s.ID); i == mostBlocks || left < 0 {
			ids = append(ids, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		ids = append(ids, s.ID)
	}
	return enumerate(ids, "and")
}

// importBlock is the block that imports a session.
func importBlock(id string) string {
	return fmt.Sprintf("import {\n  to = %s.NAME\n  id = %s\n}", typeName, quote.HCL(id))
}

// mayHave reports whether a session has the given arguments. An optional value that the service did
// not send counts as equal.
func mayHave(given *session, s *api.Session) bool {
	shown := *given
	shown.fill(s, arguments)
	return s.Name != "" && s.Region != "" && s.Input != "" && s.Mode != "" && len(differing(given, &shown)) == 0
}
