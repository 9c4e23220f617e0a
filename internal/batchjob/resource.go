// Package batchjob has the resource vodlive_batch_job and the action vodlive_submit_batch_job. The
// service returns only a message for a job (SERVICE.md, call 7): no id, and no call reads or
// deletes a job. So the provider generates the id, submits the job once, and Delete only removes it
// from the state.
package batchjob

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const typeName = "vodlive_batch_job"

// NewResource returns the resource vodlive_batch_job.
func NewResource() resource.Resource {
	return &batchJob{providerdata.Resource{TypeName: typeName}}
}

type batchJob struct{ providerdata.Resource }

var _ resource.ResourceWithModifyPlan = (*batchJob)(nil)

func (r *batchJob) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil {
		return
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(forgetPlan(ctx, resp.Private)...)
		return
	}
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() { // otherwise the private data is that of the call with a state
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		resp.Diagnostics.Append(state.noteIntent(ctx, plan, resp.Private)...)
		resp.Diagnostics.Append(r.noteSources(ctx, state, resp.Private)...)
	}
	if resp.Diagnostics.HasError() || !plan.ID.IsUnknown() {
		return
	}
	resp.Diagnostics.Append(plan.plan(ctx, r.Data, typeName)...)
}

func (r *batchJob) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if kept, ok := r.takeReplaced(plan); ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, kept)...)
		return
	}
	message, diags := plan.submit(ctx, r.Data, typeName, "applying", func(string) {})
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.ID = types.StringValue(rand.Text())
	plan.Message = types.StringValue(message)
	plan.SubmittedAt = types.StringValue(time.Now().UTC().Format(time.RFC3339))
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Read keeps the state: the service has no call that reads a job.
func (r *batchJob) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update is never called: every change requires replacement.
func (r *batchJob) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

// Delete makes no request: the service has no call that ends a job.
func (r *batchJob) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if problems := r.checkReplacement(ctx, req.Private); problems.HasError() {
		providerdata.RefuseDelete(ctx, resp, problems...)
		return
	}
	resp.Diagnostics.Append(r.offerReplaced(ctx, state, req.Private)...)
}
