package mediaupload

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Keys of the private data.
const (
	privateConfigured = "configured" // which of the arguments with a default the stored file was configured with
	privatePlanned    = "planned"    // the file of a new object, for Delete; without Path if it was not there
)

// configured tells a value that the configuration no longer has from a default.
type configured struct {
	FileName    bool `json:"file_name,omitempty"`
	ContentType bool `json:"content_type,omitempty"`
}

// ModifyPlan plans everything that depends on the file. Terraform calls it up to three times for
// one change: twice while planning a replacement, once before applying.
func (r *mediaUpload) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil {
		return
	}
	p := planner{resource: r}
	var note providerdata.PlanNote
	if !req.State.Raw.IsNull() {
		p.state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, p.state)...)
	}
	if p.state.protected() {
		note.Protected = p.state.KeyPath.ValueString()
	}
	if req.Plan.Raw.IsNull() {
		if p.state.protected() {
			resp.Diagnostics.Append(protected(note.Protected, "remove it from the state"))
		}
		resp.Diagnostics.Append(providerdata.PlanNote{Destroy: true}.Write(ctx, resp.Private)...)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	first, diags := providerdata.ReadPlanNote(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if p.state == nil {
		// The second call for a replacement has no state, but the private data of the first one.
		if first.Protected != "" {
			resp.Diagnostics.Append(protected(first.Protected, "replace it"))
		}
	} else {
		p.before, diags = providerdata.ReadPrivate[configured](ctx, req.Private, privateConfigured)
		resp.Diagnostics.Append(diags...)
	}
	if p.state.stored() {
		if err := r.Data.Uploader.CheckCustomer(p.state.KeyPath.ValueString()); err != nil {
			resp.Diagnostics.Append(mediafile.OtherCustomer(err, ""))
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(p.run(ctx)...)
	if p.state == nil && first.NotHere && !p.found {
		resp.Diagnostics.AddAttributeError(path.Root("source"), "The file cannot be uploaded",
			p.config.Source.ValueString()+" "+p.gone()+" on this machine, so nothing can replace what is stored. Plan the replacement where the file is.")
	}
	note.NotHere, note.Create = p.notHere, p.state == nil
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(note.Write(ctx, resp.Private)...)
	if p.state == nil {
		f := p.plan.file()
		f.Content = nil
		if !p.found {
			f.Path = ""
		}
		resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privatePlanned, f)...)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
}

type planner struct {
	resource *mediaUpload
	config   model
	plan     model
	state    *model // nil: the object is to be created
	before   configured
	notHere  bool // the stored file is kept, and the file is not here
	found    bool // the file is here, and as far as is known with the content to upload
	diags    diag.Diagnostics
}

// run decides what to do with the file and fills in the plan.
func (p *planner) run(ctx context.Context) diag.Diagnostics {
	wanted := p.wanted(ctx)
	if p.diags.HasError() {
		return p.diags
	}
	v, reasons := judge(p.state, wanted)
	if (v == verdictUpload || v == verdictDecide) && p.sameVersion() {
		// The content at hand is uploaded, which may be another one than what is stored.
		wanted.SHA256, wanted.Size = firstSet(p.config.SHA256, types.StringUnknown()), types.Int64Unknown()
		p.config.ContentWO = types.StringUnknown()
	}
	if v == verdictUpload && p.found && !p.config.SHA256.IsNull() {
		if d := p.otherHash(ctx, wanted); d != nil {
			p.diags.Append(d)
			return p.diags
		}
	}
	if v == verdictAdopt && p.found && !p.config.SHA256.IsUnknown() && !p.config.SHA256.IsNull() && !wanted.triggersUnknown() {
		// The state gets the hash and the size of this file, so they must be of one file.
		if found := p.contentHash(ctx); !p.diags.HasError() && !strings.EqualFold(found.ValueString(), wanted.SHA256.ValueString()) {
			p.diags.Append(differs(wanted.file(), found.ValueString(), "was read because it was imported", afterUpdate))
		}
	}
	if p.diags.HasError() {
		return p.diags
	}
	if v == verdictUpload && p.state.protected() && providerdata.ProtectsChange(p.state.Protection, p.config.Protection) {
		p.diags.Append(protected(p.state.KeyPath.ValueString(), fmt.Sprintf("upload another file in its place because of `%s`", strings.Join(reasons, "`, `"))))
		return p.diags
	}
	p.fill(ctx, v, reasons, wanted)
	return p.diags
}

// wanted is the configuration with the hash and the size of the file. Null means any value, and a
// null size that the file is not here.
func (p *planner) wanted(ctx context.Context) model {
	w := p.config
	w.Size = types.Int64Unknown()
	p.defaultsAgain(&w)
	switch {
	case w.ContentVersion.IsNull():
	case p.sameVersion():
		w.SHA256, w.Size = firstSet(w.SHA256, p.state.SHA256), p.state.Size
		return w
	default: // an ephemeral value may be another one in the apply
		if p.state.stored() && p.adoptsWriteOnly() { // which does not look at the content
			p.contentHasHash(ctx, w)
		}
		w.ContentWO, p.config.ContentWO = types.StringUnknown(), types.StringUnknown()
	}
	if w.inputUnknown() || w.SHA256.IsUnknown() {
		w.SHA256 = firstSet(w.SHA256, types.StringUnknown())
		return w
	}
	if w.file().Content != nil {
		f := p.contentHasHash(ctx, w)
		w.SHA256, w.Size = firstSet(w.SHA256, types.StringValue(f.SHA256)), types.Int64Value(f.Size)
		return w
	}
	return p.wantedFile(ctx, w)
}

// contentHasHash refuses content, unless it is not known yet, that has not the configured hash.
func (p *planner) contentHasHash(ctx context.Context, w model) upload.File {
	f := w.file()
	if f.Content == nil {
		return f
	}
	f, err := p.resource.Data.Uploader.Prepare(ctx, f, "")
	if err != nil {
		p.diags.AddAttributeError(path.Root("sha256"), "The content has another SHA-256", providerdata.ErrorText(err))
	}
	return f
}

// sameVersion reports whether write-only content is not looked at, because its version is that of
// the stored file. Nothing looks at the content of an imported file.
func (p *planner) sameVersion() bool {
	return p.state.stored() && !p.config.ContentVersion.IsNull() && p.config.ContentVersion.Equal(p.state.ContentVersion)
}

// adoptsWriteOnly reports whether an imported file is taken for write-only content, whose hash and
// size no plan can know.
func (p *planner) adoptsWriteOnly() bool {
	return !p.config.ContentVersion.IsNull() && p.state.Size.IsNull()
}

// defaultsAgain wants the defaults of a name and a media type that the configuration had, and no
// longer has, unless they were the defaults of the stored file, too. The type of a file that is not
// here, and has an unknown extension, may be any.
func (p *planner) defaultsAgain(w *model) {
	if !p.state.stored() {
		return
	}
	was := p.state.file()
	if byDefault, err := upload.DefaultName(was.Path); p.before.FileName && w.FileName.IsNull() && (err != nil || byDefault != was.Name) {
		w.FileName = p.baseName()
	}
	if p.before.ContentType && w.ContentType.IsNull() && !w.inputUnknown() && !w.FileName.IsUnknown() && was.ContentType != upload.TypeByName(was.Name, was.Path) {
		f := w.file()
		f.Name = firstSet(w.FileName, p.state.FileName).ValueString()
		if found, err := f.DefaultType(); err == nil {
			w.ContentType = types.StringValue(found)
		}
	}
}

// wantedFile is wanted for a source. What makes the file may do so in the apply: then the
// configuration has its hash, or triggers. The file that is there before need not be the one to
// upload.
func (p *planner) wantedFile(ctx context.Context, w model) model {
	info, err := transfer.Stat(w.file().Path)
	// With ignore_changes, an import has no source. What was emptied after it was uploaded is as
	// gone.
	missing := upload.IsMissing(err) || w.Source.IsNull() || p.state.stored() && upload.IsEmpty(err)
	stays := p.state.stored() && (w.SHA256.IsNull() || p.state.SHA256.IsNull() || strings.EqualFold(w.SHA256.ValueString(), p.state.SHA256.ValueString()))
	switch {
	case err != nil && !missing:
		p.fail("The file cannot be uploaded", err.Error()+". "+sourceRule)
	case w.SHA256.IsNull() && w.triggersUnknown():
		w.SHA256 = types.StringUnknown()
	case missing && stays && (!p.retriggered() || !w.SHA256.IsNull()):
		// Without the file nothing can be uploaded, so an argument that is not known yet does not
		// count as a change. If it is one, planning again at apply fails, and the state is kept.
		w.Size = types.Int64Null()
		w.settle(p.state)
	case missing && w.SHA256.IsNull() && providerdata.SameTriggers(w.Triggers, types.MapNull(types.StringType)):
		p.fail("The file cannot be uploaded", err.Error()+". "+sourceRule+" "+madeByApply)
	case missing:
		w.SHA256 = firstSet(w.SHA256, types.StringUnknown())
	default:
		p.found, w.Size = true, types.Int64Value(info.Size())
		if !p.state.stored() || !w.Size.Equal(p.state.Size) && !p.state.Size.IsNull() { // it is another file, which need not be read to tell that it cannot be sent
			if err := w.file().CheckSize(); err != nil {
				p.diags.Append(fileDiagnostic(err))
				return w
			}
		}
		if w.SHA256.IsNull() {
			w.SHA256 = p.contentHash(ctx)
		}
	}
	return w
}

const (
	sourceRule  = "`source` must be the path of a file with content; a relative path starts at the folder in which Terraform runs."
	madeByApply = "If this configuration makes the file, use `content` for text that the configuration has itself, set `sha256` to what the resource that makes the file exports, " +
		"or set `triggers` to values of that resource: then the file need not be there before the apply."
)

// retriggered reports whether the content is looked at although the file was not touched.
func (p *planner) retriggered() bool {
	return p.state != nil && !providerdata.SameTriggers(p.config.Triggers, p.state.Triggers)
}

// otherHash is the error for a file that is known to have another hash than the configured one,
// unless the apply may make another file.
func (p *planner) otherHash(ctx context.Context, w model) diag.Diagnostic {
	if w.triggersUnknown() || p.retriggered() {
		return nil
	}
	f := w.file()
	return otherHash(f, p.resource.Data.Uploader.Remembered(ctx, f.Path), p.plan.ChangeDetection.ValueString(), afterUpdate)
}

func (p *planner) fail(summary, detail string) {
	p.diags.AddAttributeError(path.Root("source"), summary, detail)
}

// contentHash returns the hash of the file.
func (p *planner) contentHash(ctx context.Context) types.String {
	detection := p.plan.ChangeDetection.ValueString()
	if p.retriggered() {
		detection = upload.DetectContent
	}
	sum, err := p.resource.Data.Uploader.SHA256(ctx, p.plan.file(), detection)
	if err != nil {
		p.diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
	}
	if p.state.stored() && strings.EqualFold(sum, p.state.SHA256.ValueString()) {
		return p.state.SHA256 // in the letter case of the configuration
	}
	return types.StringValue(sum)
}

// fill makes the plan for a verdict, or reports why there can be none.
func (p *planner) fill(ctx context.Context, v verdict, reasons []string, wanted model) {
	replaces := v == verdictUpload && p.state.stored()
	switch {
	case replaces && p.state.Size.IsNull() && slices.Contains(reasons, "file_name"):
		p.fail("The imported file has another name",
			fmt.Sprintf("The key path %s was imported, whose file is named %q; `file_name` is %q. Give the imported name, or, with `source`, leave `file_name` out.",
				p.state.KeyPath.ValueString(), p.state.FileName.ValueString(), wanted.FileName.ValueString()))
	case replaces && wanted.Size.IsNull():
		p.fail("The file cannot be uploaded",
			fmt.Sprintf("%s %s, and `%s` asks for a new upload. %s", p.config.Source.ValueString(), p.gone(), strings.Join(reasons, "`, `"), madeByApply))
	case v == verdictKeep || v == verdictAdopt:
		p.fillStored(v, wanted)
	default:
		p.fillUpload(ctx, v, wanted)
	}
}

// fillStored plans to keep the stored file. What an import lacks comes from the local file.
func (p *planner) fillStored(v verdict, wanted model) {
	p.plan.outcome = p.state.outcome
	if !wanted.Size.IsNull() { // else what is unfinished may be an upload of the file that is not here
		p.plan.Incomplete = complete
	}
	p.plan.SHA256 = firstSet(kept(p.config.SHA256, p.state.SHA256), wanted.SHA256)
	p.plan.FileName = kept(p.config.FileName, p.state.FileName)
	p.plan.ContentType = kept(p.config.ContentType, p.state.ContentType)
	p.plan.Size = p.state.Size
	keyPath := p.state.KeyPath.ValueString()
	if v == verdictAdopt {
		p.plan.Size = p.sizeToPlan(wanted)
		if p.adoptsWriteOnly() {
			p.plan.SHA256, p.plan.Size = known(p.config.SHA256), types.Int64Null()
			p.plan.ContentType = firstSet(p.plan.ContentType, providerdata.TextOrNull(upload.TypeByName(p.plan.FileName.ValueString())))
		} else if p.plan.ContentType.IsNull() {
			p.plan.ContentType = p.contentType()
		}
		name := cmp.Or(p.config.Source.ValueString(), "what is configured")
		p.diags.AddAttributeWarning(path.Root("source"), "The local file is assumed to be the imported one",
			fmt.Sprintf("%s was imported as %s. The service shows no content, so the provider assumes that %s is what is stored there, and sends nothing. "+
				"A later change of the file uploads it again.", typeName, keyPath, name))
	}
	if p.notHere = wanted.Size.IsNull() && !p.config.Source.IsNull(); p.notHere {
		p.diags.AddAttributeWarning(path.Root("source"), "The uploaded file is not here",
			fmt.Sprintf("%s %s on this machine, so whether its content changed is not known. It has been uploaded as %s, and nothing is changed.",
				p.config.Source.ValueString(), p.gone(), keyPath))
	}
}

// gone says what became of a file that was uploaded.
func (p *planner) gone() string {
	if _, err := transfer.Stat(p.config.file().Path); upload.IsEmpty(err) {
		return "is empty"
	}
	return "does not exist"
}

// sizeToPlan is the size of the file, unless it was not read because its hash is configured: the
// apply may make another one.
func (p *planner) sizeToPlan(wanted model) types.Int64 {
	if p.found && !p.config.SHA256.IsNull() {
		return types.Int64Unknown()
	}
	return wanted.Size
}

// kept is the configured value, else the stored one. It is unknown only where nothing is stored.
func kept(config, stored types.String) types.String {
	return firstSet(known(config), stored, config)
}

// fillUpload plans an upload: of a new object, of one in place of the stored file, or of what is
// left of one that is incomplete.
func (p *planner) fillUpload(ctx context.Context, v verdict, wanted model) {
	p.plan.outcome = notStored(types.StringUnknown(), types.Int64Unknown(), complete)
	if v == verdictDecide && !p.state.Incomplete.IsNull() { // the apply may find that the stored file stays, and the unfinished upload with it
		p.plan.Incomplete = types.ObjectUnknown(mediafile.IncompleteTypes)
	}
	p.plan.SHA256, p.plan.Size = wanted.SHA256, wanted.Size
	p.plan.FileName, p.plan.ContentType = p.config.FileName, p.config.ContentType
	if p.plan.FileName.IsNull() {
		p.plan.FileName = p.unfinishedName(wanted)
	}
	if p.plan.FileName.IsNull() {
		p.plan.FileName = p.orStored(v, p.baseName(), func(m *model) types.String { return m.FileName })
	}
	if p.plan.ContentType.IsNull() {
		p.plan.ContentType = p.orStored(v, p.contentType(), func(m *model) types.String { return m.ContentType })
	}
	if err := p.plan.file().CheckSize(); err != nil {
		p.diags.Append(fileDiagnostic(err))
	}
	p.plan.Size = p.sizeToPlan(wanted)
	if p.diags.HasError() {
		return
	}
	if !p.resource.Data.Uploader.Expects(p.plan.file()) { // else only Create can give the state back what Delete has left
		p.diags.Append(p.resource.Data.PlanUpload(ctx, typeName)...)
	}
}

// unfinishedName is the name of the unfinished upload that the wanted one continues, null if there
// is none.
func (p *planner) unfinishedName(wanted model) types.String {
	switch {
	case p.state == nil:
		return types.StringNull()
	case !p.state.stored():
		return p.state.FileName
	}
	f, left, _ := mediafile.Unfinished(p.state.Incomplete)
	if left == nil || !strings.EqualFold(f.SHA256, wanted.SHA256.ValueString()) {
		return types.StringNull()
	}
	return providerdata.TextOrNull(f.Name)
}

// orStored is a default, or unknown if the apply may keep a stored file that has another value.
func (p *planner) orStored(v verdict, byDefault types.String, stored func(*model) types.String) types.String {
	if v == verdictDecide && !byDefault.Equal(stored(p.state)) {
		return types.StringUnknown()
	}
	return byDefault
}

// baseName is the default name of a new upload.
func (p *planner) baseName() types.String {
	if p.config.inputUnknown() {
		return types.StringUnknown()
	}
	name, err := upload.DefaultName(p.config.Source.ValueString())
	if err != nil {
		p.fail("The file cannot be uploaded", providerdata.ErrorAndAdvice(err))
	}
	return types.StringValue(name)
}

// contentType is the default media type. It is planned if the name tells it, or if the content has
// been read anyway. Otherwise it is unknown until the apply.
func (p *planner) contentType() types.String {
	if p.plan.FileName.IsUnknown() || p.config.inputUnknown() {
		return types.StringUnknown()
	}
	f := p.plan.file()
	if f.Content == nil && upload.TypeByName(f.Name, f.Path) == "" && (!p.found || !p.config.SHA256.IsNull()) {
		return types.StringUnknown()
	}
	found, err := f.DefaultType()
	if err != nil {
		p.diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
	}
	return types.StringValue(found)
}

// known is null for a value that is not known yet.
func known(v types.String) types.String {
	if v.IsUnknown() {
		return types.StringNull()
	}
	return v
}

// firstSet is the first value that is not null; null if all are.
func firstSet(values ...types.String) types.String {
	for _, v := range values {
		if !v.IsNull() {
			return v
		}
	}
	return types.StringNull()
}
