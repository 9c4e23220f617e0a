package mediaupload

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// ModifyPlan decides whether the apply uploads the file:
//
//	stored  content       file      plan
//	no      -             here      upload
//	no      -             missing   error, unless the apply makes the file
//	yes     equal         -         keep, with a warning if the file is missing
//	yes     differs       here      upload
//	yes     differs       missing   error, unless the apply makes the file
//	yes     not known     -         the apply decides
//
// A file that is empty counts as missing once it is stored.
func (r *mediaUpload) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil || req.Plan.Raw.IsNull() {
		return
	}
	p := planner{data: r.Data}
	if !req.State.Raw.IsNull() {
		p.state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, p.state)...)
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if p.state != nil {
		r.record(ctx, p.state)
	}
	p.run(ctx)
	resp.Diagnostics.Append(p.diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
	}
}

type planner struct {
	data         *providerdata.Data
	config, plan model
	state        *model // nil: the object is to be created
	missing      error  // why there is no file to upload; nil: there is one, or the plan did not look
	diags        diag.Diagnostics
}

func (p *planner) run(ctx context.Context) {
	if p.state.isStored() {
		if err := p.data.Uploader.CheckCustomer(p.state.KeyPath.ValueString()); err != nil {
			p.diags.Append(providerdata.ErrorDiagnostic("Checking the customer of the key path", err))
			return
		}
	}
	wanted := p.wanted()
	if !wanted.Source.IsUnknown() && !wanted.Content.IsUnknown() && !wanted.ContentBase64.IsUnknown() && !wanted.SHA256.IsUnknown() {
		p.readFile(ctx, &wanted)
	}
	if p.diags.HasError() {
		return
	}
	differing, isUnsure := wanted.differs(p.state)
	isUpload := !p.state.isStored() || len(differing) > 0 || isUnsure
	switch {
	case isUpload && p.missing != nil && !p.isMadeByApply():
		p.refuseMissing(differing)
	case isUpload:
		p.planUpload(ctx, wanted)
	default:
		p.planKeep(wanted)
	}
}

// isMadeByApply reports whether the apply may make the file. Then it reads the file anew.
func (p *planner) isMadeByApply() bool {
	before := types.MapNull(types.StringType)
	if p.state != nil {
		before = p.state.Triggers
	}
	return p.config.SHA256.IsUnknown() || !providerdata.SameTriggers(p.config.Triggers, before)
}

// isImported reports whether nothing is known of the content of the stored file. The plan takes the
// file at hand for it.
func (p *planner) isImported() bool { return p.state.isStored() && p.state.Size.IsNull() }

// wanted returns the configuration with the name and the media type of the stored file where it has
// none. Its hash is unknown if only the apply can compute it.
func (p *planner) wanted() model {
	w := p.config
	w.Size = types.Int64Unknown()
	if p.state.isStored() {
		w.FileName, w.ContentType = firstSet(w.FileName, p.state.FileName), firstSet(w.ContentType, p.state.ContentType)
	}
	isUnknown := w.Source.IsUnknown() || w.Content.IsUnknown() || w.ContentBase64.IsUnknown()
	if w.SHA256.IsNull() && (isUnknown || p.isMadeByApply() && !p.isImported()) {
		w.SHA256 = types.StringUnknown()
	}
	return w
}

// readFile checks the file, and fills in its size and its hash unless the hash is configured.
func (p *planner) readFile(ctx context.Context, w *model) {
	f := w.file()
	var err error
	if w.SHA256.IsNull() || f.Content != nil {
		f, err = p.data.Uploader.Prepare(ctx, f)
	} else {
		f.Size, err = f.Check()
	}
	switch {
	case upload.IsMissing(err), p.state.isStored() && upload.IsProblem(err, transfer.FileEmpty):
		p.missing = err
	case err != nil:
		p.diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", named(err)))
	case w.SHA256.IsNull() || f.Content != nil || p.isImported(): // otherwise the apply may find another file
		w.Size, w.SHA256 = types.Int64Value(f.Size), firstSet(w.SHA256, types.StringValue(f.SHA256))
	}
}

