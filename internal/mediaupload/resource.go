// Package mediaupload has the resource vodlive_media_upload and the ephemeral resource
// vodlive_upload_url, and uploads the file of the action vodlive_process_media.
//
// The content decides what happens to the resource: the plan has the SHA-256 of the file, and no
// object is made from any other content. Nothing is read back or deleted: the service has no calls
// for that.
package mediaupload

import (
	"cmp"
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
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

const typeName = "vodlive_media_upload"

// NewResource makes the resource vodlive_media_upload.
func NewResource() resource.Resource { return &mediaUpload{providerdata.Resource{TypeName: typeName}} }

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
	resp.ResourceBehavior.MutableIdentity = true // it names the stored file, and an update may store another one
}

func (r *mediaUpload) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	limit, diags := plan.Timeouts.Create(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		if err := plan.prepare(ctx, r.Data.Uploader); err != nil {
			resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Preparing the upload", err))
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	left, diags := r.upload(ctx, &plan, limit, "create")
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		plan.outcome = notStored(types.StringNull(), types.Int64Null(), left)
	}
	if !diags.HasError() || !left.IsNull() {
		plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// Read makes no request. It tells the records what the state has.
func (r *mediaUpload) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		r.remember(ctx, &state)
		state.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	}
}

// Update uploads the file if it is not the stored one. If that fails, the state keeps the stored
// file, and has beside it what is left to continue.
func (r *mediaUpload) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	limit, diags := plan.Timeouts.Update(ctx, upload.DefaultLimit)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.KeyPath.IsUnknown() {
		r.remember(ctx, &state)
		if err := plan.prepare(ctx, r.Data.Uploader); err != nil {
			resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
			return
		}
		left := complete
		if differing, _ := plan.differs(&state); state.stored() && len(differing) == 0 {
			plan.outcome, plan.Incomplete = state.outcome, complete
		} else if left, diags = r.upload(ctx, &plan, limit, "update"); diags.HasError() && state.stored() {
			plan = state
			plan.Incomplete = left
		} else if diags.HasError() {
			plan.outcome = notStored(types.StringNull(), types.Int64Null(), left)
		}
		resp.Diagnostics.Append(diags...)
	}
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// upload sends the file of a model with every value known, and fills in the outcome. If it fails,
// it returns what is left to continue.
func (r *mediaUpload) upload(ctx context.Context, m *model, limit time.Duration, operation string) (left types.Object, diags diag.Diagnostics) {
	if diags = r.Data.NeedUpload(typeName); diags.HasError() {
		return complete, diags
	}
	ctx, cancel := providerdata.WithLimit(ctx, limit, operation)
	defer cancel()
	f := m.file()
	result, err := r.Data.Uploader.Upload(ctx, f, nil)
	mediafile.Warnings(result.Warnings, &diags)
	if err != nil {
		more := ""
		if result.Left != nil {
			more = mediafile.NotLost(f, result.Left, operation == "create")
		}
		return mediafile.IncompleteObject(f, result.Left), append(diags, failed(f, err, more))
	}
	m.outcome = stored(result.StoredFile)
	return complete, diags
}

// failed says why an upload failed. more says how it goes on.
func failed(f upload.File, err error, more string) diag.Diagnostic {
	d := providerdata.ErrorDiagnostic("Uploading the file", fmt.Errorf("file %q: %w", f.Name, err))
	if changed, ok := errors.AsType[*transfer.ChangedError](err); ok {
		more = "" // the parts are those of other content
		if changed.SHA256 != "" {
			d = diag.NewErrorDiagnostic("The file has another SHA-256", fmt.Sprintf("%s was planned with the SHA-256 %s, and has %s. No object was made of it. "+
				"If `sha256` is right, put the right file there; otherwise correct it, or plan again.", f.Path, f.SHA256, changed.SHA256))
		}
	}
	if more == "" {
		return d
	}
	return diag.NewErrorDiagnostic(d.Summary(), d.Detail()+"\n\n"+more)
}

// Delete forgets the upload. An unfinished one is recorded before: if this replaces it, the Create
// that follows goes on with it.
func (r *mediaUpload) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.remember(ctx, &state)
}

// remember tells the records what a state has: an unfinished upload is continued by whoever uploads
// its file next on this machine, and a file that is stored needs no record any more.
func (r *mediaUpload) remember(ctx context.Context, state *model) {
	f, left := mediafile.Unfinished(ctx, state.Incomplete)
	r.Data.Uploader.Keep(ctx, f, left)
	if state.stored() {
		r.Data.Uploader.Shown(ctx, state.file(), state.KeyPath.ValueString())
	}
}

func (r *mediaUpload) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"key_path": identityschema.StringAttribute{RequiredForImport: true, Description: "Key path of the stored file."},
	}}
}

// setIdentity sets the identity: the key path of the stored file, or else of the unfinished upload.
// The framework requires one of every object.
func (m *model) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	_, left := mediafile.Unfinished(ctx, m.Incomplete)
	diags.Append(identity.SetAttribute(ctx, path.Root("key_path"), cmp.Or(m.KeyPath.ValueString(), cmp.Or(left, &resume.Upload{}).KeyPath))...)
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
	for name, value := range map[string]string{
		"id": keyPath, "key_path": keyPath, "file_name": parsed.FileName, "method": upload.MethodAuto,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}
