// Package processmedia has the action vodlive_process_media: upload a file or the files of a folder,
// then submit one batch job on all of them. Packages mediaupload and mediafolder upload, with the
// rules of their resources. The action keeps nothing in the state.
package processmedia

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/actionvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafolder"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediaupload"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const typeName = "vodlive_process_media"

// NewAction makes the action vodlive_process_media.
func NewAction() action.Action { return &processMedia{} }

type processMedia struct{ data *providerdata.Data }

var (
	_ action.ActionWithConfigure        = (*processMedia)(nil)
	_ action.ActionWithConfigValidators = (*processMedia)(nil)
	_ action.ActionWithModifyPlan       = (*processMedia)(nil)
)

type model struct {
	Source      types.String `tfsdk:"source"`
	FileName    types.String `tfsdk:"file_name"`
	ContentType types.String `tfsdk:"content_type"`
	SHA256      types.String `tfsdk:"sha256"`
	mediafolder.Selection
	ServiceModes types.List `tfsdk:"service_modes"`
}

func (m *model) file() mediaupload.Once {
	return mediaupload.Once{
		Source: m.Source, FileName: m.FileName, ContentType: m.ContentType, SHA256: m.SHA256, Method: m.Method, PartSize: m.PartSize,
	}
}

func (a *processMedia) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = typeName
}

func (a *processMedia) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.data = providerdata.From(req.ProviderData, &resp.Diagnostics)
}

// ConfigValidators has one of the ways to say what to upload.
func (a *processMedia) ConfigValidators(context.Context) []action.ConfigValidator {
	return []action.ConfigValidator{actionvalidator.ExactlyOneOf(path.MatchRoot("source"), path.MatchRoot("source_dir"))}
}

// ModifyPlan reports what Invoke would fail on, before anything of the plan is applied.
func (a *processMedia) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.data == nil {
		return
	}
	resp.Diagnostics.Append(a.data.PlanUpload(ctx, typeName, time.Now())...)
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	switch {
	case resp.Diagnostics.HasError():
	case config.SourceDir.IsNull():
		resp.Diagnostics.Append(config.file().Check()...)
	default:
		resp.Diagnostics.Append(config.Selection.Check(ctx)...)
	}
}

func (a *processMedia) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config model
	var modes []string
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.data.NeedUpload(typeName)...)
	if config.Source.IsNull() == config.SourceDir.IsNull() { // unknown during the plan, which has refused it otherwise
		resp.Diagnostics.AddError("The file cannot be uploaded", "Set exactly one of `source` and `source_dir`.")
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.ServiceModes.ElementsAs(ctx, &modes, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	run := invocation{data: a.data, modes: modes, say: func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) }}
	if config.SourceDir.IsNull() {
		resp.Diagnostics.Append(run.file(ctx, config.file())...)
	} else {
		resp.Diagnostics.Append(run.folder(ctx, config.Selection)...)
	}
}

// invocation is one call of Invoke.
type invocation struct {
	data  *providerdata.Data
	modes []string
	say   func(line string)
}

func (i *invocation) file(ctx context.Context, f mediaupload.Once) diag.Diagnostics {
	keyPath, diags := f.Upload(ctx, i.data.Uploader, i.say)
	if !diags.HasError() {
		diags.Append(i.submit(ctx, []string{keyPath}, keyPath, fmt.Sprintf("The file itself is stored as %s. Another invocation would send it again. The action `vodlive_submit_batch_job` submits a job on this key path without that.", keyPath))...)
	}
	return diags
}

func (i *invocation) folder(ctx context.Context, f mediafolder.Selection) diag.Diagnostics {
	keyPaths, recorded, diags := f.Upload(ctx, i.data, i.say)
	if diags.HasError() {
		return diags
	}
	stored := fmt.Sprintf("All files are stored (%d).", len(keyPaths))
	if recorded {
		stored += " They are recorded in `resume_dir`: if the action is invoked again on this machine, it sends none of them, and submits the job."
	}
	diags.Append(i.submit(ctx, keyPaths, fmt.Sprintf("all files of %s (%d)", f.SourceDir.ValueString(), len(keyPaths)), stored)...)
	if !diags.HasError() {
		f.Forget(ctx, i.data)
	}
	return diags
}

// submit submits a job. stored says where the files are if that fails.
func (i *invocation) submit(ctx context.Context, keyPaths []string, what, stored string) diag.Diagnostics {
	i.say("submitting a batch job on " + what)
	message, err := i.data.API.SubmitBatch(ctx, keyPaths, i.modes)
	if err != nil {
		d := providerdata.SubmitDiagnostic(err, keyPaths, "invoking the action")
		return diag.Diagnostics{diag.NewErrorDiagnostic(d.Summary(), d.Detail()+"\n\n"+stored)}
	}
	i.say(fmt.Sprintf("submitted %s: %s", what, message))
	return nil
}
