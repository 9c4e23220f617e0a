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

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// planner decides which files of a folder are uploaded.
type planner struct {
	data       *providerdata.Data
	selection  Selection
	stored     map[string]file // of the state, by relative path
	isComplete bool            // stored has all files of the last plan

	paths map[string]string // on this machine, by relative path; see walker
	diags diag.Diagnostics
}

// plan returns the files that the folder has after an apply, by relative path. show, which may be
// nil, gets lines of progress while files are read.
func (p *planner) plan(ctx context.Context, show func(line string)) map[string]file {
	err := p.find()
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.isComplete:
		p.diags.AddAttributeWarning(path.Root("source_dir"), "The uploaded folder is not here",
			fmt.Sprintf("%s does not exist on this machine, so the plan cannot tell whether its files changed. All of them are stored, and nothing is changed.", p.dir()))
		return p.stored
	case errors.Is(err, fs.ErrNotExist):
		p.refuse(err.Error() + ". If the same apply makes the folder, set `triggers` to a value that is unknown until then.")
		return nil
	case err != nil:
		p.refuse(err.Error() + ".")
		return nil
	}
	files := p.read(ctx, show)
	if p.diags.HasError() {
		return nil
	}
	p.warnOfRemovedFiles(files)
	return files
}

func (p *planner) dir() string { return p.selection.SourceDir.ValueString() }

func (p *planner) refuse(detail string) {
	p.diags.AddAttributeError(path.Root("source_dir"), "The folder cannot be uploaded", detail)
}

// refuseFiles refuses files of the folder, a line for each.
func (p *planner) refuseFiles(lines []string) {
	if len(lines) > 0 {
		p.refuse(fmt.Sprintf("These files of %s cannot be uploaded:\n%s\n\nCorrect or remove them, or name them in `exclude`.", p.dir(), providerdata.List(lines)))
	}
}

// find finds the selected files, and refuses those that cannot be uploaded, without reading any.
func (p *planner) find() error {
	selected, err := walk(p.dir(), newPatterns(p.selection))
	if err != nil {
		return err
	}
	if len(selected.paths) == 0 && len(selected.problems) == 0 {
		return fmt.Errorf("%s has no file that `include` and `exclude` select. Letter case counts, and a relative path starts at the folder in which Terraform runs", p.dir())
	}
	names := slices.Sorted(maps.Keys(selected.paths))
	for _, name := range names {
		if problem := upload.NameProblem(storedName(name)); problem != "" {
			selected.problems = append(selected.problems, fmt.Sprintf("the name of %q %s", name, problem))
		}
	}
	p.refuseFiles(selected.problems)
	if lines := clashes(names); len(lines) > 0 {
		p.refuse(fmt.Sprintf("The service would store these files under one name, because slashes become `_`. Rename them, or name some in `exclude`.\n%s", providerdata.List(lines)))
	}
	for _, warning := range selected.unusedPatterns() {
		p.diags.AddAttributeWarning(path.Root("include"), "A pattern selects no file", warning)
	}
	if len(selected.links) > 0 {
		p.diags.AddAttributeWarning(path.Root("source_dir"), "Linked folders are left out",
			fmt.Sprintf("The provider does not follow links to folders. Name the folder in the `source_dir` of another resource, or name the link in `exclude`:\n%s", providerdata.List(selected.links)))
	}
	p.paths = selected.paths
	return nil
}

// clashes returns a line for each file that has the stored name of another one.
func clashes(names []string) (lines []string) {
	first := map[string]string{}
	for _, name := range names {
		other := cmp.Or(first[storedName(name)], name)
		if first[storedName(name)] = other; other != name {
			lines = append(lines, fmt.Sprintf("%s and %s as %q", other, name, storedName(name)))
		}
	}
	return lines
}

// read returns the files with their contents as they are now. A file whose content is stored keeps
// its key path, also if it moved and its stored name is the same.
func (p *planner) read(ctx context.Context, show func(line string)) map[string]file {
	if p.diags.HasError() {
		return nil
	}
	names := slices.Sorted(maps.Keys(p.paths))
	inspections := make([]upload.Inspection, len(names))
	for i, name := range names {
		inspections[i].Path, inspections[i].Name = p.paths[name], storedName(name)
	}
	p.data.Uploader.InspectFiles(ctx, p.title(), inspections, show)
	if ctx.Err() != nil {
		p.refuse("Reading the files ended before all were read, and nothing was sent. " + providerdata.ErrorText(context.Cause(ctx)))
		return nil
	}
	storedByName := p.storedByName()
	files := make(map[string]file, len(names))
	problems := map[string]error{}
	for i, name := range names {
		now := inspections[i]
		if now.Err != nil {
			problems[name] = now.Err
			continue
		}
		f := file{SHA256: now.SHA256, Size: now.Size, ContentType: now.ContentType}
		if stored, ok := storedByName[storedName(name)]; ok && stored.isSameContent(f) {
			f = stored
		}
		files[name] = f
	}
	p.refuseUnfit(problems)
	return files
}

// refuseUnfit refuses files by their errors.
func (p *planner) refuseUnfit(problems map[string]error) {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		err := problems[name]
		lines = append(lines, strings.TrimSpace(upload.NameFile(err, name).Error()+". "+providerdata.Advice(err)))
	}
	p.refuseFiles(lines)
}

// title names the folder in lines of progress.
func (p *planner) title() string {
	if absolute, err := filepath.Abs(p.dir()); err == nil {
		return filepath.Base(absolute)
	}
	return p.dir()
}

// storedByName returns the files of the state by stored name, which a moved file may keep.
func (p *planner) storedByName() map[string]file {
	files := make(map[string]file, len(p.stored))
	for name, f := range p.stored {
		files[storedName(name)] = f
	}
	return files
}

func (f file) isSameContent(other file) bool {
	return f.SHA256 == other.SHA256 && f.Size == other.Size && f.ContentType == other.ContentType
}

// mostRemoved is how many removed files a warning names.
const mostRemoved = 10

// warnOfRemovedFiles warns of stored files that leave the state.
func (p *planner) warnOfRemovedFiles(files map[string]file) {
	kept := map[string]bool{}
	for name := range files {
		kept[storedName(name)] = true
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(p.stored)) {
		if !kept[storedName(name)] {
			lines = append(lines, fmt.Sprintf("%s: %s", name, p.stored[name].KeyPath))
		}
	}
	if len(lines) == 0 {
		return
	}
	detail := fmt.Sprintf("Files that the folder no longer has, or `include` and `exclude` no longer select: %d. Terraform forgets them, and they stay stored, because the service has no call to delete a file.\n%s",
		len(lines), providerdata.List(lines[:min(len(lines), mostRemoved)]))
	if more := len(lines) - mostRemoved; more > 0 {
		detail += fmt.Sprintf("\n  and %d more", more)
	}
	p.diags.AddWarning("Uploaded files leave the state", detail)
}

// checkUploads reports what would make the apply of a plan fail.
func (p *planner) checkUploads(ctx context.Context, files map[string]file) {
	uploads := false
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		if !f.isStored() {
			uploads = true
			continue
		}
		if err := p.data.Uploader.CheckCustomer(f.KeyPath); err != nil { // the others are most likely of the same customer
			p.diags.AddError("The key path is not allowed", fmt.Sprintf("The state has %s. %s", name, providerdata.ErrorAndAdvice(err)))
			return
		}
	}
	if uploads {
		p.diags.Append(p.data.PlanUpload(ctx, typeName)...)
	}
}
