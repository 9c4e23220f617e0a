package mediafolder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

func (r *mediaFolder) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil {
		return
	}
	p := planner{data: r.Data}
	if !req.State.Raw.IsNull() {
		p.state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, p.state)...)
	}
	if req.Plan.Raw.IsNull() {
		if p.state.protected() {
			resp.Diagnostics.Append(p.state.refuse("remove it from the state"))
		}
		resp.Diagnostics.Append(providerdata.PlanNote{Destroy: true}.Write(ctx, resp.Private)...)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	var replaced successor // of a replacement: what the first call found; that of a tainted folder has none
	if p.state == nil {
		earlier, diags := providerdata.ReadPlanNote(ctx, req.Private)
		resp.Diagnostics.Append(diags...)
		replaced, diags = providerdata.ReadPrivate[successor](ctx, req.Private, privatePlanned)
		resp.Diagnostics.Append(diags...)
		if earlier.Protected != "" {
			resp.Diagnostics.Append(p.plan.refuse("replace it"))
		}
	} else {
		p.stored = priorFiles(ctx, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if p.state != nil && ignoresAll(ctx, req.Config) {
		resp.Plan.Raw = req.State.Raw
		setFiles(ctx, p.stored, true)
		return
	}
	if d := p.otherCustomers(); d != nil {
		resp.Diagnostics.Append(d)
		return
	}
	if p.run(ctx, nil); !p.diags.HasError() {
		p.forget()
	}
	if p.uploads && (p.state != nil || !p.data.Uploader.HasLeft(p.plan.group(ctx))) { // else only Create can give the state back what Delete has left
		p.diags.Append(p.data.PlanUpload(ctx, typeName)...)
	}
	next := p.successor(ctx)
	resp.Diagnostics.Append(p.diags...)
	resp.Diagnostics.Append(next.refusesAdopted(replaced.Adopted)...)
	if resp.Diagnostics.HasError() {
		return
	}
	var note providerdata.PlanNote
	if p.state.protected() {
		note.Protected = p.state.SourceDir.ValueString()
	}
	resp.Diagnostics.Append(note.Write(ctx, resp.Private)...)
	resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privatePlanned, next)...)
	setFiles(ctx, p.files, p.files != nil)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
}

// ignoresAll reports whether the resource has `ignore_changes = all`: then Terraform's
// configuration is the state, with the values that only the provider can set.
func ignoresAll(ctx context.Context, config tfsdk.Config) bool {
	var id types.String
	diags := config.GetAttribute(ctx, path.Root("id"), &id)
	return !diags.HasError() && !id.IsNull()
}

// otherCustomers is the error for stored files of customers that the configuration does not allow:
// new files would be stored in another account than those.
func (p *planner) otherCustomers() diag.Diagnostic {
	var first error
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(p.stored)) {
		if err := p.data.Uploader.CheckCustomer(p.stored[name].KeyPath); err != nil {
			if first == nil {
				first = err
			}
			lines = append(lines, fmt.Sprintf("%s: %s", name, p.stored[name].KeyPath))
		}
	}
	if first == nil {
		return nil
	}
	return mediafile.OtherCustomer(first, fmt.Sprintf("\n\nStored files of customers that are not allowed (%d):\n%s", len(lines), providerdata.List(lines)))
}

