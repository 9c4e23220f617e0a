package mediafolder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// steps say how a user goes on after files failed.
type steps struct {
	toContinue string // where the stored files are known, and what sends the others
	ifStored   string // for a file that may be stored
}

const inTheState = "The state has all stored files, and what is needed to continue the files that are sent in parts. The next apply sends only what is missing."

var (
	afterUpdate = steps{toContinue: inTheState, ifStored: "If it is stored, name its key path in `adopt`; if the state has an earlier version of the file, first name the file in `exclude` and apply."}
	afterCreate = steps{
		toContinue: inTheState + "\n\nIts plan reads \"must be replaced\", because Terraform marks what could not be created as tainted. Nothing is lost. " +
			"But first run `terraform untaint` with the address of this resource if it has `prevent_destroy` or `destroy = false`, or if it or a resource that depends on it has `create_before_destroy`: " +
			"otherwise that plan fails, or sends all files again.",
		ifStored: afterUpdate.ifStored,
	}
	afterNothing = steps{toContinue: "Nothing is in the state: the next apply sends all files.", ifStored: afterUpdate.ifStored}
	afterInvoke  = steps{
		toContinue: "Stored files and stored parts are recorded in `resume_dir`. No batch job was submitted. " +
			"Invoke the action again on this machine: it sends only what is missing, and submits the job on all files.",
		ifStored: "The next invocation uploads it from its beginning.",
	}
	afterInvokeWithoutRecords = steps{
		toContinue: "No batch job was submitted. The stored files could not be recorded in `resume_dir`: the next invocation sends them again.",
		ifStored:   afterInvoke.ifStored,
	}
)

// failuresDiagnostic is one error for all files that failed, by name, of those that were to be
// uploaded.
func failuresDiagnostic(failed map[string]error, asked int, next steps) diag.Diagnostic {
	var lines []string
	var hint string
	notTried, interrupted := 0, 0
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		err := failed[name]
		switch {
		case errors.Is(err, upload.ErrNotTried):
			notTried++
			continue
		case errors.Is(err, context.Canceled):
			interrupted++
			continue
		}
		hint = cmp.Or(hint, providerdata.Advice(err))
		line := fmt.Sprintf("%s: %s", name, providerdata.ErrorText(err))
		if _, unsure := errors.AsType[*upload.MaybeCompleteError](err); unsure {
			line += " " + next.ifStored
		}
		lines = append(lines, line)
	}
	var counts []string // first: a long list is cut
	if interrupted > 0 {
		counts = append(counts, fmt.Sprintf("The run was interrupted. Files that were not stored because of that: %d.", interrupted))
	}
	if notTried > 0 {
		counts = append(counts, fmt.Sprintf("Files that were not tried, because too many in a row failed: %d.", notTried))
	}
	detail := fmt.Sprintf("%d of %d files could not be uploaded", len(failed), asked)
	if interrupted == len(failed) {
		detail += ", because the run was interrupted."
	} else {
		detail += ":\n" + providerdata.List(append(counts, lines...))
	}
	if hint != "" {
		detail += "\n\n" + hint
	}
	detail += fmt.Sprintf("\n\nFiles that this run has stored: %d. %s", asked-len(failed), next.toContinue)
	return diag.NewErrorDiagnostic("Files could not be uploaded", detail)
}

// forgotten warns of stored files of a folder that leave the state.
func forgotten(files map[string]entry, diags *diag.Diagnostics) {
	mediafile.Forgotten(keyPathLines(files), "\n\nIf one of them is to be in the folder again, name its key path in `adopt`: then it is not sent again. "+
		"If the state has another file of its name now, first name that in `exclude` and apply.", diags)
}

// keyPathLines are the key paths of files, by name.
func keyPathLines(files map[string]entry) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines = append(lines, fmt.Sprintf("%s: %s", name, files[name].KeyPath))
	}
	return lines
}
