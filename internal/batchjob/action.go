package batchjob

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const actionName = "vodlive_submit_batch_job"

// NewAction returns the action vodlive_submit_batch_job.
func NewAction() action.Action { return &submit{providerdata.Action{TypeName: actionName}} }

type submit struct{ providerdata.Action }

var _ action.ActionWithModifyPlan = (*submit)(nil)

func (a *submit) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Submits a batch job on uploaded files each time it is invoked, and keeps nothing in the state. " +
			"To submit a job only once, use the resource `vodlive_batch_job`.",
		Attributes: map[string]schema.Attribute{
			"paths": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: pathValidators,
				MarkdownDescription: "Key paths of the files to process, not paths on this machine. At least one, without duplicates.",
			},
			"service_modes": ServiceModes,
		},
	}
}

// ServiceModes is the argument `service_modes` of an action.
var ServiceModes = schema.ListAttribute{
	Required: true, ElementType: types.StringType, Validators: modeValidators,
	MarkdownDescription: modesDescription,
}

// ModifyPlan reports what would make Invoke fail.
func (a *submit) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.Data == nil {
		return
	}
	var config arguments
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.Data.PlanUpload(ctx, actionName)...)
	resp.Diagnostics.Append(config.checkCustomers(a.Data)...)
}

// Invoke submits the job.
func (a *submit) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	show := func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) }
	var config arguments
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	batch := config.batch(ctx, a.Data, actionName, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	show("submitting a batch job on " + strings.Join(batch.Paths, ", "))
	message, diags := Submit(ctx, a.Data, batch, InvokeAgain(actionName))
	resp.Diagnostics.Append(diags...)
	if !diags.HasError() {
		show("submitted: " + message)
	}
}