// forget refuses a plan that replaces a protected folder by another one, and warns of files that
// leave the state because they are no longer in the folder, and of protected ones also because they
// changed.
func (p *planner) forget() {
	if p.files == nil || p.state == nil {
		return
	}
	protected := p.protected()
	kept, gone := map[string]bool{}, map[string]entry{}
	for _, e := range p.files {
		kept[e.KeyPath] = true
	}
	for name, e := range p.stored {
		if _, here := p.files[name]; !kept[e.KeyPath] && (protected || !here) {
			gone[name] = e
		}
	}
	if len(gone) > 0 && protected && p.moves() {
		p.refuseMove(fmt.Sprintf("remove %s from the state, because `source_dir` is another folder, %s", counted(len(gone), "file"), p.plan.SourceDir.ValueString()))
		return
	}
	forgotten(gone, &p.diags)
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
	if !p.plan.known(ctx) || p.plan.Adopt.IsUnknown() || !fullyKnown(ctx, p.plan.SHA256s, p.plan.Triggers) {
		p.plan.FileCount, p.plan.TotalSize = types.Int64Unknown(), types.Int64Unknown()
		return
	}
	found, err := p.find()
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.complete():
		p.keepAll("does not exist on this machine")
	case errors.Is(err, errNothingLeft):
		p.keepAll("has none of its files any more")
	case errors.Is(err, fs.ErrNotExist) && show != nil: // of an action, which has no triggers
		p.refuse(err.Error() + ".")
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
	dir, selector := p.plan.dir(), p.plan.patterns().selector()
	found, problems, seen, err := selector.walk(dir)
	p.problems = problems
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s is no folder. A single file is the `source` of `vodlive_media_upload`, or of the action", dir)
	} else if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", dir, err)
	}
	if len(found) == 0 && len(problems) == 0 {
		if p.complete() && len(p.stored) > 0 && p.plan.patterns().equal(p.state.patterns()) {
			return nil, errNothingLeft
		}
		return nil, noneSelected(dir, seen)
	}
	p.warnPatterns(dir, selector, seen)
	names := slices.Sorted(maps.Keys(found))
	p.problems = append(p.problems, nameProblems(names, p.plan.NameFormat.ValueString())...)
	if clash := clashProblem(names, p.plan.NameFormat.ValueString()); clash != "" {
		p.refuse(clash)
	}
	return found, nil
}

// errNothingLeft says that no file is left of a folder that has been uploaded.
var errNothingLeft = errors.New("no file is left")

// warnPatterns warns of what the patterns leave out, or let in, and the user may not expect.
func (p *planner) warnPatterns(dir string, s selector, seen findings) {
	for _, n := range seen.notes(dir) {
		p.diags.AddAttributeWarning(path.Root(n.argument), n.summary, n.detail)
	}
	if !slices.Contains(seen.used, false) || len(p.problems) > 0 {
		return
	}
	var lines []string
	all := everyFile(dir)
	for i, g := range s.include {
		if !seen.used[i] && seen.include.count[g.given] == 0 {
			lines = append(lines, fmt.Sprintf("%q selects no file of %q.%s", g.given, dir, s.describe(g, all)))
		}
	}
	if len(lines) > 0 {
		p.diags.AddAttributeWarning(path.Root("include"), "A pattern selects no file",
			fmt.Sprintf("%s\n\nFiles that are there: %s.", strings.Join(lines, "\n"), examples(all)))
	}
}

const linkedFolders = "Linked folders are left out"

// note is what a user may not expect of the patterns in an argument.
type note struct{ argument, summary, detail string }

func (f *findings) notes(dir string) (notes []note) {
	warn := func(summary, argument, about string, lines []string, advice string) {
		if len(lines) > 0 {
			notes = append(notes, note{argument, summary, about + ":\n" + providerdata.List(lines) + advice})
		}
	}
	const letterCase = "A pattern would match more in another letter case"
	const bothCases = "\n\nIf these files are meant, name both letter cases, as in `*.{mp4,MP4}`. If `include` is not meant to select them, name them in `exclude`."
	warn(letterCase, "include", "Letter case counts", f.include.lines("select"), bothCases)
	warn(letterCase, "exclude", "Letter case counts", f.exclude.lines("drop"), bothCases)
	warn("A pattern is a name that it does not match", "source_dir", "Brackets are a set of characters, and braces are alternatives", f.names, "")
	links := make([]string, len(f.links))
	for i, link := range f.links {
		links[i] = link
		if target, err := os.Readlink(filepath.Join(dir, filepath.FromSlash(link))); err == nil {
			links[i] += " -> " + target
		}
	}
	warn(linkedFolders, "source_dir", fmt.Sprintf("Links to folders are not followed. These links of %s are left out, with all files in them", dir), links,
		"\n\nTo upload a linked folder, use another `vodlive_media_folder` with the link as its `source_dir`. Otherwise, name the link in `exclude`.")
	return notes
}

// everyFile lists what any pattern could select in a folder.
func everyFile(dir string) []string {
	found, _, _, _ := everything.walk(dir)
	return slices.Sorted(maps.Keys(found))
}

