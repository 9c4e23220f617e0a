package mediafolder

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// A folder whose creation failed is replaced by one that continues it: Delete offers what is
// stored, the plan of the Create checks that the folder is what the first plan saw, and Create
// takes what it offers.

// offer is what Delete gives up of a folder: stored files, for the Create that follows in this
// process. In case none follows, they are in the ledger, where no other resource of this process
// finds them.
type offer struct {
	dir     string // absolute path of the folder that is to continue it; "": not known while planning
	planned seen

	mu    sync.Mutex
	files map[upload.Object]offered
}

type offered struct {
	upload.StoredFile
	line *resume.Line
}

func (o *offer) has(f upload.File) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.files[f.Object()]
	return ok
}

// take removes and returns a file. A nil offer has none.
func (o *offer) take(ctx context.Context, f upload.File) (upload.StoredFile, bool) {
	if o == nil {
		return upload.StoredFile{}, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	file, ok := o.files[f.Object()]
	delete(o.files, f.Object())
	file.line.Use(ctx)
	return file.StoredFile, ok
}

// end ends the offer, and returns what is left, sorted by key path. With over, the folder that was
// to take it is complete, and no later run needs these files. Otherwise they stay in the ledger.
func (o *offer) end(ctx context.Context, over bool) []upload.StoredFile {
	left := make([]upload.StoredFile, 0, len(o.files))
	for _, file := range o.files {
		left = append(left, file.StoredFile)
		if over {
			file.line.Use(ctx)
		}
	}
	slices.SortFunc(left, func(a, b upload.StoredFile) int { return cmp.Compare(a.KeyPath, b.KeyPath) })
	return left
}

// offers are the offers of a provider process. Terraform passes nothing from a Delete to the Create
// that follows. The zero value is ready to use.
type offers struct {
	mu   sync.Mutex
	list []*offer
}

func (r *mediaFolder) offers() *offers { return providerdata.Shared[offers](r.Data) }

func (o *offers) add(one *offer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, one)
}

// take removes and returns the first offer that fits, so that no two resources continue one folder.
// It is nil if none fits.
func (o *offers) take(fits func(*offer) bool) *offer {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, fits)
	if i < 0 {
		return nil
	}
	one := o.list[i]
	o.list = slices.Delete(o.list, i, i+1)
	return one
}

func (o *offers) has(fits func(*offer) bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.list, fits)
}

// continues reports whether a new folder with these files may be the one that continues an offered
// one.
func (m *model) continues(files map[string]entry) func(*offer) bool {
	return func(o *offer) bool {
		if o.dir == "" {
			for name, e := range files {
				if o.has(m.file(name, "", e)) {
					return true
				}
			}
			return false
		}
		return o.dir == absolute(m.SourceDir.ValueString()) && (o.planned.Content == "" || o.planned.Patterns.equal(m.patterns()))
	}
}

// leave offers what is stored to the Create that follows.
func (r *mediaFolder) leave(ctx context.Context, state *model, stored map[string]entry, planned seen) (diags diag.Diagnostics) {
	dir := planned.Dir
	if dir != "" {
		dir = absolute(dir)
	} else if len(stored) > 0 {
		diags.AddWarning("Uploaded files stay at the service",
			"The source folder was not known while planning. Uploads of files that it still has are kept; the others of this list stay stored:\n"+providerdata.List(keyPathLines(stored)))
	}
	o := &offer{dir: dir, planned: planned, files: make(map[upload.Object]offered, len(stored))}
	for name, e := range stored {
		f, kept := state.file(name, "", e), upload.StoredFile{KeyPath: e.KeyPath, ETag: e.ETag, UploadedAt: e.UploadedAt}
		o.files[f.Object()] = offered{kept, r.Data.Uploader.Keep(ctx, f, kept)}
	}
	r.offers().add(o)
	return append(diags, state.handOver(r.Data.Uploader)...)
}

// checkOffer ends the offer for a new folder if its plan has failed, or if Terraform would refuse
// it because another resource of the apply, or another program, has changed the files since Delete.
func (r *mediaFolder) checkOffer(ctx context.Context, p *planner, diags *diag.Diagnostics) {
	continues := p.plan.continues(p.files)
	changed := func(o *offer) bool { return o.planned.Content != "" && o.planned.Content != contentID(p.files) }
	if !diags.HasError() && r.offers().has(func(o *offer) bool { return continues(o) && changed(o) }) {
		diags.AddAttributeError(path.Root("source_dir"), "The folder cannot be uploaded",
			fmt.Sprintf("The files of %s have changed since the plan was made, so nothing was sent. Plan and apply again. "+
				"If this configuration makes the files, name in `triggers` values of what makes them.", p.plan.SourceDir.ValueString()))
	}
	if !diags.HasError() {
		return
	}
	if o := r.offers().take(continues); o != nil {
		warnForgotten(nil, o.end(ctx, false), diags)
	}
}

// unlike returns why a folder is not what a plan saw, "" if it is. If Delete went on with another
// folder, it would forget the stored files, and then Terraform would refuse the plan of the Create.
func (r *mediaFolder) unlike(ctx context.Context, planned seen) string {
	dir := planned.Dir
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
	r.Data.Uploader.InspectFiles(ctx, filepath.Base(absolute(dir)), inspections, upload.DetectStat, nil)
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
