// Package mediaupload has the resource vodlive_media_upload and the ephemeral resource
// vodlive_upload_url, and uploads the file of the action vodlive_process_media.
//
// The content decides what happens to the resource: the plan has the SHA-256 of the file, and no
// object is made from any other content. The state keeps what is needed to continue an upload that
// failed. Nothing is read back or deleted: the service has no calls for that.
package mediaupload

import (
	"cmp"
	"context"
	"fmt"

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
	resp.ResourceBehavior.MutableIdentity = true // it names the stored file, and an update may store another one
}

func (r *mediaUpload) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(r.Data.NeedUpload(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.ContentWO = config.ContentWO
	if err := plan.prepare(ctx, r.Data.Uploader); err != nil {
		f, left := r.Data.Uploader.TakeBack(ctx, plan.file())
		if left == nil {
			resp.Diagnostics.Append(plan.unprepared("Preparing the upload", err))
			return
		}
		resp.Diagnostics.Append(uploadDiagnostic(f, left, err, false, afterCreate))
		plan.describe(f)
		plan.outcome = notStored(types.StringNull(), types.Int64Null(), mediafile.IncompleteObject(f, left))
	} else if !r.upload(ctx, &plan, &config, afterCreate, &resp.Diagnostics) && plan.Incomplete.IsNull() {
		return
	}
	resp.Diagnostics.Append(config.remember(ctx, resp.Private, configured{})...)
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan.withoutWriteOnly())...)
}

// upload sends the file and fills in what the service returns or, if it fails, what is left to
// continue. next says how the user goes on.
func (r *mediaUpload) upload(ctx context.Context, m, config *model, next steps, diags *diag.Diagnostics) bool {
	limit, d := m.Timeouts.Create(ctx, upload.DefaultLimit)
	diags.Append(d...)
	var result upload.Result
	if !diags.HasError() {
		ctx, cancel := providerdata.WithLimit(ctx, limit, "create")
		defer cancel()
		result, d = m.send(ctx, r.Data.Uploader, true, !config.SHA256.IsNull(), next, nil)
		diags.Append(d...)
	}
	if diags.HasError() {
		m.outcome = notStored(types.StringNull(), types.Int64Null(), mediafile.IncompleteObject(m.file(), result.Left))
		return false
	}
	m.outcome = stored(result.StoredFile)
	return true
}

// Read sets the identity, which a CLI without identities does not keep, and warns of an upload that
// is not finished, because the plan of a tainted one has no state.
func (r *mediaUpload) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		state.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	}
	if !state.Incomplete.IsNull() {
		f, _, _ := mediafile.Unfinished(state.Incomplete) // of a name that may differ from that of the stored file
		mediafile.NotFinished(map[string]types.Object{f.Name: state.Incomplete}, &resp.Diagnostics)
	}
}

// Update changes the provider's own arguments, adopts the file of an import, uploads a file in
// place of the stored one, and continues an upload. If an upload fails, the state keeps the stored
// file.
func (r *mediaUpload) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.KeyPath.IsUnknown() {
		plan.ContentWO = config.ContentWO
	}
	var was configured                                            // if the file is not here, for a plan where it is
	asked := plan                                                 // a name and a media type that it leaves open are those of the stored file, if that is kept
	if plan.ContentVersion.IsNull() || plan.KeyPath.IsUnknown() { // else the version is the same, and the content is not looked at
		if err := plan.prepare(ctx, r.Data.Uploader); err != nil {
			if !upload.IsMissing(err) && !upload.IsEmpty(err) || plan.KeyPath.IsUnknown() {
				resp.Diagnostics.Append(plan.unprepared("Reading the file to upload", err))
				return
			}
			var d diag.Diagnostics
			was, d = providerdata.ReadPrivate[configured](ctx, req.Private, privateConfigured)
			resp.Diagnostics.Append(d...)
		}
	}
	asked.SHA256 = plan.SHA256
	if !plan.KeyPath.IsUnknown() || asked.keeps(&state) {
		plan.keep(ctx, &state, r.Data.Uploader, &resp.Diagnostics)
	} else if !r.uploadAgain(ctx, &plan, &state, &config, &resp.Diagnostics) {
		plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.State.Set(ctx, plan.withoutWriteOnly())...)
		return
	}
	resp.Diagnostics.Append(config.remember(ctx, resp.Private, was)...)
	plan.setIdentity(ctx, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan.withoutWriteOnly())...)
}