// examples are the first files, those that are not hidden before the others.
func examples(all []string) string {
	hidden := func(name string) bool { return slices.ContainsFunc(strings.Split(name, "/"), isHidden) }
	shown := slices.SortedStableFunc(slices.Values(all), func(a, b string) int {
		switch {
		case hidden(a) == hidden(b):
			return 0
		case hidden(b):
			return -1
		}
		return 1
	})
	text := make([]string, 0, 5)
	for _, name := range shown[:min(len(shown), 5)] {
		text = append(text, strconv.Quote(name))
	}
	return strings.Join(text, ", ")
}

func noneSelected(dir string, seen findings) error {
	const start = "a relative path starts at the folder in which Terraform runs"
	all, notes := everyFile(dir), seen.notes(dir)
	links := ""
	if len(notes) == 1 && notes[0].summary == linkedFolders && len(all) > 0 { // no reason why no pattern selects a file
		links, notes = ". "+strings.TrimSuffix(notes[0].detail, "."), nil
	}
	switch {
	case len(notes) > 0:
		return fmt.Errorf("%s has no files that `include` and `exclude` select. %s", dir, strings.TrimSuffix(notes[0].detail, "."))
	case len(all) == 0:
		return fmt.Errorf("%s has no files. Check `source_dir`; %s", dir, start)
	}
	return fmt.Errorf("%s has %s, such as %s, and `include` and `exclude` select none of them. Hidden files are selected only by a pattern that has the dot. Check both arguments and `source_dir`; %s%s",
		dir, counted(len(all), "file"), examples(all), start, links)
}

// protected reports whether the plan may not replace the folder by another one.
func (p *planner) protected() bool {
	return p.state.protected() && providerdata.ProtectsChange(p.state.Protection, p.plan.Protection)
}

// moves reports whether the plan has another source_dir than the state.
func (p *planner) moves() bool {
	return absolute(p.state.SourceDir.ValueString()) != absolute(p.plan.SourceDir.ValueString())
}

func (p *planner) refuseMove(change string) {
	p.diags.Append(providerdata.ProtectedChange("media folder", p.state.SourceDir.ValueString(), change))
}

// keepAll plans to keep what is stored, although the files are not here. A protected folder keeps
// its source_dir, too: another one may get other files.
func (p *planner) keepAll(why string) {
	if p.protected() && p.moves() {
		p.refuseMove(fmt.Sprintf("change `source_dir` to %s, which %s, so whether it has the same files is not known", p.plan.SourceDir.ValueString(), why))
		return
	}
	sums := p.plan.sums()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if sums[name] != strings.ToLower(p.stored[name].SHA256) {
			p.refuse(fmt.Sprintf("%s %s, and `sha256s` asks for another %s than what is stored. Plan again where the files are.", p.plan.SourceDir.ValueString(), why, name))
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.stored)) {
		if p.losesType(name) {
			p.refuse(fmt.Sprintf("%s %s, and `content_types` no longer has the media type with which %s is stored. Plan again where the files are.", p.plan.SourceDir.ValueString(), why, name))
			return
		}
	}
	adopt := p.plan.Adopt.Elements()
	for _, name := range slices.Sorted(maps.Keys(adopt)) {
		_, stored := p.stored[name]
		if given := text(adopt[name]); !stored && given.ValueString() != "" && !given.Equal(p.state.Adopt.Elements()[name]) { // no later plan would adopt it
			p.refuse(fmt.Sprintf("%s %s, and `adopt` names %s, which is not in the state. Plan again where the files are.", p.plan.SourceDir.ValueString(), why, name))
			return
		}
	}
	p.files = p.stored
	p.plan.counted(p.files)
	p.diags.AddAttributeWarning(path.Root("source_dir"), "The uploaded folder is not here",
		fmt.Sprintf("%s %s, so whether its files changed is not known. All of them have been uploaded, and nothing is changed.", p.plan.SourceDir.ValueString(), why))
}

