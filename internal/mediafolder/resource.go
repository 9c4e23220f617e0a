// Package mediafolder has the resource vodlive_media_folder: the files of a folder as one resource,
// because Terraform's own time grows with the square of the instances of a resource. The action
// vodlive_process_media uploads its folders with this package, too.
//
// The plan compares the files of the folder with those in the state, by content. The apply reads the
// folder again and uploads what is not stored. It stops if the folder is not the planned one, which
// `id` tells. Each file is stored on its own: one that fails keeps no other out of the state.
package mediafolder

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

const typeName = "vodlive_media_folder"

// NewResource returns the resource vodlive_media_folder.
func NewResource() resource.Resource { return &mediaFolder{providerdata.Resource{TypeName: typeName}} }

type mediaFolder struct{ providerdata.Resource }

var _ resource.ResourceWithModifyPlan = (*mediaFolder)(nil)

// ModifyPlan plans which files stay as they are stored and which are uploaded.
func (r *mediaFolder) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Data == nil || req.Plan.Raw.IsNull() {
		return
	}
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	stored := r.storedFiles(ctx, &state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.isKnown(ctx) {
		p := planner{data: r.Data, selection: plan.Selection, stored: stored, isComplete: state.isComplete(stored)}
		files := p.plan(ctx, nil)
		plan.setPlanned(files, stored, state.Manifest)
		p.checkUploads(ctx, files)
		resp.Diagnostics.Append(p.diags...)
	} else {
		plan.setUnknown()
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	}
}

// Create uploads all files. If some fail, the state has the others, and no id.
func (r *mediaFolder) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	limit, diags := plan.Timeouts.Create(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	o := operation{resource: r, name: "create", limit: limit, advice: nextApply + " " + taintAdvice}
	anything := o.run(ctx, &plan, &resp.Diagnostics)
	if anything {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// Read makes no request, because no call lists stored files. It tells the records what the state
// has.
func (r *mediaFolder) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		r.storedFiles(ctx, &state, &resp.Diagnostics)
	}
}

// Update uploads what is new or changed. If that fails, the state keeps what was stored before.
func (r *mediaFolder) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	limit, diags := plan.Timeouts.Update(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	stored := r.storedFiles(ctx, &state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.Manifest.IsUnknown() {
		o := operation{resource: r, name: "update", limit: limit, advice: nextApply, before: state, stored: stored}
		if !o.run(ctx, &plan, &resp.Diagnostics) {
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete makes no request, because no call deletes a stored file. What a failed creation has stored
// goes to the Create that follows in the same run.
func (r *mediaFolder) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	stored := r.storedFiles(ctx, &state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !state.ID.IsNull() {
		return
	}
	left := providerdata.Shared[leftFiles](r.Data)
	for name, f := range stored {
		left.add(state.localPath(name), f)
	}
}

// storedFiles returns the stored files of a state by relative path. It tells the records which of
// these files a state has, and which uploads of the state are unfinished.
func (r *mediaFolder) storedFiles(ctx context.Context, state *model, diags *diag.Diagnostics) map[string]file {
	stored, err := decodeManifest(state.Manifest)
	if err != nil {
		diags.AddError("The manifest in the state cannot be read",
			"The attribute `manifest` of the folder is not the JSON that the provider wrote: "+err.Error()+". Restore the state from a backup.")
	}
	for name, f := range stored {
		r.Data.Uploader.Shown(ctx, f.upload(name, state.localPath(name)), f.KeyPath)
	}
	for _, element := range state.Incomplete.Elements() {
		if object, ok := element.(types.Object); ok {
			unfinished, left := mediafile.Unfinished(ctx, object)
			r.Data.Uploader.Keep(ctx, unfinished, left)
		}
	}
	return stored
}

// operation is a Create or an Update.
type operation struct {
	resource *mediaFolder
	name     string // as in `timeouts`
	limit    time.Duration
	advice   string // how the user goes on after files failed
	before   model  // the state; empty for Create
	stored   map[string]file
}

// run uploads what the plan has to upload, and sets the computed attributes of m. It reports whether
// m is to be saved.
func (o *operation) run(ctx context.Context, m *model, diags *diag.Diagnostics) (save bool) {
	ctx, cancel := providerdata.WithLimit(ctx, o.limit, o.name)
	defer cancel()
	data := o.resource.Data
	diags.Append(data.NeedUpload(typeName)...)
	p := planner{data: data, selection: m.Selection, stored: o.stored, isComplete: o.before.isComplete(o.stored)}
	files := p.plan(ctx, nil)
	diags.Append(p.diags.Errors()...) // the plan has shown the warnings
	if diags.HasError() {
		return false
	}
	if id := contentID(files); !m.ID.IsUnknown() && m.ID.ValueString() != id {
		diags.AddError("The folder has changed since it was planned",
			"Nothing was sent. When nothing writes to "+m.SourceDir.ValueString()+" any more, apply again: that plans its files anew.")
		return false
	}
	if o.name == "create" {
		takeLeftFiles(data, m.Selection, files)
	}
	result := p.upload(ctx, files, nil)
	diags.Append(result.diagnostics(m.SourceDir.ValueString(), o.advice)...)
	m.setStored(result)
	if diags.HasError() {
		m.ID = o.before.ID
	}
	return o.name == "update" || len(result.stored)+len(result.incomplete) > 0
}
