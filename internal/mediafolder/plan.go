package mediafolder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// ModifyPlan plans each file of the folder by itself: it stays as it is stored, or is to be
// uploaded.
func (r *mediaFolder) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil || req.Plan.Raw.IsNull() {
		return
	}
	p := planner{data: r.Data}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	if !req.State.Raw.IsNull() {
		p.state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, p.state)...)
		p.stored = priorFiles(ctx, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	for name, e := range p.stored {
		if f := p.state.file(name, "", e); f.InParts() {
			r.Data.Uploader.Shown(ctx, f, e.KeyPath)
		}
	}
	p.run(ctx, nil)
	if p.uploads {
		p.diags.Append(r.Data.PlanUpload(ctx, typeName)...)
	}
	resp.Diagnostics.Append(p.diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	setFiles(ctx, p.files, p.files != nil)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
}

type planner struct {
	data   *providerdata.Data
	plan   model
	state  *model           // nil: the object is to be created
	stored map[string]entry // of the state

	files    map[string]entry // planned; nil: not known yet
	uploads  bool             // some of the files are to be uploaded
	emptied  []string         // names of stored files that have no content here
	problems []string
	diags    diag.Diagnostics
}

// run fills the plan. show gets lines of progress, as in InspectFiles.
func (p *planner) run(ctx context.Context, show func(line string)) {
	p.plan.ID, p.plan.Incomplete, p.plan.Files = types.StringUnknown(), types.MapNull(incompleteType), types.MapNull(entryType)
	if p.state != nil && !p.state.ID.IsNull() {
		p.plan.ID = p.state.ID
	}
	if !p.plan.known(ctx) {
		p.plan.FileCount, p.plan.TotalSize = types.Int64Unknown(), types.Int64Unknown()
		return
	}
	found, err := p.find()
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.complete():
		p.keepAll("does not exist on this machine")
	case errors.Is(err, errNothingLeft):
		p.keepAll("has none of its files any more")
	case errors.Is(err, fs.ErrNotExist):
		p.refuse(err.Error() + ". If the same apply makes the folder, name in `triggers` a value of what makes it that is not known before the apply.")
	case err != nil:
		p.refuse(err.Error() + ".")
	default:
		p.fill(ctx, found, show)
	}
}

// find returns the files of the folder as walk does, and notes which cannot be uploaded. It returns
// errNothingLeft if the folder has lost all its files since they were uploaded.
func (p *planner) find() (found map[string]string, err error) {
	dir := p.plan.dir()
	found, problems, err := walk(dir, p.plan.patterns())
	p.problems = problems
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%s is no folder. A single file is the `source` of `vodlive_media_upload`, or of the action", dir)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", dir, err)
	case len(found) == 0 && len(problems) == 0 && p.complete() && len(p.stored) > 0:
		return nil, errNothingLeft
	case len(found) == 0 && len(problems) == 0:
		return nil, fmt.Errorf("%s has no file that `include` and `exclude` select. A relative path starts at the folder in which Terraform runs, and letter case counts in patterns", dir)
	}
	names := slices.Sorted(maps.Keys(found))
	p.problems = append(p.problems, nameProblems(names, p.plan.NameFormat.ValueString())...)
	if clash := clashProblem(names, p.plan.NameFormat.ValueString()); clash != "" {
		p.refuse(clash)
	}
	for _, given := range p.plan.patterns().include {
		if !slices.ContainsFunc(names, func(name string) bool { return matchGlob(given, name) }) {
			p.diags.AddAttributeWarning(path.Root("include"), "A pattern selects no file", fmt.Sprintf("%q selects no file of %s. Letter case counts.", given, dir))
		}
	}
	return found, nil
}

// errNothingLeft says that no file is left of a folder that has been uploaded.
var errNothingLeft = errors.New("no file is left")

// keepAll plans to keep what is stored, although the files are not here.
func (p *planner) keepAll(why string) {
	p.files = p.stored
	p.plan.counted(p.files)
	p.diags.AddAttributeWarning(path.Root("source_dir"), "The uploaded folder is not here",
		fmt.Sprintf("%s %s, so whether its files changed is not known. All of them have been uploaded, and nothing is changed.", p.plan.SourceDir.ValueString(), why))
}

func (p *planner) refuse(detail string) {
	p.diags.AddAttributeError(path.Root("source_dir"), "The folder cannot be uploaded", detail)
}

// complete reports whether the state has all files of an earlier plan.
func (p *planner) complete() bool {
	return p.state != nil && !p.state.ID.IsNull() && p.state.Incomplete.IsNull()
}

