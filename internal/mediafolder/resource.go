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
func NewResource() resource.Resource { return &mediaFolder{providerdata.Resource{TypeName: typeName}} }

type mediaFolder struct{ providerdata.Resource }

var (
	_ resource.ResourceWithConfigure  = (*mediaFolder)(nil)
	_ resource.ResourceWithModifyPlan = (*mediaFolder)(nil)
	_ resource.ResourceWithIdentity   = (*mediaFolder)(nil)
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
	a := apply{data: r.Data, plan: &plan, stored: plannedFiles(ctx, &resp.Diagnostics), next: inTheState + tainted}
	a.check(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	a.within(ctx, limit, "create")
	setFiles(ctx, a.stored, true)
	resp.Diagnostics.Append(a.diags...)
	if len(a.stored) > 0 || len(a.incomplete) > 0 {
		plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// Read makes no request. The state has no files here: see edge.Bypass.
func (r *mediaFolder) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &state.ID)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("incomplete_uploads"), &state.Incomplete)...)
	if !resp.Diagnostics.HasError() {
		r.keep(ctx, &state)
		state.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	}
}

// keep records the unfinished uploads of a state, for whoever uploads their files next on this
// machine.
func (r *mediaFolder) keep(ctx context.Context, state *model) {
	for _, element := range state.Incomplete.Elements() {
		object, _ := element.(types.Object)
		f, left := mediafile.Unfinished(ctx, object)
		r.Data.Uploader.Keep(ctx, f, left)
	}
}

func (r *mediaFolder) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	limit, diags := plan.Timeouts.Update(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	a := apply{data: r.Data, plan: &plan, before: priorFiles(ctx, &resp.Diagnostics), stored: plannedFiles(ctx, &resp.Diagnostics), next: inTheState}
	a.check(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.keep(ctx, &state)
	a.within(ctx, limit, "update")
	setFiles(ctx, a.stored, true)
	resp.Diagnostics.Append(a.diags...)
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete forgets the files. What a failed creation has stored is left to the creation that follows,
// in memory: Terraform passes nothing from a Delete to a Create.
func (r *mediaFolder) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	stored := priorFiles(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.keep(ctx, &state)
	if !state.ID.IsNull() { // what is replaced as the user asks is stored anew
		forgotten(keyPathLines(stored), &resp.Diagnostics)
		return
	}
	for name, e := range stored {
		r.Data.Uploader.Leave(state.file(name, state.localPath(name), e), upload.StoredFile{KeyPath: e.KeyPath, ETag: e.ETag, UploadedAt: e.UploadedAt})
	}
}

// localPath is the path of a file by its relative one.
func (s Selection) localPath(name string) string {
	return filepath.Join(s.dir(), filepath.FromSlash(name))
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

// keyPathLines are the key paths of files, by name.
func keyPathLines(files map[string]entry) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines = append(lines, fmt.Sprintf("%s: %s", name, files[name].KeyPath))
	}
	return lines
}