// losesType reports whether a stored file, which cannot be sent now, has a media type that is no
// longer configured, and not the default one. No later plan would know that it was configured.
func (p *planner) losesType(name string) bool {
	was, stored := p.state.configuredType(name), p.stored[name].ContentType
	return was != "" && was == stored && p.plan.configuredType(name) == "" && upload.TypeByName(name) != stored
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
	sums, adopt := p.plan.sums(), map[string]types.String{} // null adopts nothing, and what is not known yet does later
	p.diags.Append(p.plan.Adopt.ElementsAs(ctx, &adopt, false)...)
	maps.DeleteFunc(adopt, func(name string, keyPath types.String) bool {
		// It has been adopted. A file that has left the state since may come back changed.
		return p.state != nil && keyPath.Equal(p.state.Adopt.Elements()[name])
	})
	for i, name := range names {
		expected := sums[name]
		if p.adopts(name, adopt) {
			expected = "" // what the state gets must be of one file, so it is read
		}
		inspections[i] = upload.Inspection{File: p.plan.found(name, found[name]), Expected: expected, SHA256: p.stored[name].SHA256}
	}
	for i, name := range names { // before anything is read
		if err := inspections[i].File.TooLarge(p.stored[name].Size); err != nil {
			p.problem(name, err)
		}
	}
	if p.refuseProblems() {
		return
	}
	p.data.Uploader.InspectFiles(ctx, filepath.Base(absolute(p.plan.SourceDir.ValueString())), inspections, p.plan.ChangeDetection.ValueString(), show)
	if ctx.Err() != nil {
		p.refuse("The run was interrupted while the files were read. Nothing was sent.")
		return
	}

	p.files = make(map[string]entry, len(names))
	var adopted []string
	for i, name := range names {
		e, err := p.file(name, inspections[i], adopt[name].ValueString(), sums[name])
		if err != nil {
			p.problem(name, err)
			continue
		}
		if _, stored := p.stored[name]; !stored && !e.unsent() {
			adopted = append(adopted, fmt.Sprintf("%s: %s", name, e.KeyPath))
		}
		p.files[name] = e
	}
	p.keepMoved(names)
	p.compareAdopted(names)
	for _, e := range p.files {
		p.uploads = p.uploads || e.unsent()
	}
	p.refuseNames("adopt", slices.DeleteFunc(slices.Sorted(maps.Keys(adopt)), func(name string) bool {
		_, stored := p.stored[name]
		return stored || found[name] != "" || p.state != nil && p.state.Adopt.Elements()[name] != nil // it was there once
	}))
	p.refuseNames("sha256s", slices.DeleteFunc(slices.Sorted(maps.Keys(sums)), func(name string) bool { return found[name] != "" }))
	if p.refuseProblems() || p.diags.HasError() {
		return
	}
	p.warnEmptied()
	if len(adopted) > 0 {
		p.diags.AddAttributeWarning(path.Root("adopt"), "Local files are assumed to be the stored ones",
			fmt.Sprintf("The service shows no content, so the provider assumes that these files are what is stored under these key paths, and sends nothing. "+
				"A later change of a file uploads it again.\n%s", providerdata.List(adopted)))
	}
	p.plan.counted(p.files)
}

// adopts reports whether a file is taken for what is stored under a key path in `adopt`.
func (p *planner) adopts(name string, adopt map[string]types.String) bool {
	_, stored := p.stored[name]
	return !stored && adopt[name].ValueString() != ""
}

