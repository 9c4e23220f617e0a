// Package mediaupload has the resource vodlive_media_upload and the ephemeral resource
// vodlive_upload_url, and uploads the file of the action vodlive_process_media.
//
// The content decides what happens to the resource: the plan has the SHA-256 of the file, and no
// object is made from any other content. Nothing is read back or deleted: the service has no calls
// for that.
package mediaupload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

const typeName = "vodlive_media_upload"

// NewResource makes the resource vodlive_media_upload.
func NewResource() resource.Resource {
	return &mediaUpload{providerdata.Resource{TypeName: typeName}}
}

type mediaUpload struct{ providerdata.Resource }

var (
	_ resource.ResourceWithConfigure        = (*mediaUpload)(nil)
	_ resource.ResourceWithModifyPlan       = (*mediaUpload)(nil)
	_ resource.ResourceWithIdentity         = (*mediaUpload)(nil)
	_ resource.ResourceWithConfigValidators = (*mediaUpload)(nil)
	_ resource.ResourceWithValidateConfig   = (*mediaUpload)(nil)
	_ resource.ResourceWithImportState      = (*mediaUpload)(nil)
)

// Metadata says that the identity, which is the key path, changes when an update stores a new file.
func (r *mediaUpload) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.Resource.Metadata(ctx, req, resp)
	resp.ResourceBehavior.MutableIdentity = true
}

// Create uploads the file. If that fails, the state has what can be continued.
func (r *mediaUpload) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	limit, diags := plan.Timeouts.Create(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.Data.NeedUpload(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := plan.prepare(ctx, r.Data.Uploader); err != nil {
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
		return
	}
	left, diags := r.upload(ctx, &plan, limit, "create")
	resp.Diagnostics.Append(diags...)
	if diags.HasError() && left.IsNull() {
		return
	}
	if diags.HasError() {
		plan.outcome = notStored(types.StringNull(), types.Int64Null(), left)
	}
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Read makes no request. It records an unfinished upload of the state.
func (r *mediaUpload) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.record(ctx, &state)
	state.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
}

// Update uploads the file if it is not the stored one. If that fails, the state keeps the stored
// file, and has beside it what can be continued.
func (r *mediaUpload) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	limit, diags := plan.Timeouts.Update(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.record(ctx, &state)
	if plan.KeyPath.IsUnknown() {
		resp.Diagnostics.Append(r.replace(ctx, &plan, state, limit)...)
	}
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// replace uploads the file of a plan, and makes the plan the new state.
func (r *mediaUpload) replace(ctx context.Context, plan *model, state model, limit time.Duration) (diags diag.Diagnostics) {
	if err := plan.prepare(ctx, r.Data.Uploader); err != nil {
		diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
		*plan = state
		return diags
	}
	if differing, _ := plan.differs(&state); state.isStored() && len(differing) == 0 {
		plan.outcome = state.outcome
		plan.Incomplete = nothingLeft
		return diags
	}
	if diags = r.Data.NeedUpload(typeName); diags.HasError() {
		*plan = state
		return diags
	}
	left, diags := r.upload(ctx, plan, limit, "update")
	if diags.HasError() {
		*plan = state
		plan.Incomplete = left
	}
	return diags
}

// upload sends the file of a model that has no unknown argument, and fills in the outcome. If it
// fails, it returns what can be continued.
func (r *mediaUpload) upload(ctx context.Context, m *model, limit time.Duration, operation string) (left types.Object, diags diag.Diagnostics) {
	ctx, cancel := providerdata.WithLimit(ctx, limit, operation)
	defer cancel()
	f := m.file()
	result, err := r.Data.Uploader.Upload(ctx, f, nil)
	mediafile.Warnings(result.Warnings, &diags)
	if err != nil {
		next := ""
		if result.Left != nil {
			next = mediafile.NotLost(f, result.Left, operation == "create")
		}
		diags.Append(failedDiagnostic(f, err, next))
		return mediafile.IncompleteObject(f, result.Left), diags
	}
	m.outcome = stored(result.StoredFile)
	return nothingLeft, diags
}

// failedDiagnostic says why an upload failed, and what happens next.
func failedDiagnostic(f upload.File, err error, next string) diag.Diagnostic {
	if changed, ok := errors.AsType[*transfer.ChangedError](err); ok && changed.SHA256 != "" {
		return diag.NewErrorDiagnostic("The file has another SHA-256", fmt.Sprintf("The file %s was planned with the SHA-256 %s, and has %s. No object was made of it. "+
			"If `sha256` is right, put the right file there; otherwise correct it, or plan again.", f.Path, f.SHA256, changed.SHA256))
	}
	d := providerdata.ErrorDiagnostic("Uploading the file", fmt.Errorf("file %q: %w", f.Name, err))
	if next == "" {
		return d
	}
	return diag.NewErrorDiagnostic(d.Summary(), d.Detail()+"\n\n"+next)
}

// Delete forgets the upload: the service has no call to delete a file. If this replaces an unfinished
// upload, the Create that follows continues it.
func (r *mediaUpload) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		r.record(ctx, &state)
	}
}

// record brings the records to what a state shows: its unfinished upload is recorded, and a record
// of its stored file is not needed any more.
func (r *mediaUpload) record(ctx context.Context, state *model) {
	f, left := mediafile.Unfinished(ctx, state.Incomplete)
	r.Data.Uploader.Keep(ctx, f, left)
	if state.isStored() {
		r.Data.Uploader.Shown(ctx, state.file(), state.KeyPath.ValueString())
	}
}

// IdentitySchema identifies an upload by its key path.
func (r *mediaUpload) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"key_path": identityschema.StringAttribute{RequiredForImport: true, Description: "Key path of the stored file."},
	}}
}

// setIdentity sets the key path of the stored file, or else that of the unfinished upload: the
// framework requires an identity of every object.
func (m *model) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	keyPath := m.KeyPath.ValueString()
	if _, left := mediafile.Unfinished(ctx, m.Incomplete); keyPath == "" && left != nil {
		keyPath = left.KeyPath
	}
	diags.Append(identity.SetAttribute(ctx, path.Root("key_path"), keyPath)...)
}

// ImportState takes a key path. Nothing can be looked up: the service shows no stored file.
func (r *mediaUpload) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	keyPath := req.ID
	if keyPath == "" {
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("key_path"), &keyPath)...)
	}
	parsed, err := parse.SplitKeyPath(keyPath)
	if err != nil {
		resp.Diagnostics.AddError("The import id is not a key path", fmt.Sprintf("%q %s.", keyPath, err))
		return
	}
	if err := r.Data.Uploader.CheckCustomer(keyPath); err != nil {
		resp.Diagnostics.AddError("The key path is not allowed", providerdata.ErrorAndAdvice(err))
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("key_path"), keyPath)...)
	for name, value := range map[string]string{"id": keyPath, "key_path": keyPath, "file_name": parsed.FileName, "method": upload.MethodAuto} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}
