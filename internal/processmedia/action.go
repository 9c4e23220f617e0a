// Package processmedia has the action vodlive_process_media: it uploads a file, or the files of a
// folder, and submits one batch job on them. Packages mediaupload and mediafolder upload, with the
// rules of their resources. The action keeps nothing in the state.
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

// NewAction returns the action vodlive_process_media.
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

// ModifyPlan reports what would make Invoke fail, as far as it shows without reading the files.
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

// Invoke uploads the files and submits the job. If a file fails, it submits no job.
func (a *processMedia) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	show := func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) }
	var config model
	batch := api.Batch{}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(config.ServiceModes.ElementsAs(ctx, &batch.ServiceModes, false)...)
	resp.Diagnostics.Append(a.Data.NeedUpload(typeName)...)
	if config.Source.IsNull() == config.SourceDir.IsNull() { // the validators accept values that are unknown in the plan
		resp.Diagnostics.AddError("The action has no file to upload", "Set exactly one of `source` and `source_dir`.")
	}
	if resp.Diagnostics.HasError() {
		return
	}
	files, keyPaths, diags := config.upload(ctx, a.Data, show)
	resp.Diagnostics.Append(withAdvice(diags, "No batch job was submitted. "+batchjob.InvokeAgain(typeName))...)
	if diags.HasError() {
		return
	}
	show(fmt.Sprintf("submitting a batch job on the stored files (%d)", len(keyPaths)))
	batch.Paths = keyPaths
	message, diags := batchjob.Submit(ctx, a.Data, batch, batchjob.InvokeAgain(typeName))
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		resp.Diagnostics.AddWarning("The files of the failed action are stored",
			"The action `vodlive_submit_batch_job` submits a job on them without another upload. Their key paths:\n"+providerdata.List(keyPaths))
		return
	}
	for i, f := range files { // so that the next invocation uploads them anew
		a.Data.Uploader.Shown(ctx, f, keyPaths[i])
	}
	show("submitted: " + message)
}

// upload uploads the file or the folder, and returns the files with their key paths.
func (m model) upload(ctx context.Context, data *providerdata.Data, show func(line string)) (files []upload.File, keyPaths []string, diags diag.Diagnostics) {
	if m.SourceDir.IsNull() {
		file, keyPath, diags := m.FileArguments.Upload(ctx, data.Uploader, show)
		return []upload.File{file}, []string{keyPath}, diags
	}
	return m.Selection.Upload(ctx, data, show)
}

// withAdvice adds a paragraph to the errors among diagnostics.
func withAdvice(diags diag.Diagnostics, advice string) (advised diag.Diagnostics) {
	for _, d := range diags {
		if d.Severity() == diag.SeverityError {
			d = diag.NewErrorDiagnostic(d.Summary(), d.Detail()+"\n\n"+advice)
		}
		advised.Append(d)
	}
	return advised
}
