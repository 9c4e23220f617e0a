// Package batchjob has the resource vodlive_batch_job and the action vodlive_submit_batch_job. The
// service answers a submission with a message only (SERVICE.md, call 7). No call reads, lists or
// stops a job, so the provider makes the id, and Delete only removes the job from the state.
package batchjob

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
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

type model struct {
	arguments
	Triggers types.Map `tfsdk:"triggers"`
	submission
}

// submission has the attributes that each submission sets anew.
type submission struct {
	ID          types.String `tfsdk:"id"`
	Message     types.String `tfsdk:"message"`
	SubmittedAt types.String `tfsdk:"submitted_at"`
}

func (r *batchJob) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Submits a batch job on uploaded files. " +
			"A change of any argument submits another job, as an update in place: the state keeps the earlier job until the service accepts the new one. " +
			"The service has no call to read or stop a job: a refresh reads nothing, and a destroy only removes the resource from the state. " +
			"A run that is killed after the submission and before Terraform saves the state submits the job again.",
		Attributes: map[string]schema.Attribute{
			"paths": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: pathValidators,
				MarkdownDescription: "Key paths of the files to process, usually `vodlive_media_upload.NAME.key_path` or `values(vodlive_media_folder.NAME.files)`. At least one, without duplicates.",
			},
			"service_modes": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: modeValidators,
				MarkdownDescription: modesDescription,
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Any strings. A change submits another job on the same paths. An empty map and null values count as no triggers.",
			},
			"id":           schema.StringAttribute{Computed: true, MarkdownDescription: "Made by the provider, because the service returns no id."},
			"message":      schema.StringAttribute{Computed: true, MarkdownDescription: "Message of the service in response to the submission."},
			"submitted_at": schema.StringAttribute{Computed: true, MarkdownDescription: "Time of the submission (RFC 3339, UTC), by the clock of this machine."},
		},
	}
}

// ModifyPlan plans a submission unless the state has a job with the planned arguments.
func (r *batchJob) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil || req.Plan.Raw.IsNull() {
		return
	}
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(plan.checkCustomers(r.Data)...)
	if plan.equal(state) {
		plan.submission = state.submission
	} else {
		plan.submission = submission{types.StringUnknown(), types.StringUnknown(), types.StringUnknown()}
		resp.Diagnostics.Append(r.Data.PlanUpload(ctx, typeName)...)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// Create submits the job.
func (r *batchJob) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	r.submit(ctx, &plan, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// Read keeps the state, because no call reads a job.
func (r *batchJob) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update submits a job if its arguments really changed. If that fails, the state keeps the earlier
// job.
func (r *batchJob) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if plan.equal(state) {
		plan.submission = state.submission
	} else {
		r.submit(ctx, &plan, &resp.Diagnostics)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// Delete makes no request, because no call stops a job.
func (r *batchJob) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// equal reports whether two jobs have the same arguments. An unknown argument differs from any other.
func (m *model) equal(other model) bool {
	return m.Paths.Equal(other.Paths) && m.ServiceModes.Equal(other.ServiceModes) && providerdata.SameTriggers(m.Triggers, other.Triggers)
}

// submit submits the job of m and sets what the submission decides.
func (r *batchJob) submit(ctx context.Context, m *model, diags *diag.Diagnostics) {
	batch := m.batch(ctx, r.Data, typeName, diags)
	if diags.HasError() {
		return
	}
	message, problems := Submit(ctx, r.Data, batch, "")
	diags.Append(problems...)
	m.submission = submission{
		ID:          types.StringValue(rand.Text()),
		Message:     types.StringValue(message),
		SubmittedAt: types.StringValue(time.Now().UTC().Format(time.RFC3339)),
	}
}
