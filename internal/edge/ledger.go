package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// Until Terraform shows a state that it has saved, only the ledger has what an apply has made.

func (s *server) End() { s.config.Ledger().Close() }

// saved removes from the ledger what a state has that Terraform has saved. planned says that it is
// the prior state of a plan.
func (s *server) saved(ctx context.Context, typeName string, state *tfprotov6.DynamicValue, planned bool) {
	if state != nil && s.matters(ctx, typeName) {
		s.config.Ledger().Shown(ctx, planned, s.ids(typeName, state)...)
	}
}

// matters reports whether the ledger has to know what a state has: to end lines, and to tell the
// session of a lost create from those of resources.
func (s *server) matters(ctx context.Context, typeName string) bool {
	return typeName == "vodlive_live_session" || s.config.Ledger().Any(ctx)
}

// stored is saved for what a state file has: Terraform shows it even where a plan does not refresh,
// and for a tainted object, whose plan has no prior state.
func (s *server) stored(ctx context.Context, typeName string, state *tfprotov6.RawState) {
	if state == nil || !s.matters(ctx, typeName) {
		return
	}
	var has struct {
		ID    string `json:"id"`
		Files map[string]struct {
			KeyPath string `json:"key_path"`
		} `json:"files"`
	}
	if json.Unmarshal(state.JSON, &has) != nil { // the framework says so
		return
	}
	ids := []string{has.ID}
	for _, file := range has.Files {
		ids = append(ids, file.KeyPath)
	}
	s.config.Ledger().Shown(ctx, true, ids...)
}

// imported tells the ledger that the state of an object is that of an import, which is not saved.
func (s *server) imported(ctx context.Context, imported *tfprotov6.ImportedResource) {
	if imported.State == nil {
		return
	}
	for _, id := range s.ids(imported.TypeName, imported.State) {
		s.config.Ledger().Import(ctx, id)
	}
}

// ids are the ids of what a state has: of the object, and the key paths of a folder's files.
func (s *server) ids(typeName string, state *tfprotov6.DynamicValue) (ids []string) {
	schema := s.schema().ResourceSchemas[typeName]
	if schema == nil {
		return nil
	}
	value, err := state.Unmarshal(schema.ValueType())
	if err != nil { // the framework says so
		return nil
	}
	_ = tftypes.Walk(value, func(path *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		switch steps := path.Steps(); {
		case len(steps) == 0:
			return true, nil
		case steps[0] == tftypes.AttributeName("id"), len(steps) == 3 && steps[0] == tftypes.AttributeName("files") && steps[2] == tftypes.AttributeName("key_path"):
			var id string
			if v.IsKnown() && !v.IsNull() && v.As(&id) == nil {
				ids = append(ids, id)
			}
		}
		return path.Steps()[0] == tftypes.AttributeName("files"), nil
	})
	return ids
}

// mostUnshown is how many sessions and jobs one warning names.
const mostUnshown = 20

// unshown warns, once a process and before its first change, of the sessions and jobs that earlier
// runs of this configuration have made and no state has shown: no create may ask for them again.
func (s *server) unshown(ctx context.Context) (diags []*tfprotov6.Diagnostic) {
	s.told.Do(func() {
		lines := s.config.Ledger().Unshown(ctx)
		if len(lines) == 0 {
			return
		}
		var b strings.Builder
		for i, n := range lines {
			if i == mostUnshown {
				fmt.Fprintf(&b, "- %d more\n", len(lines)-i)
				break
			}
			b.WriteString("- " + describe(n) + "\n")
		}
		diags = append(diags, &tfprotov6.Diagnostic{
			Severity: tfprotov6.DiagnosticSeverityWarning,
			Summary:  "Earlier runs made sessions or jobs that no state has shown",
			Detail: "Runs in this folder and workspace made these, and ended before Terraform showed that it had saved them:\n" + b.String() +
				"\nNothing stops them. If a resource has one of them (`terraform state list -id=ID` tells), a refresh ends this warning. " +
				"To manage a session, import it by its id. To end this warning without that, remove the file.",
		})
	})
	return diags
}

// describe says what a line is about, and where its file is.
func describe(n *resume.Line) string {
	at := n.Began().UTC().Format(time.RFC3339)
	what := "the batch job on " + quote.Escape(n.Name())
	if n.Kind() == resume.KindSession {
		what = "live session " + quote.Escape(n.Name())
	}
	switch made := n.Made(); {
	case made == nil:
		what += ", asked for at " + at + ", without a response: it may exist"
	case n.Kind() == resume.KindSession:
		what += fmt.Sprintf(" (id %s), made at %s", quote.Escape(made.ID), at)
	default:
		what += ", submitted at " + at
	}
	if path := n.Path(); path != "" {
		what += "; file " + quote.Escape(path)
	}
	return what
}
