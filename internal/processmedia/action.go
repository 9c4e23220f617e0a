// Package processmedia has the action vodlive_process_media: upload a file or the files of a
// folder, then submit one batch job on all of them. Packages mediaupload and mediafolder upload,
// with the rules of their resources. The action keeps nothing in the state.
package processmedia

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/actionvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/batchjob"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafolder"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediaupload"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const typeName = "vodlive_process_media"

// NewAction makes the action vodlive_process_media.
func NewAction() action.Action { return &processMedia{providerdata.Action{TypeName: typeName}} }

type processMedia struct{ providerdata.Action }

var (
	_ action.ActionWithConfigValidators = (*processMedia)(nil)
	_ action.ActionWithModifyPlan       = (*processMedia)(nil)
)

type model struct {
	mediaupload.FileArguments
	mediafolder.Selection
	mediafile.Arguments

	ServiceModes types.List `tfsdk:"service_modes"`
}

func (a *processMedia) ConfigValidators(context.Context) []action.ConfigValidator {
	return []action.ConfigValidator{actionvalidator.ExactlyOneOf(path.MatchRoot("source"), path.MatchRoot("source_dir"))}
}

// ModifyPlan reports what Invoke would fail on, before anything of the plan is applied.
func (a *processMedia) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.Data == nil {
		return
	}
	resp.Diagnostics.Append(a.Data.PlanUpload(ctx, typeName)...)
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	switch {
	case resp.Diagnostics.HasError():
	case config.SourceDir.IsNull():
		resp.Diagnostics.Append(config.FileArguments.Check(config.Arguments)...)
	default:
		resp.Diagnostics.Append(config.Selection.Check(ctx, config.Arguments)...)
	}
}

func (a *processMedia) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config model
	var modes []string
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.Data.NeedUpload(typeName)...)
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
	say := func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) }
	var uploaded mediafile.Uploaded
	var diags diag.Diagnostics
	if config.SourceDir.IsNull() {
		uploaded, diags = config.FileArguments.Upload(ctx, a.Data.Uploader, config.Arguments, say)
	} else {
		uploaded, diags = config.Selection.Upload(ctx, a.Data, config.Arguments, say)
	}
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// On what the job is submitted, and where the files are if that fails.
	what := fmt.Sprintf("all files of %s (%d)", config.SourceDir.ValueString(), len(uploaded.KeyPaths))
	stored := fmt.Sprintf("All files are stored (%d).", len(uploaded.KeyPaths))
	if config.SourceDir.IsNull() {
		what = uploaded.KeyPaths[0]
		stored = fmt.Sprintf("The file itself is stored as %s. The action `vodlive_submit_batch_job` submits a job on this key path.", what)
	}
	switch {
	case uploaded.Recorded:
		stored += " They are recorded in `resume_dir`: if the action is invoked again on this machine, it sends nothing that is stored."
	case !config.SourceDir.IsNull():
		stored += " They could not be recorded in `resume_dir`: the next invocation sends them again. Their key paths:\n" + providerdata.List(uploaded.KeyPaths)
	}
	say("submitting a batch job on " + what)
	message, diags := batchjob.Submit(ctx, a.Data, api.Batch{Paths: uploaded.KeyPaths, ServiceModes: modes}, batchjob.InvokeAgain(typeName))
	for _, d := range diags {
		if d.Severity() == diag.SeverityError {
			d = diag.NewErrorDiagnostic(d.Summary(), d.Detail()+"\n\n"+stored)
		}
		resp.Diagnostics.Append(d)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	say(fmt.Sprintf("submitted %s: %s", what, message))
	uploaded.Forget(ctx)
}