// withoutWriteOnly returns what the state may have.
func (m *model) withoutWriteOnly() model {
	kept := *m
	kept.ContentWO = types.StringNull()
	return kept
}

// keeps reports whether the stored file of a state is what a plan asks for.
func (m *model) keeps(state *model) bool {
	asked := *m
	asked.settle(state)
	v, _ := judge(state, asked)
	return v == verdictKeep
}

// keep makes the stored file of a state the result of an update.
func (m *model) keep(ctx context.Context, state *model, u *upload.Uploader, diags *diag.Diagnostics) {
	if m.KeyPath.IsUnknown() {
		m.outcome, m.Incomplete = state.outcome, complete
		m.FileName, m.ContentType = state.FileName, state.ContentType
	}
	if !state.Incomplete.IsNull() && m.Incomplete.IsNull() {
		f, left, d := mediafile.Unfinished(state.Incomplete)
		diags.Append(d...)
		mediafile.GivenUp(ctx, map[string]*resume.Unfinished{f.Name: left}, u, diags)
	}
}

// uploadAgain uploads the file of a plan. If that fails, the plan becomes the state that results:
// the stored file, if there is one, with what is left to continue. It reports whether the plan
// describes the file of that state.
func (r *mediaUpload) uploadAgain(ctx context.Context, plan, state, config *model, diags *diag.Diagnostics) bool {
	unfinished, left, d := mediafile.Unfinished(state.Incomplete)
	diags.Append(d...)
	diags.Append(r.Data.NeedUpload(typeName)...)
	if state.protected() && providerdata.ProtectsChange(state.Protection, plan.Protection) {
		diags.Append(protected(state.KeyPath.ValueString(), "upload another file in its place"))
	}
	dropped := map[string]*resume.Unfinished{unfinished.Name: left}
	if left != nil && !diags.HasError() && plan.file().Continues(unfinished, left) {
		clear(dropped)
		if err := r.Data.Uploader.LeaveUnfinished(ctx, plan.file(), left); err != nil {
			diags.Append(providerdata.ErrorDiagnostic("Continuing the upload", err))
		}
	}
	if diags.HasError() {
		*plan = *state
		return false
	}
	if r.upload(ctx, plan, config, afterUpdate, diags) {
		if state.stored() {
			mediafile.Forgotten([]string{state.KeyPath.ValueString()}, "", diags)
		}
		mediafile.GivenUp(ctx, dropped, r.Data.Uploader, diags)
		return true
	}
	if plan.Incomplete.IsNull() && left != nil && !r.Data.Uploader.Taken(left.UploadID) {
		plan.Incomplete = state.Incomplete // nothing newer is stored
	} else {
		mediafile.GivenUp(ctx, dropped, r.Data.Uploader, diags)
	}
	if state.stored() {
		left := plan.Incomplete
		*plan = *state
		plan.Incomplete = left
		return false
	}
	return true
}

