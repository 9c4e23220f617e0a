package edge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// Until Terraform shows a state that it has saved, only the ledger has what an apply has made.

func (s *server) End() { s.config.Ledger().Close() }

// saved removes from the ledger what a state has that Terraform has saved. planned says that it may
// be the prior state of a plan. Sessions matter even to an empty ledger, which tells the session of
// a lost create from those of resources.
func (s *server) saved(ctx context.Context, typeName string, state *tfprotov6.DynamicValue, planned bool) {
	if typeName == "vodlive_live_session" || s.config.Ledger().Any(ctx) {
		s.config.Ledger().Shown(ctx, planned, ids(state)...)
	}
}

// imported tells the ledger that the state of an object is that of an import, which is not saved.
func (s *server) imported(ctx context.Context, imported *tfprotov6.ImportedResource) {
	for _, id := range ids(imported.State) {
		s.config.Ledger().Import(ctx, id)
	}
}

// ids are the ids of what a state has: of the object, and the key paths of a folder's files. It
// decodes nothing else, because the files may be many. It has none of a state that it cannot read:
// the framework says so.
func ids(state *tfprotov6.DynamicValue) (ids []string) {
	var has struct {
		ID    string `msgpack:"id"`
		Files map[string]struct {
			KeyPath string `msgpack:"key_path"`
		} `msgpack:"files"`
	}
	if state == nil || msgpack.Unmarshal(state.MsgPack, &has) != nil {
		return nil
	}
	ids = append(ids, has.ID)
	for _, file := range has.Files {
		ids = append(ids, file.KeyPath)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}

// mostUnshown is how many sessions and jobs one warning names.
const mostUnshown = 20

// warnUnshown warns of the sessions and jobs that earlier runs of this configuration have made, and
// no state has shown: no create may ask for them again. It is for the first change of a process.
func warnUnshown(lines []*resume.Line) (diags []*tfprotov6.Diagnostic) {
	if len(lines) == 0 {
		return nil
	}
	var b strings.Builder
	for i, n := range lines {
		if i == mostUnshown {
			fmt.Fprintf(&b, "- %d more\n", len(lines)-i)
			break
		}
		b.WriteString("- " + describe(n) + "\n")
	}
	return append(diags, &tfprotov6.Diagnostic{
		Severity: tfprotov6.DiagnosticSeverityWarning,
		Summary:  "Earlier runs made sessions or jobs that no state has shown",
		Detail: "Runs in this folder and workspace made these, and no plan on this machine has shown them in the state since. Plans on other machines do not count, and those with `-target` or `-refresh=false` do not read every resource.\n" + b.String() +
			"\nNothing stops them. One for which the plan says that the apply waits needs nothing. If a resource has one of them (`terraform state list -id=ID` tells), a refresh ends this warning. " +
			"To manage a session, import it by its id. To end this warning without that, remove the file.",
	})
}

// describe says what a line is about, and where its file is.
func describe(n *resume.Line) string {
	at := n.Began().UTC().Format(time.RFC3339)
	what := "the batch job on " + parse.Escape(n.Name())
	if n.Kind() == resume.KindSession {
		what = "live session " + parse.Escape(n.Name())
	}
	switch made := n.Made(); {
	case made == nil:
		what += ", asked for at " + at + ", without a response: it may exist"
	case n.Kind() == resume.KindSession:
		what += fmt.Sprintf(" (id %s), made at %s", parse.Escape(made.ID), at)
	default:
		what += ", submitted at " + at
	}
	if path := n.Path(); path != "" {
		what += "; file " + parse.Escape(path)
	}
	return what
}
