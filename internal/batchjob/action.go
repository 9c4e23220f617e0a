package batchjob

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const actionName = "vodlive_submit_batch_job"

// NewAction returns the action vodlive_submit_batch_job, which keeps nothing in the state.
func NewAction() action.Action { return &submit{} }

type submit struct{ data *providerdata.Data }

var (
	_ action.ActionWithConfigure  = (*submit)(nil)
	_ action.ActionWithModifyPlan = (*submit)(nil)
)

type submitModel struct {
	Paths        types.List `tfsdk:"paths"`
	ServiceModes types.List `tfsdk:"service_modes"`
}

func (a *submit) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = actionName
}

func (a *submit) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Submits a batch job on uploaded files each time the action is invoked, and keeps nothing in the state. " +
			"To submit a job only once, use the resource `vodlive_batch_job`.",
		Attributes: map[string]schema.Attribute{
			"paths": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: stringList(),
				MarkdownDescription: "Key paths of the files to process. At least one, without duplicates.",
			},
			"service_modes": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: stringList(),
				MarkdownDescription: "Processing modes, for example `[\"video_optimizer\"]`. At least one, without duplicates.",
			},
		},
	}
}

func (a *submit) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.data = providerdata.From(req.ProviderData, &resp.Diagnostics)
}

func (a *submit) ModifyPlan(ctx context.Context, _ action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.data != nil {
		resp.Diagnostics.Append(a.data.PlanUpload(ctx, actionName, time.Now())...)
	}
}

func (a *submit) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config submitModel
	var paths, modes []string
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.data.NeedUpload(actionName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.Paths.ElementsAs(ctx, &paths, false)...)
	resp.Diagnostics.Append(config.ServiceModes.ElementsAs(ctx, &modes, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "submitting a batch job on " + strings.Join(paths, ", ")})
	message, err := a.data.API.SubmitBatch(ctx, paths, modes)
	if err != nil {
		resp.Diagnostics.Append(providerdata.SubmitDiagnostic(err, paths, "invoking the action"))
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "submitted: " + message})
}
