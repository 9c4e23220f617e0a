package mediaupload

import (
	"context"
	"fmt"
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

// ModifyPlan plans everything that depends on the file.
//
//	stored  wanted differs  file is here  plan
//	no      -               yes           upload
//	no      -               no            error, unless `sha256` or `triggers` say that the apply makes it
//	yes     no              -             keep; with a warning if the file is not here
//	yes     yes             yes           upload
//	yes     yes             no            upload if `sha256` says what, else error
//	yes     not known yet   -             the apply decides
//
// An import lacks what makes a difference, so its file is kept, and the rest comes from the file
// at hand.
func (r *mediaUpload) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil || req.Plan.Raw.IsNull() {
		return
	}
	p := planner{resource: r}
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
		r.remember(ctx, p.state)
	}
	p.run(ctx)
	resp.Diagnostics.Append(p.diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
	}
}

type planner struct {
	resource     *mediaUpload
	config, plan model
	state        *model // nil: the object is to be created
	diags        diag.Diagnostics
}

func (p *planner) run(ctx context.Context) {
	wanted, absent := p.wanted(ctx)
	if p.diags.HasError() {
		return
	}
	var differing []string
	unsure := false
	if p.state.stored() {
		differing, unsure = wanted.differs(p.state)
	}
	asks := !p.config.SHA256.IsNull() || wanted.SHA256.IsUnknown() // for a file that the apply makes
	switch {
	case absent != "" && !p.state.stored() && !asks:
		p.fail(absent + ". " + madeByApply)
	case absent != "" && len(differing) > 0 && !asks:
		p.fail(fmt.Sprintf("%s, and `%s` asks for a new upload. %s", absent, strings.Join(differing, "`, `"), madeByApply))
	case !p.state.stored() || len(differing) > 0 || unsure:
		p.upload(ctx, wanted)
	default:
		p.keep(wanted, absent)
	}
}

const madeByApply = "A relative path starts at the folder in which Terraform runs. If the same apply makes the file, set `sha256` to what makes it exports, " +
	"or `triggers` to values of it: then the file need not be there before."

// wanted is the configuration with the name and the media type of the stored file, and with the
// hash and the size of the file as far as the plan can know them. absent says that there is no file
// to upload here.
func (p *planner) wanted(ctx context.Context) (w model, absent string) {
	w = p.config
	w.Size = types.Int64Unknown()
	if p.state.stored() {
		w.FileName, w.ContentType = firstSet(w.FileName, p.state.FileName), firstSet(w.ContentType, p.state.ContentType)
	}
	var triggered types.Map
	if p.state != nil {
		triggered = p.state.Triggers
	}
	given := !w.SHA256.IsNull()
	open := w.Source.IsUnknown() || w.Content.IsUnknown() || w.ContentBase64.IsUnknown()
	if !given && (open || !providerdata.SameTriggers(w.Triggers, triggered)) {
		w.SHA256 = types.StringUnknown()
	}
	if open || w.SHA256.IsUnknown() {
		return w, ""
	}
	f := w.file()
	if f.Content == nil {
		info, err := transfer.Stat(f.Path)
		switch {
		case upload.IsProblem(err, transfer.FileMissing), p.state.stored() && upload.IsProblem(err, transfer.FileEmpty):
			return w, strings.TrimSuffix(providerdata.ErrorText(err), ".")
		case err != nil:
			p.fail(err.Error() + ".")
			return w, ""
		case given: // the apply may make another file there
			if f.Size = info.Size(); f.CheckSize() != nil {
				p.diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", f.CheckSize()))
			} else if p.state.stored() && p.state.Size.IsNull() {
				w.Size = types.Int64Value(f.Size)
			}
			return w, ""
		}
	}
	f, err := p.resource.Data.Uploader.Prepare(ctx, f)
	if err != nil {
		p.diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
		return w, ""
	}
	described := w
	described.describe(f)
	w.SHA256, w.Size = described.SHA256, described.Size
	if !w.FileName.IsUnknown() { // which the type depends on
		w.FileName, w.ContentType = firstSet(w.FileName, described.FileName), firstSet(w.ContentType, described.ContentType)
	}
	return w, ""
}

func (p *planner) fail(detail string) {
	p.diags.AddAttributeError(path.Root("source"), "The file cannot be uploaded", detail)
}

// keep plans to keep the stored file. What an import lacks comes from the file at hand.
func (p *planner) keep(wanted model, absent string) {
	p.plan.outcome = p.state.outcome
	p.plan.SHA256 = firstSet(p.config.SHA256, p.state.SHA256, wanted.SHA256)
	p.plan.FileName = firstSet(p.config.FileName, p.state.FileName)
	byName := providerdata.TextOrNull(upload.TypeByName(p.plan.FileName.ValueString(), p.config.Source.ValueString()))
	p.plan.ContentType = firstSet(p.config.ContentType, p.state.ContentType, wanted.ContentType, byName)
	if p.plan.Size = p.state.Size; p.plan.Size.IsNull() && absent == "" {
		p.plan.Size = wanted.Size
	}
	if absent != "" {
		p.diags.AddAttributeWarning(path.Root("source"), "The uploaded file is not here",
			fmt.Sprintf("%s, so whether its content changed is not known. It has been uploaded as %s, and nothing is changed.", absent, p.state.KeyPath.ValueString()))
		return
	}
	p.plan.Incomplete = complete
	if p.state.Size.IsNull() {
		p.diags.AddAttributeWarning(path.Root("source"), "The local file is assumed to be the imported one",
			fmt.Sprintf("The service shows no content, so the provider assumes that what is configured is what is stored as %s, and sends nothing. A later change uploads it again.", p.state.KeyPath.ValueString()))
	}
}

// upload plans an upload, which an apply that finds the stored content does not send.
func (p *planner) upload(ctx context.Context, wanted model) {
	p.plan.outcome = notStored(types.StringUnknown(), types.Int64Unknown(), complete)
	if p.state.stored() && !p.state.Incomplete.IsNull() { // the apply may find that nothing is to be done, and no file: see keep
		p.plan.Incomplete = types.ObjectUnknown(mediafile.IncompleteTypes)
	}
	p.plan.SHA256, p.plan.Size = firstSet(wanted.SHA256, types.StringUnknown()), wanted.Size
	p.plan.FileName, p.plan.ContentType = wanted.FileName, wanted.ContentType
	if p.plan.FileName.IsNull() {
		p.plan.FileName = types.StringUnknown()
		if !p.config.Source.IsUnknown() {
			name, err := upload.DefaultName(p.config.Source.ValueString())
			if err != nil {
				p.fail(providerdata.ErrorAndAdvice(err))
			}
			p.plan.FileName = types.StringValue(name)
		}
	}
	if p.plan.ContentType.IsNull() {
		p.plan.ContentType = types.StringUnknown()
		if byName := upload.TypeByName(p.plan.FileName.ValueString(), p.config.Source.ValueString()); byName != "" && !p.plan.FileName.IsUnknown() {
			p.plan.ContentType = types.StringValue(byName)
		}
	}
	if !p.diags.HasError() {
		p.diags.Append(p.resource.Data.PlanUpload(ctx, typeName)...)
	}
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