// compareAdopted refuses one key path for files of different content.
func (p *planner) compareAdopted(names []string) {
	holder := map[string]string{} // of a key path: the name of a file
	for _, name := range names {
		e := p.files[name]
		other, held := holder[e.KeyPath]
		_, stored := p.stored[name]
		switch {
		case e.unsent():
		case !held:
			holder[e.KeyPath] = name
		case e.SHA256 != p.files[other].SHA256 && (!stored || p.stored[other].KeyPath != e.KeyPath):
			p.problems = append(p.problems, fmt.Sprintf("%s and %s have different content, and with `adopt` one key path, %s", other, name, e.KeyPath))
		}
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
	if len(names) == 0 {
		return
	}
	all := everyFile(p.plan.dir())
	lines := make([]string, len(names))
	for i, name := range names {
		clean := "/" + slashpath.Clean(strings.ReplaceAll(strings.TrimLeft(strings.TrimSpace(name), "*/"), `\`, "/"))
		switch near := slices.IndexFunc(all, func(there string) bool { return strings.HasSuffix(strings.ToLower(clean), strings.ToLower("/"+there)) }); {
		case slices.Contains(all, name):
			lines[i] = name + ": it is there, but `include` and `exclude` do not select it"
		case near < 0:
			lines[i] = name + ": there is no such file"
		default:
			lines[i] = fmt.Sprintf("%s: there is %q", name, all[near])
		}
	}
	p.diags.AddAttributeError(path.Root(argument), "The folder cannot be uploaded",
		fmt.Sprintf("`%s` names what is not among the files to upload:\n%s\n\nRemove these names from `%s`, correct them, or let `include` and `exclude` select the files.",
			argument, providerdata.List(lines), argument))
}

// warnEmptied warns of stored files that are empty here.
func (p *planner) warnEmptied() {
	if len(p.emptied) > 0 {
		p.diags.AddAttributeWarning(path.Root("source_dir"), "Uploaded files are empty here",
			fmt.Sprintf("These files have been uploaded and have no content on this machine any more. What is stored stays as it is.\n%s", providerdata.List(p.emptied)))
	}
}

// file plans one file: it stays as it is stored, is adopted, or is to be uploaded. sum is its
// SHA-256 in `sha256s`, "" for none.
func (p *planner) file(name string, now upload.Inspection, adopt, sum string) (entry, error) {
	stored, isStored := p.stored[name]
	switch {
	case isStored && upload.IsEmpty(now.Err) && p.losesType(name):
		return entry{}, fmt.Errorf("%s is empty here, and `content_types` no longer has the media type with which it is stored", name)
	case isStored && upload.IsEmpty(now.Err) && sum != "" && sum != strings.ToLower(stored.SHA256):
		return entry{}, fmt.Errorf("%s is empty here, and `sha256s` asks for another content than what is stored", name)
	case isStored && upload.IsEmpty(now.Err):
		p.emptied = append(p.emptied, name)
		return stored, nil
	case now.Err != nil:
		return entry{}, now.Err
	case now.Other != "":
		return entry{}, mediafile.OtherHash("sha256s", now.Expected, name, mediafile.ReadBefore, now.Other)
	}
	f := now.File
	f.SHA256 = now.SHA256
	if isStored {
		configured := p.plan.configuredType(name) != ""
		// Without the media type that was configured before, the file has its default one again.
		if !configured && p.state.configuredType(name) != "" {
			var err error
			if f.ContentType, err = f.DefaultType(); err != nil {
				return entry{}, err
			}
			configured = true
		}
		if keeps(stored, name, mediafile.ObjectOf(f.Object()), configured) {
			return stored, nil
		}
		if now.Kept { // it was not read
			f.Size = stored.Size
			f.ContentType = cmp.Or(f.ContentType, stored.ContentType)
		}
	}
	e := entry{Object: f.Object()}
	if adopt == "" || isStored {
		return e, f.CheckSize()
	}
	if sum != "" && sum != now.SHA256 {
		return entry{}, mediafile.OtherHash("sha256s", sum, name, "was read because `adopt` names it", now.SHA256)
	}
	if err := p.data.Uploader.CheckCustomer(adopt); err != nil {
		return entry{}, fmt.Errorf("`adopt` of %s: %w", name, err)
	}
	e.KeyPath = adopt
	return e, nil
}

// keeps reports whether a stored file is the wanted one. Any media type is the wanted one unless it
// is configured.
//
// The name of an adopted file may be of neither format, and is kept. The format in the state cannot
// decide this, because an update may have failed.
func keeps(stored entry, name string, wanted mediafile.Object, typeCounts bool) bool {
	if !typeCounts {
		wanted.ContentType = types.StringNull()
	}
	if stored.UploadedAt == "" || stored.Name != storedName(name, formatBase) && stored.Name != storedName(name, formatFlat) {
		wanted.FileName = types.StringNull()
	}
	differing, _ := wanted.Differs(mediafile.ObjectOf(stored.Object))
	return len(differing) == 0
}
