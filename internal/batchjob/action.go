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

// NewAction returns the action vodlive_submit_batch_job, which keeps nothing in the state.
func NewAction() action.Action { return &submit{providerdata.Action{TypeName: actionName}} }

type submit struct{ providerdata.Action }

var _ action.ActionWithModifyPlan = (*submit)(nil)

func (a *submit) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Submits a batch job on uploaded files each time the action is invoked, and keeps nothing in the state. " +
			"To submit a job only once, use the resource `vodlive_batch_job`.",
		Attributes: map[string]schema.Attribute{
			"paths": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: distinct(providerdata.KeyPath),
				MarkdownDescription: "Key paths of the files to process, not paths on this machine. At least one, without duplicates.",
			},
			"service_modes": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: distinct(ServiceMode),
				MarkdownDescription: "Processing modes, for example `[\"video_optimizer\"]`. At least one, without duplicates.",
			},
		},
	}
}

func (a *submit) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.Data == nil {
		return
	}
	var config job
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.plan(ctx, a.Data, actionName)...)
	}
}

func (a *submit) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config job
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	say := func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) }
	batch := config.batch(ctx, a.Data, actionName, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	say("submitting a batch job on " + strings.Join(batch.Paths, ", "))
	message, diags := Submit(ctx, a.Data, batch)
	resp.Diagnostics.Append(diags...)
	if !diags.HasError() {
		say("submitted: " + message)
	}
}