func (p *planner) fill(ctx context.Context, found map[string]string, show func(line string)) {
	names := slices.Sorted(maps.Keys(found))
	inspections := make([]upload.Inspection, len(names))
	sums := p.plan.sums()
	p.refuseNames("sha256s", slices.DeleteFunc(slices.Sorted(maps.Keys(sums)), func(name string) bool { return found[name] != "" }))
	if p.refuseProblems() || p.diags.HasError() { // before anything is read
		return
	}
	for i, name := range names {
		f := p.plan.file(name, found[name], entry{})
		f.SHA256, f.ContentType = sums[name], cmp.Or(p.plan.configuredType(name), p.stored[name].ContentType) // a stored type stays
		inspections[i].File = f
	}
	p.data.Uploader.InspectFiles(ctx, filepath.Base(absolute(p.plan.dir())), inspections, show)
	if ctx.Err() != nil {
		p.refuse("The run was interrupted while the files were read. Nothing was sent.")
		return
	}
	p.files = make(map[string]entry, len(names))
	for i, name := range names {
		stored, isStored := p.stored[name]
		switch now := inspections[i]; {
		case isStored && upload.IsProblem(now.Err, transfer.FileEmpty):
			p.emptied = append(p.emptied, name)
			p.files[name] = stored
		case now.Err != nil:
			p.problem(name, now.Err)
		case isStored && stored.Object == now.Object():
			p.files[name] = stored
		default:
			p.files[name] = entry{Object: now.Object()}
		}
	}
	p.keepMoved(names)
	for _, e := range p.files {
		p.uploads = p.uploads || e.unsent()
	}
	if p.refuseProblems() {
		return
	}
	p.warnEmptied()
	p.plan.counted(p.files)
	p.forget()
}

// forget warns of files that leave the state because they are no longer in the folder.
func (p *planner) forget() {
	kept, gone := map[string]bool{}, map[string]entry{}
	for _, e := range p.files {
		kept[e.KeyPath] = true
	}
	for name, e := range p.stored {
		if _, here := p.files[name]; !kept[e.KeyPath] && !here {
			gone[name] = e
		}
	}
	forgotten(keyPathLines(gone), &p.diags)
}

// forgotten warns of stored files that leave the state. A line names one of them.
func forgotten(lines []string, diags *diag.Diagnostics) {
	if len(lines) > 0 {
		diags.AddWarning("Uploaded files stay at the service",
			fmt.Sprintf("The service has no call to delete a file. Terraform forgets these uploads (%d), which stay stored:\n%s", len(lines), providerdata.List(lines)))
	}
}

// keepMoved lets a file that was moved inside the folder stay what is stored: the same content
// under the same name, with the same media type.
func (p *planner) keepMoved(names []string) {
	kept := map[string]bool{}
	for _, e := range p.files {
		kept[e.KeyPath] = true
	}
	left := map[upload.Object]entry{} // what the folder has under no name any more
	// In order, so that each plan chooses the same one of two.
	for _, name := range slices.Sorted(maps.Keys(p.stored)) {
		if e := p.stored[name]; !kept[e.KeyPath] {
			left[e.Object] = e
		}
	}
	for _, name := range names {
		e := p.files[name]
		if stored, ok := left[e.Object]; ok && e.unsent() {
			p.files[name] = stored
			delete(left, e.Object)
		}
	}
}

// problem notes why a file cannot be uploaded, by the name that patterns select it by.
func (p *planner) problem(name string, err error) {
	p.problems = append(p.problems, strings.TrimSuffix(providerdata.ErrorAndAdvice(upload.NameFile(err, name)), "."))
}

// refuseProblems reports whether there are files that cannot be uploaded.
func (p *planner) refuseProblems() bool {
	if len(p.problems) > 0 {
		p.refuse(fmt.Sprintf("These files of %s cannot be uploaded:\n%s\n\nCorrect or remove them, or name them in `exclude`.", p.plan.SourceDir.ValueString(), providerdata.List(p.problems)))
	}
	return len(p.problems) > 0
}

// refuseNames is the error for names in an argument that no file to upload has.
func (p *planner) refuseNames(argument string, names []string) {
	if len(names) > 0 {
		p.diags.AddAttributeError(path.Root(argument), "The folder cannot be uploaded", fmt.Sprintf("`%s` names what is not among the files to upload:\n%s", argument, providerdata.List(names)))
	}
}

// warnEmptied warns of stored files that are empty here.
func (p *planner) warnEmptied() {
	if len(p.emptied) > 0 {
		p.diags.AddAttributeWarning(path.Root("source_dir"), "Uploaded files are empty here",
			fmt.Sprintf("These files have been uploaded and have no content on this machine any more. What is stored stays as it is.\n%s", providerdata.List(p.emptied)))
	}
}