// Delete forgets the upload. When it replaces an incomplete upload, it leaves what is stored to the
// Create that follows in this process.
func (r *mediaUpload) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	note, diags := providerdata.ReadPlanNote(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	next, diags := providerdata.ReadPrivate[upload.File](ctx, req.Private, privatePlanned)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if state.protected() { // of a tainted object, whose plan does not see the state, or of a client that plans no deletion
		providerdata.RefuseDelete(ctx, resp, protected(state.KeyPath.ValueString(), providerdata.ReplaceOrRemove))
		return
	}
	f, left, diags := mediafile.Unfinished(state.Incomplete)
	resp.Diagnostics.Append(diags...)
	// With create_before_destroy, Create has continued it already, if it could.
	if left != nil && r.Data.Uploader.Taken(left.UploadID) {
		left = nil
	}
	if note.Create || left != nil && !note.Destroy {
		size, diags := r.checkCreate(ctx, next)
		if next.Name == "" { // not known yet
			next.Upload = f.Upload
		}
		next.SHA256, next.Size = cmp.Or(next.SHA256, f.SHA256), cmp.Or(size, next.Size, f.Size)
		if left != nil && !diags.HasError() && next.Continues(f, left) {
			next.Path = cmp.Or(next.Path, state.file().Path)
			if err := r.Data.Uploader.LeaveUnfinished(ctx, next, left); err != nil {
				diags.Append(providerdata.ErrorDiagnostic("Continuing the upload", err))
			}
			left = nil
		}
		if diags.HasError() {
			providerdata.RefuseDelete(ctx, resp, diags...)
			return
		}
	}
	if state.stored() {
		mediafile.Forgotten([]string{state.KeyPath.ValueString()}, "", &resp.Diagnostics)
	}
	mediafile.GivenUp(ctx, map[string]*resume.Unfinished{f.Name: left}, r.Data.Uploader, &resp.Diagnostics)
}

// checkCreate returns why the Create that follows would fail, before anything is forgotten: a saved
// plan may be applied where the file is not. Else it returns the size of the file, which a plan
// that reads no content does not have. The path is "" if the file was not there while planning.
func (r *mediaUpload) checkCreate(ctx context.Context, next upload.File) (size int64, diags diag.Diagnostics) {
	diags = r.Data.PlanUpload(ctx, typeName)
	if diags.HasError() || next.Path == "" {
		return 0, diags
	}
	info, err := transfer.Stat(next.Path)
	if err == nil && next.Size > 0 && info.Size() != next.Size {
		err = fmt.Errorf("%s has changed since it was planned: it has %d bytes, not %d", next.Path, info.Size(), next.Size)
	}
	if err != nil {
		diags.AddError("The file cannot be uploaded", err.Error()+", so nothing was replaced and the state is as it was. Plan again where the file is, and apply that plan.")
		return 0, diags
	}
	return info.Size(), diags
}

func (r *mediaUpload) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"key_path": identityschema.StringAttribute{RequiredForImport: true, Description: "Key path of the stored file."},
	}}
}

// setIdentity sets the identity: the key path of the stored file, or else of the unfinished upload.
// The framework requires one of every object: one that has neither, because an Update failed, keeps
// what it has.
func (m *model) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	unfinished, _ := m.Incomplete.Attributes()["key_path"].(types.String)
	var before types.String
	diags.Append(identity.GetAttribute(ctx, path.Root("key_path"), &before)...)
	diags.Append(identity.SetAttribute(ctx, path.Root("key_path"), firstSet(m.KeyPath, unfinished, before, types.StringValue("")))...)
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
	if r.Data.Unknown { // `allowed_customer_ids` may be
		resp.Diagnostics.AddError("The provider configuration is not known yet",
			fmt.Sprintf("%s cannot be imported while values in the provider block come from a resource that is not applied yet. "+
				"Apply that resource first with `-target`.", keyPath))
		return
	}
	if err := r.Data.Uploader.CheckCustomer(keyPath); err != nil {
		resp.Diagnostics.AddError("The key path is not allowed", providerdata.ErrorAndAdvice(err))
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("key_path"), keyPath)...)
	for name, value := range map[string]string{
		"id": keyPath, "key_path": keyPath, "file_name": parsed.FileName, "method": upload.MethodAuto, "change_detection": upload.DetectStat,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}
