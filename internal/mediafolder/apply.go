package mediafolder

import (
	"context"
	"crypto/rand"
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

// apply uploads the files that a plan has to upload, and turns the plan into the resulting state.
type apply struct {
	data   *providerdata.Data
	plan   *model
	before map[string]entry // of the state
	next   steps
	scope  string            // of an upload without a state: see upload.File; "": there is a state
	show   func(line string) // gets lines of progress, as in UploadFolder

	stored     map[string]entry // as planned; after run, what is stored
	incomplete map[string]attr.Value
	outcomes   []upload.Outcome
	recorded   bool // see UploadFolder
	diags      diag.Diagnostics
}

// within is run with the time limit of an operation.
func (a *apply) within(ctx context.Context, limit time.Duration, operation string) {
	ctx, cancel := providerdata.WithLimit(ctx, limit, operation)
	defer cancel()
	a.run(ctx)
}

// sends reports whether anything is to be sent.
func (a *apply) sends() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(a.stored)), entry.unsent)
}

func (a *apply) run(ctx context.Context) {
	a.incomplete = map[string]attr.Value{}
	dir := a.plan.dir()
	paths, _, _ := walk(dir, a.plan.patterns()) // the uploads report what cannot be read
	var names []string
	folder := upload.Folder{Name: filepath.Base(absolute(dir))}
	for _, name := range slices.Sorted(maps.Keys(a.stored)) {
		if !a.stored[name].unsent() {
			continue
		}
		path, ok := paths[name]
		if !ok {
			path = filepath.Join(dir, filepath.FromSlash(name))
		}
		file := a.plan.file(name, path, a.stored[name])
		file.ForState, file.Scope = a.scope == "", a.scope
		names, folder.Files = append(names, name), append(folder.Files, file)
	}
	a.outcomes, a.recorded = a.data.Uploader.UploadFolder(ctx, folder, a.show)
	if a.scope != "" && !a.recorded {
		a.next = afterInvokeWithoutRecords
	}
	a.take(names, folder.Files, a.outcomes)
	a.finish()
}

func (a *apply) take(names []string, files []upload.File, outcomes []upload.Outcome) {
	failed := map[string]error{}
	var warnings []upload.Warning
	kept, sums := a.keyPaths(), a.plan.sums()
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
		if found := upload.OtherHash(o.Err); found != "" && sums[name] != "" {
			failed[name] = mediafile.OtherHash("sha256s", sums[name], name, mediafile.ReadSending, found)
		}
		if o.Left != nil {
			a.incomplete[name] = mediafile.IncompleteObject(files[i], o.Left)
		}
		if before, ok := a.before[name]; ok && !kept[before.KeyPath] {
			a.stored[name] = before // what was stored before still is
		} else {
			delete(a.stored, name)
		}
	}
	mediafile.Warnings(warnings, &a.diags)
	if a.next == afterCreate && len(a.stored)+len(a.incomplete) == 0 {
		a.next = afterNothing
	}
	if len(failed) > 0 {
		a.diags.Append(failuresDiagnostic(failed, len(names), a.next))
	}
}

// keyPaths are those of the stored files. A file that was moved has its key path under another
// name.
func (a *apply) keyPaths() map[string]bool {
	all := make(map[string]bool, len(a.stored))
	for _, e := range a.stored {
		all[e.KeyPath] = true
	}
	return all
}

// finish warns of what is no longer in the state: what the plan replaced or left out.
func (a *apply) finish() {
	gone, kept := map[string]entry{}, a.keyPaths()
	for name, e := range a.before {
		if !kept[e.KeyPath] {
			gone[name] = e
		}
	}
	forgotten(gone, &a.diags)
	a.plan.counted(a.stored)
	if len(a.incomplete) > 0 { // else the plan has null
		a.plan.Incomplete = types.MapValueMust(incompleteType, a.incomplete)
	}
	// Null until a creation has succeeded. So Delete knows whether the replacement continues the
	// folder.
	switch {
	case !a.plan.ID.IsUnknown():
	case a.diags.HasError():
		a.plan.ID = types.StringNull()
	default:
		a.plan.ID = types.StringValue(rand.Text())
	}
}
