// Package mediaupload has the resource vodlive_media_upload and the ephemeral resource
// vodlive_upload_url, and uploads the file of the action vodlive_process_media.
//
// The content decides what happens to the resource: the plan has the SHA-256 of the file, and no
// object is made from any other content. The state keeps what is needed to continue an upload that
// failed. Nothing is read back or deleted: the service has no calls for that.
package mediaupload

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/keypath"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
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

func (r *mediaUpload) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.Resource.Metadata(ctx, req, resp)
	// The identity of a stored file never changes. That of an unfinished upload does if an Update
	// cannot continue it and uploads the file from its beginning.
	resp.ResourceBehavior.MutableIdentity = true
}

func (r *mediaUpload) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Data.NeedUpload(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	asked := plan // what the plan left open is decided by the stored file, if one can be kept
	if err := plan.prepare(ctx, r.Data.Uploader); err != nil {
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Preparing the upload", err))
		return
	}
	asked.SHA256 = plan.SHA256
	if kept, ok := r.takeStored(asked, plan.FileName.ValueString()); ok {
		plan.outcome = stored(kept.stored)
		plan.FileName = types.StringValue(kept.uploaded.Name)
		plan.ContentType = firstSet(providerdata.TextOrNull(kept.uploaded.ContentType), plan.ContentType)
	} else if !r.upload(ctx, &plan, nil, afterCreate, &resp.Diagnostics) && plan.Incomplete.IsNull() {
		return
	}
	resp.Diagnostics.Append(plan.remember(ctx, r.Data.Uploader, resp.Private)...)
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// upload sends the file and fills in what the service returns or, if it fails, what is left to
// continue. next says how the user goes on.
func (r *mediaUpload) upload(ctx context.Context, m *model, earlier *resume.Upload, next steps, diags *diag.Diagnostics) bool {
	limit, d := m.Timeouts.Create(ctx, upload.DefaultLimit)
	diags.Append(d...)
	result := upload.Result{Left: earlier}
	if !diags.HasError() {
		ctx, cancel := providerdata.WithLimit(ctx, limit, "create")
		defer cancel()
		result, d = m.send(ctx, r.Data.Uploader, earlier, next, nil)
		diags.Append(d...)
	}
	if diags.HasError() {
		m.outcome = notStored(types.StringNull(), types.Int64Null(), result.Left)
		return false
	}
	m.outcome = stored(result.StoredFile)
	return true
}

// Read only sets the identity, which a CLI without identities does not keep.
func (r *mediaUpload) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		state.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	}
}

