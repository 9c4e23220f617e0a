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
	dir     string // journalKey of the folder that is to continue it
	planned seen
}

func (r *mediaFolder) replaced() *providerdata.Handover[replaced] {
	return providerdata.Shared[providerdata.Handover[replaced]](r.Data)
}

// continues reports whether a new folder may be the one that a plan replaces another one with.
func (m *model) continues(f replaced) bool {
	return f.dir == journalKey(m.SourceDir.ValueString()) && (f.planned.Content == "" || f.planned.Patterns.equal(m.patterns()))
}

// offer leaves what is stored to the Create that follows.
func (r *mediaFolder) offer(ctx context.Context, state *model, stored map[string]entry, dir string, planned seen) (diags diag.Diagnostics) {
	var offers []upload.Offer
	for name, e := range stored {
		offers = append(offers, upload.Offer{File: state.file(name, "", e), Stored: upload.StoredFile{
			KeyPath: e.KeyPath, ETag: e.ETag, UploadedAt: e.UploadedAt,
		}})
	}
	if dir != "" {
		dir = journalKey(dir)
		r.replaced().Offer(replaced{dir, planned})
	} else if len(stored) > 0 {
		diags.AddWarning("Uploaded files stay at the service",
			"The source folder was not known while planning. Uploads of files that it still has are kept; the others of this list stay stored:\n"+providerdata.List(keyPathLines(stored)))
	}
	r.Data.Uploader.OfferStored(ctx, dir, offers)
	return append(diags, state.handOver(r.Data.Uploader)...)
}

// checkOffer ends the offer for a new folder if its plan has failed, or if Terraform would refuse it because another
// resource of the apply, or another program, has changed the files since Delete.
func (r *mediaFolder) checkOffer(p *planner, diags *diag.Diagnostics) {
	changed := func(f replaced) bool { return f.planned.Content != "" && f.planned.Content != contentID(p.files) }
	if !diags.HasError() && r.replaced().Has(func(f replaced) bool { return p.plan.continues(f) && changed(f) }) {
		diags.AddAttributeError(path.Root("source_dir"), "The folder cannot be uploaded",
			fmt.Sprintf("The files of %s have changed since the plan was made, so nothing was sent. Plan and apply again. "+
				"If this configuration makes the files, name in `triggers` values of what makes them.", p.plan.SourceDir.ValueString()))
	}
	if diags.HasError() {
		r.endOffer(&p.plan, diags)
	}
}

// endOffer warns of what was offered for a folder and is not used.
func (r *mediaFolder) endOffer(plan *model, diags *diag.Diagnostics) {
	if f, ok := r.replaced().Take(plan.continues); ok {
		warnForgotten(nil, r.Data.Uploader.EndOffer(f.dir), diags)
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