// named returns an error about a file as a text that begins with another word than the file's name,
// because the first letter of a sentence is changed to upper case.
func named(err error) error {
	_, isFile := errors.AsType[*transfer.FileError](err)
	_, isPointer := errors.AsType[*upload.PointerError](err)
	_, isSize := errors.AsType[*upload.SizeError](err)
	if isFile || isPointer || isSize {
		return fmt.Errorf("the file %w", err)
	}
	return err
}

func (p *planner) refuseMissing(differing []string) {
	text := providerdata.ErrorText(named(p.missing))
	if len(differing) > 0 {
		text += fmt.Sprintf(" `%s` asks for a new upload.", strings.Join(differing, "`, `"))
	}
	p.diags.AddAttributeError(path.Root("source"), "The file cannot be uploaded",
		text+" A relative path starts at the folder in which Terraform runs. If the same apply makes the file, set `triggers` to a value of what makes it that is not known before the apply.")
}

// planKeep plans to keep the stored file. What an import lacks comes from the file at hand.
func (p *planner) planKeep(wanted model) {
	p.plan.outcome = p.state.outcome
	p.plan.SHA256 = firstSet(p.config.SHA256, p.state.SHA256, wanted.SHA256)
	p.plan.FileName = wanted.FileName
	p.plan.ContentType = firstSet(wanted.ContentType, p.defaultType(wanted.FileName))
	if p.plan.Size = p.state.Size; p.plan.Size.IsNull() && p.missing == nil {
		p.plan.Size = wanted.Size
	}
	keyPath := p.state.KeyPath.ValueString()
	switch {
	case p.missing != nil:
		p.diags.AddAttributeWarning(path.Root("source"), "The uploaded file is not here",
			fmt.Sprintf("%s Whether its content changed is not known. The file is stored as %s, and nothing is changed.", providerdata.ErrorText(named(p.missing)), keyPath))
		return
	case p.isImported():
		p.diags.AddAttributeWarning(path.Root("source"), "The local file is assumed to be the imported one",
			fmt.Sprintf("The service shows no content, so the provider takes what is configured for what is stored as %s, and sends nothing. A later change of the content uploads it.", keyPath))
	}
	p.plan.Incomplete = nothingLeft
}

// planUpload plans an upload. An apply that finds the stored content sends nothing.
func (p *planner) planUpload(ctx context.Context, wanted model) {
	p.plan.outcome = notStored(types.StringUnknown(), types.Int64Unknown(), nothingLeft)
	p.plan.SHA256, p.plan.Size = wanted.SHA256, wanted.Size
	p.plan.FileName = wanted.FileName
	if p.plan.FileName.IsNull() {
		p.plan.FileName = types.StringUnknown()
		if !p.config.Source.IsUnknown() {
			name, err := upload.DefaultName(p.config.Source.ValueString())
			if err != nil {
				p.diags.AddAttributeError(path.Root("source"), "The file cannot be uploaded", providerdata.ErrorAndAdvice(err))
			}
			p.plan.FileName = types.StringValue(name)
		}
	}
	p.plan.ContentType = firstSet(wanted.ContentType, p.defaultType(p.plan.FileName))
	if !p.diags.HasError() {
		p.diags.Append(p.data.PlanUpload(ctx, typeName)...)
	}
}

// defaultType returns the media type of the file under a name, unknown while the name is.
func (p *planner) defaultType(fileName types.String) types.String {
	if fileName.IsUnknown() || upload.TypeByName(fileName.ValueString()) == "" && p.config.Source.IsUnknown() {
		return types.StringUnknown()
	}
	wanted := model{FileArguments: FileArguments{Source: p.config.Source, FileName: fileName}}
	return types.StringValue(wanted.file().DefaultType())
}

// firstSet returns the first value that is not null, null if all are.
func firstSet(values ...types.String) types.String {
	for _, v := range values {
		if !v.IsNull() {
			return v
		}
	}
	return types.StringNull()
}