// Update changes the provider's own arguments, adopts the file of an import, and continues an
// upload that was untainted.
func (r *mediaUpload) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(providerdata.PlanNote{}.Write(ctx, resp.Private)...) // a client may delete without a plan
	if resp.Diagnostics.HasError() {
		return
	}
	if err := plan.prepare(ctx, r.Data.Uploader); err != nil && (!upload.IsMissing(err) || !state.complete()) {
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
		return
	}
	if !state.complete() {
		r.uploadRest(ctx, &plan, state, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(plan.remember(ctx, r.Data.Uploader, resp.Private)...)
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// uploadRest continues an incomplete upload for Update.
func (r *mediaUpload) uploadRest(ctx context.Context, plan *model, state model, diags *diag.Diagnostics) {
	earlier, d := providerdata.Unfinished(state.Incomplete, state.Size.ValueInt64())
	diags.Append(d...)
	diags.Append(r.Data.NeedUpload(typeName)...)
	if !diags.HasError() && !plan.file().Continues(state.file()) {
		earlier = nil
	}
	r.upload(ctx, plan, earlier, afterUpdate, diags)
}

// Delete forgets the upload. When it replaces an incomplete upload, it leaves what is stored to the
// Create that follows in this process.
func (r *mediaUpload) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	note, diags := providerdata.ReadPlanNote(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	var refused diag.Diagnostics
	switch {
	case state.protected(): // of a tainted object, whose plan does not see the state, or of a client that plans no deletion
		refused.Append(protected(state.KeyPath.ValueString(), providerdata.ReplaceOrRemove))
	case !note.Destroy:
		refused = r.checkReplacement(note)
	}
	if refused.HasError() {
		providerdata.RefuseDelete(ctx, resp, refused...)
		return
	}
	if state.complete() {
		detail := fmt.Sprintf("The service has no call to delete a file. Terraform forgets %s; the file stays stored.", state.KeyPath.ValueString())
		if note.Undecided {
			r.replaced().offered.Offer(replacedFile{uploaded: state.file(), stored: state.storedFile()})
			detail = fmt.Sprintf("Which content replaces %s was not known while planning. If it is the same, the upload is kept and nothing is sent; "+
				"otherwise Terraform forgets it. The service has no call to delete a file, so it stays stored; `terraform import` with its key path takes it back.",
				state.KeyPath.ValueString())
		}
		resp.Diagnostics.AddWarning("The uploaded file stays at the service", detail)
		return
	}
	left, diags := providerdata.Unfinished(state.Incomplete, state.Size.ValueInt64())
	resp.Diagnostics.Append(diags...)
	// With create_before_destroy, Create may have continued it already.
	if left == nil || r.Data.Uploader.Completed(left.UploadID) {
		return
	}
	if !note.Destroy {
		r.Data.Uploader.HandOver(state.file(), left)
		return
	}
	resp.Diagnostics.AddWarning("An unfinished upload is given up",
		fmt.Sprintf("The service has no call to end a multipart upload. Terraform forgets the one of %q, of which %d parts are stored.", state.FileName.ValueString(), left.StoredParts()))
}

// checkReplacement looks for the file of a replacement before the old object is forgotten: a saved plan
// may be applied where the file is not. An error keeps the object in the state.
func (r *mediaUpload) checkReplacement(note providerdata.PlanNote) diag.Diagnostics {
	diags := r.Data.NeedUpload(typeName)
	if diags.HasError() || !note.Found { // Create would be refused
		return diags
	}
	if _, err := transfer.Stat(note.Source); err != nil {
		diags.AddError("The file cannot be uploaded", err.Error()+", so nothing was replaced and the state is as it was. Plan again where the file is, and apply that plan.")
	}
	return diags
}

func (r *mediaUpload) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"key_path": identityschema.StringAttribute{RequiredForImport: true, Description: "Key path of the stored file."},
	}}
}

// setIdentity sets the identity: the key path of the stored file, or of the unfinished upload. The framework
// requires one of every object: one that has neither, because an Update failed, keeps what it has.
func (m *model) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	keyPath := m.KeyPath
	if unfinished, ok := m.Incomplete.Attributes()["key_path"].(types.String); ok {
		keyPath = unfinished
	}
	var before types.String
	diags.Append(identity.GetAttribute(ctx, path.Root("key_path"), &before)...)
	diags.Append(identity.SetAttribute(ctx, path.Root("key_path"), firstSet(keyPath, before, types.StringValue("")))...)
}

// ImportState takes a key path. Nothing can be looked up: the service shows no stored file.
func (r *mediaUpload) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	keyPath := req.ID
	if keyPath == "" {
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("key_path"), &keyPath)...)
	}
	parsed, err := keypath.Parse(keyPath)
	if err != nil {
		resp.Diagnostics.AddError("The import id is not a key path", providerdata.ErrorText(err))
		return
	}
	if r.Data.Unknown { // `allowed_customer_ids` may be
		resp.Diagnostics.AddError("The provider configuration is not known yet",
			fmt.Sprintf("%s cannot be imported while values in the provider block come from a resource that is not applied yet. "+
				"Apply that resource first with `-target`.", keyPath))
		return
	}
	if err := r.Data.Uploader.CheckCustomer(keyPath); err != nil {
		resp.Diagnostics.AddError("The key path is not allowed", providerdata.ErrorText(err))
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("key_path"), keyPath)...)
	for name, value := range map[string]string{
		"id": keyPath, "key_path": keyPath, "file_name": parsed.FileName, "method": upload.MethodAuto, "change_detection": upload.DetectStat,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}
