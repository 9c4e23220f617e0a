package mediafolder

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// apply uploads what a plan has to upload. It makes the plan the state that results.
type apply struct {
	data   *providerdata.Data
	plan   *model
	before map[string]entry // of the state
	next   steps
	key    string            // of the journal of an upload without a state; "": there is a state
	offer  *upload.Offer     // of the folder that is replaced; may be nil
	show   func(line string) // as that of UploadFolder

	stamps     map[string]string // as planned; after run, those of stored
	stored     map[string]entry  // as planned; after run, what is stored
	incomplete map[string]attr.Value
	recorded   bool // see UploadFolder
	diags      diag.Diagnostics
}

// within is run with the time limit of an operation.
func (a *apply) within(ctx context.Context, limit time.Duration, operation string) {
	ctx, cancel := providerdata.WithLimit(ctx, limit, operation)
	defer cancel()
	a.run(ctx)
}

func (a *apply) run(ctx context.Context) {
	a.incomplete = map[string]attr.Value{}
	dir := a.plan.SourceDir.ValueString()
	paths, _, _ := walk(dir, a.plan.patterns()) // the uploads report what cannot be read
	var names []string
	folder := upload.Folder{Name: filepath.Base(journalKey(dir)), Key: cmp.Or(a.key, journalKey(dir)), KeepJournal: a.key != "", Offer: a.offer}
	for _, name := range slices.Sorted(maps.Keys(a.stored)) {
		if !a.stored[name].unsent() {
			continue
		}
		path, ok := paths[name]
		if !ok {
			path = filepath.Join(dir, filepath.FromSlash(name))
		}
		names, folder.Files = append(names, name), append(folder.Files, a.plan.file(name, path, a.stored[name]))
	}
	if a.stamps == nil { // Create does not get what was planned
		a.stamps = make(map[string]string, len(a.stored))
		for name, e := range a.stored {
			a.stamps[name] = a.data.Uploader.Stamp(paths[name], e.SHA256)
		}
	}
	outcomes, recorded := a.data.Uploader.UploadFolder(ctx, folder, a.show)
	if a.recorded = recorded; a.key != "" && !recorded {
		a.next = afterInvokeWithoutRecords
	}
	a.take(names, folder.Files, outcomes)
	a.finish()
}

func (a *apply) take(names []string, files []upload.File, outcomes []upload.Outcome) {
	failed := map[string]error{}
	var warnings []upload.Warning
	kept := a.keyPaths()
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
			a.incomplete[name] = incompleteUpload(files[i], o.Left)
		}
		if before, ok := a.before[name]; ok && !kept[before.KeyPath] {
			a.stored[name] = before // what was stored before still is
		} else {
			delete(a.stored, name)
		}
		delete(a.stamps, name)
	}
	appendWarnings(warnings, &a.diags)
	if len(failed) > 0 {
		a.diags.Append(failuresDiagnostic(failed, len(names), a.next))
	}
}

// keyPaths are those of the stored files. A file that was moved has its key path under another name.
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
	warnForgotten(gone, nil, &a.diags)
	a.plan.counted(a.stored)
	if len(a.incomplete) > 0 { // else the plan has null
		a.plan.Incomplete = types.MapValueMust(incompleteType, a.incomplete)
	}
	// Null until a creation has succeeded: by it Delete knows a replacement that continues one.
	switch {
	case !a.plan.ID.IsUnknown():
	case a.diags.HasError():
		a.plan.ID = types.StringNull()
	default:
		a.plan.ID = types.StringValue(rand.Text())
	}
}
