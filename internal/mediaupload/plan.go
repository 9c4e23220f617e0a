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

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

const privateFingerprint = "file" // key in the private data: see upload.Fingerprint

// ModifyPlan plans everything that depends on the file. Terraform calls it up to three times for one
// change: twice while planning a replacement, once before applying.
func (r *mediaUpload) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil {
		return
	}
	p := planner{resource: r}
	var replaced string // key path of the stored file in whose place one is created
	if !req.State.Raw.IsNull() {
		p.state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, p.state)...)
	}
	if req.Plan.Raw.IsNull() {
		if p.state.protected() {
			resp.Diagnostics.Append(protected(p.state.KeyPath.ValueString(), "remove it from the state"))
		}
		resp.Diagnostics.Append(providerdata.PlanNote{Destroy: true}.Write(ctx, resp.Private)...)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	if p.state == nil {
		// The second call for a replacement has no state, but the private data of the first one.
		earlier, diags := providerdata.ReadPlanNote(ctx, req.Private)
		resp.Diagnostics.Append(diags...)
		p.replacesUndecided, replaced = earlier.Undecided, earlier.Stored
		if earlier.Protected != "" {
			resp.Diagnostics.Append(protected(earlier.Protected, "replace it"))
		}
	} else {
		last, diags := providerdata.ReadPrivate[upload.Fingerprint](ctx, req.Private, privateFingerprint)
		resp.Diagnostics.Append(diags...)
		p.last = last // if it is empty, the file is read
	}
	if resp.Diagnostics.HasError() {
		return
	}
	v, reasons := p.run(ctx)
	resp.Diagnostics.Append(p.diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	for _, attribute := range reasons {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(attribute))
	}
	if p.state.protected() && len(reasons) > 0 {
		resp.Diagnostics.Append(protected(p.state.KeyPath.ValueString(), fmt.Sprintf("replace it because of `%s`", strings.Join(reasons, "`, `"))))
		return
	}
	note := providerdata.PlanNote{Undecided: v == verdictUndecided, Source: p.plan.Source.ValueString(), Found: p.found}
	if p.found && replaced != "" {
		r.Data.Replacing.Store(replaced, note.Source)
	}
	if p.state.complete() {
		note.Stored = p.state.KeyPath.ValueString()
	}
	if p.state.protected() {
		note.Protected = p.state.KeyPath.ValueString()
	}
	resp.Diagnostics.Append(note.Write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
}

type planner struct {
	resource *mediaUpload
	config   model
	plan     model
	state    *model // nil: the object is to be created
	last     upload.Fingerprint
	found    bool // the file is here, and as far as is known with the content to upload
	diags    diag.Diagnostics

	replacesUndecided bool // the new object replaces one for which the verdict was undecided
}

func (p *planner) run(ctx context.Context) (verdict, []string) {
	wanted := p.wanted(ctx)
	if p.diags.HasError() {
		return verdictKeep, nil
	}
	v, reasons := judge(p.state, wanted)
	switch {
	case p.state == nil && p.replacesUndecided:
		v = verdictUndecided
	case v == verdictUndecided && p.state.protected():
		v, reasons = verdictKeep, nil
		p.diags.AddWarning("The content is not known yet",
			fmt.Sprintf("The stored file %s is planned to stay, because what replaces it is not known before the apply and `deletion_protection` is on. "+
				"If the apply finds that it has to be replaced, it ends with an error and replaces nothing.", p.state.KeyPath.ValueString()))
	case v == verdictUndecided && !p.resource.replaced().namedAtApply(p.state.file().HexSHA256(), true):
		v = verdictReplace // another object gets this content under a name that is planned already
	}
	p.fill(ctx, v, reasons, wanted)
	return v, reasons
}

// complete reports whether the state has a complete upload, as also after an import.
func (m *model) complete() bool { return m != nil && m.Incomplete.IsNull() && !m.KeyPath.IsNull() }

// wanted is the configuration with the hash and the size of the file. Null means any value, and a
// null size that the file is not here.
func (p *planner) wanted(ctx context.Context) model {
	w := p.config
	w.Size = types.Int64Unknown()
	if w.inputUnknown() || w.SHA256.IsUnknown() {
		w.SHA256 = firstSet(w.SHA256, types.StringUnknown())
		return w
	}
	if f := w.file(); f.Content != nil {
		f, err := p.resource.Data.Uploader.Prepare(ctx, f, "")
		if err != nil {
			p.diags.AddAttributeError(path.Root("sha256"), "The content has another SHA-256", providerdata.ErrorText(err))
		}
		w.SHA256, w.Size = firstSet(w.SHA256, types.StringValue(f.HexSHA256())), types.Int64Value(f.Size)
		return w
	}
	return p.wantedFile(ctx, w)
}

// wantedFile is wanted for a source. What makes the file may do so in the apply: then the configuration
// has its hash, or triggers. The file that is there before need not be the one to upload.
func (p *planner) wantedFile(ctx context.Context, w model) model {
	source, complete := w.Source.ValueString(), p.state.complete()
	info, err := transfer.Stat(source)
	missing := upload.IsMissing(err) || w.Source.IsNull() // with ignore_changes, an import has no source
	stays := complete && (w.SHA256.IsNull() || p.state.SHA256.IsNull() || strings.EqualFold(w.SHA256.ValueString(), p.state.SHA256.ValueString()))
	switch {
	case err != nil && !missing:
		p.fail("The file cannot be uploaded", err.Error()+". "+sourceRule)
	case w.SHA256.IsNull() && w.triggersUnknown():
		w.SHA256 = types.StringUnknown()
	case missing && stays && (!p.retriggered() || !w.SHA256.IsNull()):
		// Without the file nothing can be uploaded, so an argument that is not known yet does not
		// count as a change. If it is one, planning again at apply fails, and the state is kept.
		w.Size = types.Int64Null()
		w.FileName, w.ContentType = known(w.FileName), known(w.ContentType)
	case missing && w.SHA256.IsNull() && w.Triggers.IsNull():
		p.fail("The file cannot be uploaded", err.Error()+". "+sourceRule+" "+madeByApply)
	case missing:
		w.SHA256 = firstSet(w.SHA256, types.StringUnknown())
	default:
		p.found, w.Size = true, types.Int64Value(info.Size())
		if w.SHA256.IsNull() {
			w.SHA256 = p.contentHash(ctx, source)
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
	return p.state != nil && !p.config.Triggers.Equal(p.state.Triggers)
}

func (p *planner) fail(summary, detail string) {
	p.diags.AddAttributeError(path.Root("source"), summary, detail)
}

// contentHash is that of the state if the file has not been touched since, else it is read.
func (p *planner) contentHash(ctx context.Context, source string) types.String {
	detection := p.plan.ChangeDetection.ValueString()
	if p.retriggered() {
		detection = upload.DetectContent
	}
	var before upload.Fingerprint
	if p.state.complete() && strings.EqualFold(p.last.SHA256, p.state.SHA256.ValueString()) {
		before = p.last
	}
	now, kept, err := p.resource.Data.Uploader.Fingerprint(ctx, source, before, detection)
	if err != nil {
		p.diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
	}
	if kept {
		return p.state.SHA256
	}
	return types.StringValue(now.SHA256)
}

// fill makes the plan for a verdict, or reports why there can be none.
func (p *planner) fill(ctx context.Context, v verdict, reasons []string, wanted model) {
	absent := wanted.Size.IsNull()
	switch {
	case v == verdictReplace && p.state.Size.IsNull() && slices.Contains(reasons, "file_name") && !p.config.FileName.IsUnknown():
		p.fail("The imported file has another name",
			fmt.Sprintf("The key path %s was imported, whose file is named %q; `file_name` is %q. Leave `file_name` out, or give the imported name.",
				p.state.KeyPath.ValueString(), p.state.FileName.ValueString(), p.config.FileName.ValueString()))
	case v == verdictReplace && absent:
		p.fail("The file cannot be uploaded",
			fmt.Sprintf("%s does not exist, and `%s` asks for a new upload. %s", p.config.Source.ValueString(), strings.Join(reasons, "`, `"), madeByApply))
	case v == verdictKeep || v == verdictAdopt:
		p.fillStored(v, wanted)
	default:
		p.fillUpload(ctx, v, wanted)
	}
}

// fillStored plans to keep the stored file. What an import lacks comes from the local file.
func (p *planner) fillStored(v verdict, wanted model) {
	p.plan.outcome = p.state.outcome
	p.plan.SHA256 = firstSet(kept(p.config.SHA256, p.state.SHA256), wanted.SHA256)
	p.plan.FileName = kept(p.config.FileName, p.state.FileName)
	p.plan.ContentType = kept(p.config.ContentType, p.state.ContentType)
	p.plan.Size = p.state.Size
	keyPath := p.state.KeyPath.ValueString()
	if v == verdictAdopt {
		p.plan.Size = p.sizeToPlan(wanted)
		if p.plan.ContentType.IsNull() {
			p.plan.ContentType = p.contentType(v)
		}
		name := cmp.Or(p.config.Source.ValueString(), "what is configured")
		p.diags.AddAttributeWarning(path.Root("source"), "The local file is assumed to be the imported one",
			fmt.Sprintf("%s was imported as %s. The service shows no content, so the provider assumes that %s is what is stored there, and sends nothing. "+
				"A later change of the file uploads it again.", typeName, keyPath, name))
	}
	if wanted.Size.IsNull() && !p.config.Source.IsNull() {
		p.diags.AddAttributeWarning(path.Root("source"), "The uploaded file is not here",
			fmt.Sprintf("%s does not exist on this machine, so whether its content changed is not known. It has been uploaded as %s, and nothing is changed.",
				p.config.Source.ValueString(), keyPath))
	}
}

// sizeToPlan is the size of the file, unless it was not read because its hash is configured: the apply may make another one.
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

// fillUpload plans an upload: of a new object, or of what is left of one that is incomplete.
func (p *planner) fillUpload(ctx context.Context, v verdict, wanted model) {
	p.plan.outcome = notStored(types.StringUnknown(), types.Int64Unknown(), nil)
	p.plan.SHA256, p.plan.Size = wanted.SHA256, wanted.Size
	p.plan.FileName, p.plan.ContentType = p.config.FileName, p.config.ContentType
	if v == verdictUpload && p.state != nil && p.plan.FileName.IsNull() {
		p.plan.FileName = p.state.FileName // the unfinished upload has this name
	}
	if p.plan.FileName.IsNull() {
		p.plan.FileName = p.baseName(v)
	}
	if p.plan.ContentType.IsNull() {
		p.plan.ContentType = p.contentType(v)
	}
	if p.state == nil && v == verdictUpload && p.resource.namedAtApply(p.plan, p.config) {
		p.plan.FileName, p.plan.ContentType = firstSet(p.config.FileName, types.StringUnknown()), firstSet(p.config.ContentType, types.StringUnknown())
	}
	if err := p.plan.file().CheckSize(); err != nil {
		p.diags.Append(fileDiagnostic(err))
	}
	p.plan.Size = p.sizeToPlan(wanted)
	if p.diags.HasError() {
		return
	}
	p.diags.Append(p.resource.Data.PlanUpload(ctx, typeName)...)
}

// baseName is the default name of a new upload. It is unknown where the apply may keep a stored file.
func (p *planner) baseName(v verdict) types.String {
	if v == verdictUndecided || p.config.inputUnknown() {
		return types.StringUnknown()
	}
	name, err := upload.DefaultName(p.config.Source.ValueString())
	if err != nil {
		p.fail("The file cannot be uploaded", providerdata.ErrorText(err))
	}
	return types.StringValue(name)
}

// contentType is the default media type. It is planned if the name tells it, or if the content has
// been read anyway. Otherwise it is unknown until the apply.
func (p *planner) contentType(v verdict) types.String {
	if v == verdictUndecided || p.plan.FileName.IsUnknown() || p.config.inputUnknown() {
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
