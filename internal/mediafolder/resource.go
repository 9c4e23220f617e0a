// Package mediafolder has the resource vodlive_media_folder: many files as one resource, because
// Terraform's own time grows with the square of the instances of a resource.
//
// Each file is planned and stored on its own: what fails is not in the state afterwards, and keeps
// nothing else from getting there. Nothing is read back, imported or deleted: the service has no
// calls for that.
//
// The attribute `files` goes past the framework (see edge.Bypass): ModifyPlan, Create, Update and
// Delete read and set it with the functions of files.go, and Read is not called.
package mediafolder

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

const typeName = "vodlive_media_folder"

// NewResource makes the resource vodlive_media_folder.
func NewResource() resource.Resource {
	return &mediaFolder{providerdata.Resource{TypeName: typeName}}
}

type mediaFolder struct{ providerdata.Resource }

var (
	_ resource.ResourceWithConfigure   = (*mediaFolder)(nil)
	_ resource.ResourceWithModifyPlan  = (*mediaFolder)(nil)
	_ resource.ResourceWithIdentity    = (*mediaFolder)(nil)
	_ resource.ResourceWithImportState = (*mediaFolder)(nil)
)

func (r *mediaFolder) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.Resource.Metadata(ctx, req, resp)
	resp.ResourceBehavior.MutableIdentity = true // once: when a creation that failed is completed
}

func (r *mediaFolder) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	limit, diags := plan.Timeouts.Create(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	a := apply{data: r.Data, plan: &plan, stored: plannedFiles(ctx, &resp.Diagnostics), next: afterCreate}
	if a.sends() {
		resp.Diagnostics.Append(r.Data.NeedUpload(typeName)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.Data.Ledger.Shown(ctx, false, slices.Collect(maps.Keys(a.keyPaths()))...) // adopted: nobody takes what Delete has left of them
	group := plan.group(ctx)
	resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privatePlanned, successor{Group: group})...) // a client may delete without a plan
	a.within(ctx, limit, "create")
	stored, unfinished := r.Data.Uploader.Left(group)
	mediafile.Forgotten(stored, "", &a.diags)
	mediafile.GivenUp(ctx, unfinished, r.Data.Uploader, &a.diags)
	setFiles(ctx, a.stored, true)
	resp.Diagnostics.Append(a.diags...)
	if len(a.stored) == 0 && len(a.incomplete) == 0 {
		return
	}
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Read sets the identity, which a CLI without identities does not keep, and warns of what is not
// uploaded yet, because the plan of a tainted folder has no state. The state has no files here: see
// edge.Bypass.
func (r *mediaFolder) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	var incomplete map[string]types.Object
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &state.ID)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("incomplete_uploads"), &incomplete)...)
	if resp.Diagnostics.HasError() {
		return
	}
	state.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	if state.ID.IsNull() || len(incomplete) > 0 {
		mediafile.NotFinished(incomplete, &resp.Diagnostics)
	}
}

func (r *mediaFolder) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	limit, diags := plan.Timeouts.Update(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	a := apply{data: r.Data, plan: &plan, before: priorFiles(ctx, &resp.Diagnostics), stored: plannedFiles(ctx, &resp.Diagnostics), next: afterUpdate}
	if a.sends() {
		resp.Diagnostics.Append(r.Data.NeedUpload(typeName)...)
		if !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(state.leaveUnfinished(ctx, r.Data.Uploader, plan.inParts(a.stored))...)
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	unwanted := state.unfinished(&plan, a.stored)
	a.within(ctx, limit, "update")
	mediafile.GivenUp(ctx, unwanted, r.Data.Uploader, &a.diags)
	setFiles(ctx, a.stored, true)
	if a.diags.HasError() {
		plan.ContentTypes = withTypes(plan.ContentTypes, state.ContentTypes) // the next plan compares: a file has its new media type or, if it failed, its old one
	}
	resp.Diagnostics.Append(a.diags...)
	resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privatePlanned, successor{})...) // a client may delete without a plan
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete forgets the files. Of a folder that is replaced, it leaves unfinished uploads to the
// Create that follows, and what is stored if its creation failed.
func (r *mediaFolder) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	note, diags := providerdata.ReadPlanNote(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	stored := priorFiles(ctx, &resp.Diagnostics)
	if state.protected() { // it is tainted, so that its plan does not see the state, or the client plans no deletion
		providerdata.RefuseDelete(ctx, resp, state.refuse(providerdata.ReplaceOrRemove))
		return
	}
	next, diags := providerdata.ReadPrivate[successor](ctx, req.Private, privatePlanned)
	resp.Diagnostics.Append(diags...)
	if note.Destroy {
		forgotten(stored, &resp.Diagnostics)
		mediafile.GivenUp(ctx, state.unfinished(&state, nil), r.Data.Uploader, &resp.Diagnostics)
		return
	}
	diags = next.refuses(stored)
	if next.Sends {
		diags.Append(r.Data.PlanUpload(ctx, typeName)...)
	}
	if !diags.HasError() {
		diags.Append(state.leaveUnfinished(ctx, r.Data.Uploader, next.InParts)...)
	}
	if diags.HasError() { // Create would be refused
		providerdata.RefuseDelete(ctx, resp, diags...)
		return
	}
	resp.Diagnostics.Append(diags...)
	if !state.ID.IsNull() { // what is replaced as the user asks is stored anew
		forgotten(stored, &resp.Diagnostics)
		stored = nil
	}
	resp.Diagnostics.Append(r.leave(ctx, &state, stored, next.Group)...)
}

// leave leaves what is stored of a folder whose creation failed to the Create that follows, in the
// ledger: Terraform passes nothing from a Delete to a Create. group is Selection.group of the
// folder that is created.
func (r *mediaFolder) leave(ctx context.Context, state *model, stored map[string]entry, group string) (diags diag.Diagnostics) {
	var files []upload.File
	var objects []upload.StoredFile
	for name, e := range stored {
		files = append(files, state.file(name, "", e))
		objects = append(objects, upload.StoredFile{KeyPath: e.KeyPath, ETag: e.ETag, UploadedAt: e.UploadedAt})
	}
	lines, unfinished := keyPathLines(stored), state.unfinished(state, nil)
	unsure := "" // why the Create may not continue all of them, and name the others
	switch written := r.Data.Uploader.Leave(ctx, files, objects, unfinished, group); {
	case group == "":
		unsure = "What selects the files was not known while planning."
		for _, name := range slices.Sorted(maps.Keys(unfinished)) {
			lines = append(lines, fmt.Sprintf("%s: %s (not finished)", name, unfinished[name].KeyPath))
		}
	case !written:
		unsure = "They could not be recorded in `resume_dir`."
	}
	if unsure != "" && len(lines) > 0 {
		diags.AddWarning("Uploaded files stay at the service",
			unsure+" Uploads of files that the folder still has are kept; the others of this list stay as they are:\n"+providerdata.List(lines))
	}
	return diags
}

func (r *mediaFolder) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id that the provider made for the folder. A folder cannot be imported by it."},
	}}
}

// setIdentity sets the identity: the id, or "" while the creation has not succeeded, because the
// framework requires one of every object.
func (m *model) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	diags.Append(identity.SetAttribute(ctx, path.Root("id"), m.ID.ValueString())...)
}

func (r *mediaFolder) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("A folder cannot be imported",
		"The service has no call that lists stored files, so the provider cannot find those of a folder. Remove the import, name the key paths of stored files in `adopt`, and apply: these files are taken as stored, without being sent.")
}

// absolute is the absolute path of a folder.
func absolute(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		return absolute
	}
	return dir
}
