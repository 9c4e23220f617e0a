package mediafolder

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// How a user goes on after files failed.
const (
	inTheState = "The state has all stored files, and what is needed to continue the others. The next apply sends only what is missing."
	tainted    = "\n\nIts plan reads \"must be replaced\", because Terraform marks what could not be created as tainted. Nothing is lost. " +
		"But with `prevent_destroy` or `create_before_destroy`, here or in what depends on this, first run `terraform untaint` with the address of this resource."
)

// apply uploads the files that a plan has to upload, and turns the plan into the resulting state.
type apply struct {
	data   *providerdata.Data
	plan   *model
	before map[string]entry  // of the state
	next   string            // how a user goes on after files failed
	show   func(line string) // gets lines of progress

	files      []upload.File    // that were to be sent
	stored     map[string]entry // as planned; after run, what is stored
	incomplete map[string]attr.Value
	diags      diag.Diagnostics
}

// check reports what is missing for sending, if anything is to be sent.
func (a *apply) check(diags *diag.Diagnostics) {
	if slices.ContainsFunc(slices.Collect(maps.Values(a.stored)), entry.unsent) {
		diags.Append(a.data.NeedUpload(typeName)...)
	}
}

// within is run with the time limit of an operation.
func (a *apply) within(ctx context.Context, limit time.Duration, operation string) {
	ctx, cancel := providerdata.WithLimit(ctx, limit, operation)
	defer cancel()
	a.run(ctx)
}

func (a *apply) run(ctx context.Context) {
	paths, _, _ := walk(a.plan.dir(), a.plan.patterns()) // the uploads report what cannot be read
	var names []string
	for _, name := range slices.Sorted(maps.Keys(a.stored)) {
		if a.stored[name].unsent() {
			names = append(names, name)
			a.files = append(a.files, a.plan.file(name, cmp.Or(paths[name], a.plan.localPath(name)), a.stored[name]))
		}
	}
	outcomes := a.data.Uploader.UploadFolder(ctx, filepath.Base(absolute(a.plan.dir())), a.files, a.show)
	a.take(names, outcomes)
	a.plan.counted(a.stored)
	if len(a.incomplete) > 0 { // else the plan has null
		a.plan.Incomplete = types.MapValueMust(incompleteType, a.incomplete)
	}
	switch { // null until a creation has succeeded: see Delete
	case !a.plan.ID.IsUnknown():
	case a.diags.HasError():
		a.plan.ID = types.StringNull()
	default:
		a.plan.ID = types.StringValue(rand.Text())
	}
}

// take makes the outcomes of the files with these names what is stored.
func (a *apply) take(names []string, outcomes []upload.Outcome) {
	a.incomplete = map[string]attr.Value{}
	failed := map[string]error{}
	var warnings []upload.Warning
	kept := map[string]bool{} // a file that was moved has its key path under another name
	for _, e := range a.stored {
		kept[e.KeyPath] = true
	}
	for i, o := range outcomes {
		name := names[i]
		warnings = append(warnings, o.Warnings...)
		if o.Err == nil {
			e := a.stored[name]
			e.KeyPath, e.ETag, e.UploadedAt = o.KeyPath, o.ETag, o.UploadedAt
			a.stored[name] = e
			continue
		}
		failed[name] = o.Err
		if o.Left != nil {
			a.incomplete[name] = mediafile.IncompleteObject(a.files[i], o.Left)
		}
		if before, ok := a.before[name]; ok && !kept[before.KeyPath] {
			a.stored[name] = before // what was stored before still is
		} else {
			delete(a.stored, name)
		}
	}
	mediafile.Warnings(warnings, &a.diags)
	if len(failed) > 0 {
		a.diags.Append(failures(failed, len(names), a.next))
	}
}

// failures is one error for all files that failed, by name, of those that were to be uploaded.
func failures(failed map[string]error, asked int, next string) diag.Diagnostic {
	var lines []string
	advice, others := "", map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		switch err := failed[name]; {
		case errors.Is(err, upload.ErrNotTried):
			others["Files that were not tried, because too many in a row failed: %d."]++
		case errors.Is(err, context.Canceled):
			others["Files that were not stored, because the run was interrupted: %d."]++
		default:
			advice = cmp.Or(advice, providerdata.Advice(err))
			lines = append(lines, fmt.Sprintf("%s: %s", name, providerdata.ErrorText(err)))
		}
	}
	for text, n := range others { // first: a long list is cut
		lines = append([]string{fmt.Sprintf(text, n)}, lines...)
	}
	detail := fmt.Sprintf("%d of %d files could not be uploaded:\n%s", len(failed), asked, providerdata.List(lines))
	if advice != "" {
		detail += "\n\n" + advice
	}
	return diag.NewErrorDiagnostic("Files could not be uploaded", fmt.Sprintf("%s\n\nFiles that this run has stored: %d. %s", detail, asked-len(failed), next))
}
