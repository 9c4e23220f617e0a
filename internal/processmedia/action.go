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
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafolder"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediaupload"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
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
		resp.Diagnostics.Append(config.FileArguments.Check()...)
	default:
		resp.Diagnostics.Append(config.Selection.Check(ctx)...)
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
	var files []upload.File
	var keyPaths []string
	var diags diag.Diagnostics
	if config.SourceDir.IsNull() {
		var f upload.File
		var keyPath string
		f, keyPath, diags = config.FileArguments.Upload(ctx, a.Data.Uploader, say)
		files, keyPaths = []upload.File{f}, []string{keyPath}
	} else {
		files, keyPaths, diags = config.Selection.Upload(ctx, a.Data, say)
	}
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	say(fmt.Sprintf("submitting a batch job on the stored files (%d)", len(keyPaths)))
	message, diags := batchjob.Submit(ctx, a.Data, api.Batch{Paths: keyPaths, ServiceModes: modes}, batchjob.InvokeAgain(typeName))
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		resp.Diagnostics.AddWarning("The files are stored", "The action `vodlive_submit_batch_job` submits a job on them. Their key paths:\n"+providerdata.List(keyPaths))
		return
	}
	for i, f := range files {
		a.Data.Uploader.Shown(ctx, f, keyPaths[i]) // another invocation sends them again
	}
	say("submitted: " + message)
}
