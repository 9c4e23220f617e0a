package mediafolder

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// A folder whose creation failed is replaced by one that continues it: Delete offers what is stored, the
// plan of the Create checks that the folder is what the first plan saw, and Create takes what it offers.

// replaced is a folder whose stored files are on offer.
type replaced struct {
	dir     string // journalKey of the folder that is to continue it; "": not known while planning
	planned seen
	offer   *upload.Offer
}

func (r *mediaFolder) replaced() *providerdata.Handover[replaced] {
	return providerdata.Shared[providerdata.Handover[replaced]](r.Data)
}

// continues reports whether a new folder with these files may be the one that replaces another one.
func (m *model) continues(files map[string]entry) func(replaced) bool {
	return func(f replaced) bool {
		if f.dir == "" {
			for name, e := range files {
				if f.offer.Has(m.file(name, "", e)) {
					return true
				}
			}
			return false
		}
		return f.dir == journalKey(m.SourceDir.ValueString()) && (f.planned.Content == "" || f.planned.Patterns.equal(m.patterns()))
	}
}

// leave offers what is stored to the Create that follows.
func (r *mediaFolder) leave(ctx context.Context, state *model, stored map[string]entry, dir string, planned seen) (diags diag.Diagnostics) {
	if dir != "" {
		dir = journalKey(dir)
	} else if len(stored) > 0 {
		diags.AddWarning("Uploaded files stay at the service",
			"The source folder was not known while planning. Uploads of files that it still has are kept; the others of this list stay stored:\n"+providerdata.List(keyPathLines(stored)))
	}
	offer := r.Data.Uploader.NewOffer(ctx, dir)
	for name, e := range stored {
		offer.Add(state.file(name, "", e), upload.StoredFile{KeyPath: e.KeyPath, ETag: e.ETag, UploadedAt: e.UploadedAt})
	}
	r.replaced().Offer(replaced{dir, planned, offer})
	return append(diags, state.handOver(r.Data.Uploader)...)
}

// checkOffer ends the offer for a new folder if its plan has failed, or if Terraform would refuse it because another
// resource of the apply, or another program, has changed the files since Delete.
func (r *mediaFolder) checkOffer(p *planner, diags *diag.Diagnostics) {
	continues := p.plan.continues(p.files)
	changed := func(f replaced) bool { return f.planned.Content != "" && f.planned.Content != contentID(p.files) }
	if !diags.HasError() && r.replaced().Has(func(f replaced) bool { return continues(f) && changed(f) }) {
		diags.AddAttributeError(path.Root("source_dir"), "The folder cannot be uploaded",
			fmt.Sprintf("The files of %s have changed since the plan was made, so nothing was sent. Plan and apply again. "+
				"If this configuration makes the files, name in `triggers` values of what makes them.", p.plan.SourceDir.ValueString()))
	}
	if !diags.HasError() {
		return
	}
	if f, ok := r.replaced().Take(continues); ok {
		warnForgotten(nil, f.offer.End(), diags)
	}
}

// unlike returns why a folder is not what a plan saw, "" if it is: Terraform would refuse the plan of the Create
// once Delete has forgotten the stored files.
func (r *mediaFolder) unlike(ctx context.Context, dir string, planned seen) string {
	if planned.Content == "" {
		return ""
	}
	found, problems, err := walk(dir, planned.Patterns)
	if err != nil {
		return fmt.Sprintf("%s cannot be read: %s", dir, err)
	}
	names := slices.Sorted(maps.Keys(found))
	inspections := make([]upload.Inspection, len(names))
	for i, name := range names {
		inspections[i].File = upload.File{Path: found[name], Name: name}
	}
	r.Data.Uploader.InspectFiles(ctx, filepath.Base(journalKey(dir)), inspections, upload.DetectStat, nil)
	files := map[string]entry{}
	for i, name := range names {
		if err := inspections[i].Err; err != nil {
			problems = append(problems, strings.TrimSuffix(providerdata.ErrorText(err), "."))
		}
		files[name] = entry{SHA256: inspections[i].SHA256}
	}
	switch {
	case ctx.Err() != nil:
		return "The run was interrupted while the files were read"
	case len(problems) > 0:
		return "Files cannot be read:\n" + providerdata.List(problems) + "\n\nThe folder is not what the plan saw"
	case contentID(files) != planned.Content:
		return fmt.Sprintf("The files of %s have changed since the plan was made", dir)
	}
	return ""
}
