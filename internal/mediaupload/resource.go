// Package mediaupload is the resource that uploads a file (interface 4.1, calls 1 to 6). The content decides what
// happens: the plan holds its SHA-256, and no object is made from any other content. What an upload that broke off has
// stored is kept in two places, each enough to continue it: a record on the machine, and the state.
//
// The service shows no stored file and deletes none: nothing is read back, and destroying forgets.
package mediaupload

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

const (
	typeName       = "vodlive_media_upload"
	defaultTimeout = 24 * time.Hour
)

// NewResource makes the resource vodlive_media_upload.
func NewResource() resource.Resource { return &mediaUpload{} }

type mediaUpload struct{ data *providerdata.Data }

var (
	_ resource.ResourceWithConfigure   = (*mediaUpload)(nil)
	_ resource.ResourceWithModifyPlan  = (*mediaUpload)(nil)
	_ resource.ResourceWithImportState = (*mediaUpload)(nil)
)

func (r *mediaUpload) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

func (r *mediaUpload) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = providerdata.From(req.ProviderData, &resp.Diagnostics)
}

func (r *mediaUpload) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	var configured types.String
	resp.Diagnostics.Append(providerdata.Get(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("sha256"), &configured)...)
	resp.Diagnostics.Append(r.data.NeedUpload(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	asked := plan // what the plan left open is decided by the stored file, if one can be kept
	s, file, err := r.prepareUpload(ctx, &plan)
	if err != nil {
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Preparing the upload", err))
		return
	}
	asked.SHA256 = plan.SHA256
	if stored, ok := r.takeStored(asked, s.FileName); ok {
		plan.setStored(stored.StoredFile)
		plan.FileName = types.StringValue(stored.FileName)
		plan.ContentType = firstSet(textOrNull(stored.ContentType), plan.ContentType)
		if configured.IsNull() { // then the content has been read
			resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateSeen, file)...)
		}
		resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, plan)...)
		return
	}
	var own *providerdata.Unfinished
	if handed, ok := r.data.Unfinished.Take(s.unfinishedKey(), func(providerdata.Unfinished) bool { return true }); ok {
		own = &handed
	}
	left := r.upload(ctx, &plan, s, own, uploadDiagnostic, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		if left != nil {
			plan.setIncomplete(left)
			resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, plan)...)
		}
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateSeen, file)...)
	resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, plan)...)
}

// setIncomplete makes the model that of an upload that did not come to its end.
func (m *model) setIncomplete(left *providerdata.Unfinished) {
	m.setOutcome(types.StringNull(), types.Int64Null())
	m.Incomplete = incompleteObject(left)
}

// prepareUpload is prepare for an upload, and what it is to be.
func (r *mediaUpload) prepareUpload(ctx context.Context, m *model) (s spec, file []byte, err error) {
	if file, err = r.prepare(ctx, m); err == nil {
		s, err = m.spec()
	}
	return s, file, err
}

// prepare decides what a plan could not decide because the file was not known then. file is the private state's account
// of the file, taken before the upload, which fails if the file changes.
func (r *mediaUpload) prepare(ctx context.Context, m *model) (file []byte, err error) {
	source := m.Source.ValueString()
	info, err := stat(source)
	if err != nil {
		return nil, err
	}
	if m.SHA256.IsUnknown() || m.SHA256.IsNull() {
		sum, err := r.contentHash(ctx, source, m.ChangeDetection.ValueString())
		if err != nil {
			return nil, err
		}
		m.SHA256 = types.StringValue(sum)
	}
	if m.Size.IsUnknown() || m.Size.IsNull() {
		m.Size = types.Int64Value(info.Size())
	}
	if m.FileName.IsUnknown() || m.FileName.IsNull() {
		base := filepath.Base(source)
		if problem := fileNameProblem(base); problem != "" {
			return nil, fmt.Errorf("the file's name is %q, which %s. Set `file_name` to the name to store it under", base, problem)
		}
		m.FileName = types.StringValue(base)
	}
	if m.ContentType.IsUnknown() || m.ContentType.IsNull() {
		found := typeByName(m.FileName.ValueString(), source)
		if found == "" {
			if found, err = typeByContent(source); err != nil {
				return nil, err
			}
		}
		m.ContentType = types.StringValue(found)
	}
	return json.Marshal(seen{Source: source, Size: info.Size(), ModTime: info.ModTime(), SHA256: strings.ToLower(m.SHA256.ValueString())})
}

// spec is the upload that a model with every value known asks for.
func (m *model) spec() (spec, error) {
	s := spec{
		Source:      m.Source.ValueString(),
		FileName:    m.FileName.ValueString(),
		ContentType: m.ContentType.ValueString(),
		Size:        m.Size.ValueInt64(),
		Multipart:   m.multipart(),
		PartSize:    m.partSize(),
	}
	if problem := m.sizeProblem(); problem != nil {
		return s, errors.New(problem.Detail())
	}
	sum, err := hex.DecodeString(m.SHA256.ValueString())
	if err != nil || len(sum) != len(s.SHA256) {
		return s, errors.New("`sha256` must be 64 hexadecimal digits")
	}
	s.SHA256 = [32]byte(sum)
	return s, nil
}

func (m *model) multipart() bool {
	return m.Method.ValueString() == methodMultipart || (m.Method.ValueString() != methodSingle && m.Size.ValueInt64() > singleLimit)
}

// partSize is the size in bytes of the parts that the file is sent in.
func (m *model) partSize() int64 {
	if m.PartSize.IsNull() {
		return transfer.PartSize(m.Size.ValueInt64())
	}
	return m.PartSize.ValueInt64()
}

// maxPut is the largest file in bytes that S3 takes in one PUT.
const maxPut = 5 << 30

// sizeProblem says that storage does not take the file in the way it is to be sent, and which attribute changes that. It
// is nil when the file can be sent, or when its size is not known yet.
func (m *model) sizeProblem() diag.Diagnostic {
	size, partSize := m.Size.ValueInt64(), m.partSize()
	file := fmt.Sprintf("%s has %d bytes", m.Source.ValueString(), size)
	switch count := transfer.PartCount(size, partSize); {
	case size > transfer.MaxPartSize*transfer.MaxParts:
		return diag.NewAttributeErrorDiagnostic(path.Root("source"), "The file is too large",
			fmt.Sprintf("%s. Storage takes at most %d parts of %d bytes. Split the file.", file, transfer.MaxParts, int64(transfer.MaxPartSize)))
	case !m.multipart() && size > maxPut:
		return diag.NewAttributeErrorDiagnostic(path.Root("method"), "The file is too large for one PUT",
			fmt.Sprintf("%s. Storage takes at most %d bytes in one PUT. Leave `method` out, or set it to \"multipart\".", file, int64(maxPut)))
	case m.multipart() && count > transfer.MaxParts:
		return diag.NewAttributeErrorDiagnostic(path.Root("part_size"), "The part size does not fit the file",
			fmt.Sprintf("%s, which are %d parts of %d bytes: storage takes %d at most. Raise `part_size` to at least %d, or leave it out.",
				file, count, partSize, transfer.MaxParts, transfer.PartSize(size)))
	}
	return nil
}

// upload sends the file and fills in what the service says of it. When it fails it returns what is left to continue
// with, nil if nothing is; explain puts the failure into words.
func (r *mediaUpload) upload(ctx context.Context, m *model, s spec, own *providerdata.Unfinished, explain explainer, diags *diag.Diagnostics) *providerdata.Unfinished {
	limit, d := m.Timeouts.Create(ctx, defaultTimeout)
	diags.Append(d...)
	if diags.HasError() {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the time limit of %s (timeouts.create) was reached", limit))
	defer cancel()
	reporter, closeReporter := newReporter(ctx, r.data.ProgressFile)
	defer closeReporter()

	u := &uploader{data: r.data, progress: reporter.report, warn: diags.AddWarning}
	out, left, err := u.run(ctx, s, own)
	if err != nil {
		if _, changed := errors.AsType[*transfer.ChangedError](err); changed {
			r.data.Resume.Forget(ctx, s.Source)
		}
		diags.Append(explain(s, left, err))
		return left
	}
	out.UploadedAt = time.Now().UTC().Format(time.RFC3339)
	m.setStored(out)
	return nil
}

// Read keeps the state: the service has no call that shows a stored file.
func (r *mediaUpload) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update changes the provider's own arguments, takes over the file of an import, and continues an upload that was
// untainted.
func (r *mediaUpload) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	var configured types.String
	resp.Diagnostics.Append(providerdata.Get(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(providerdata.Get(ctx, req.State, &state)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("sha256"), &configured)...)
	if resp.Diagnostics.HasError() {
		return
	}
	file, err := r.prepare(ctx, &plan)
	switch {
	case err != nil && isMissing(err) && state.complete():
		resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, plan)...)
		return
	case err != nil:
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
		return
	}
	if !state.complete() {
		left, ok := r.uploadRest(ctx, &plan, state, &resp.Diagnostics)
		if !ok {
			plan.setIncomplete(left)
			resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, plan)...)
			return
		}
	} else if !configured.IsNull() {
		file = nil // the content was not looked at: nothing is known of the file
	}
	if file != nil {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateSeen, file)...)
	}
	resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, plan)...)
}

// uploadRest continues an incomplete upload for Update. Another content or another name is another upload, which begins
// anew: what is stored under the old one says nothing of the file at hand.
func (r *mediaUpload) uploadRest(ctx context.Context, plan *model, state model, diags *diag.Diagnostics) (*providerdata.Unfinished, bool) {
	diags.Append(r.data.NeedUpload(typeName)...)
	s, err := plan.spec()
	if err != nil {
		diags.AddError("Preparing the upload failed", err.Error())
	}
	own, d := unfinished(ctx, state.Incomplete, s.Size)
	diags.Append(d...)
	if diags.HasError() {
		return own, false
	}
	if state.unfinishedKey() != s.unfinishedKey() {
		own = nil
	}
	left := r.upload(ctx, plan, s, own, continueDiagnostic, diags)
	return left, !diags.HasError()
}

// Delete forgets the upload. In the replacement of one that is incomplete it hands over what is stored to the Create
// that follows in this process.
func (r *mediaUpload) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(providerdata.Get(ctx, req.State, &state)...)
	intent, diags := req.Private.GetKey(ctx, privateIntent)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if state.complete() {
		detail := fmt.Sprintf("The service has no call to delete a file. Terraform forgets %s; the file stays stored.", state.KeyPath.ValueString())
		if string(intent) == intentUndecided {
			r.offerStored(state)
			detail = fmt.Sprintf("Which content replaces %s was not known while planning. If it is the same, the upload is kept and nothing is sent; "+
				"otherwise Terraform forgets it. The service has no call to delete a file, so it stays stored; `terraform import` with its key path takes it back.",
				state.KeyPath.ValueString())
		}
		resp.Diagnostics.AddWarning("The uploaded file stays at the service", detail)
		return
	}
	left, diags := unfinished(ctx, state.Incomplete, state.Size.ValueInt64())
	resp.Diagnostics.Append(diags...)
	if left == nil || r.data.Uploads.Completed(left.UploadID) { // with create_before_destroy, Create has continued it
		return
	}
	if string(intent) != intentDestroy {
		r.data.Unfinished.Offer(state.unfinishedKey(), *left)
		return
	}
	resp.Diagnostics.AddWarning("An unfinished upload is given up",
		fmt.Sprintf("The service has no call to end a multipart upload. Terraform forgets the one of %q, of which %d parts are stored.", state.FileName.ValueString(), countParts(left.Parts)))
}

// ImportState takes a key path. Nothing can be looked up: the service shows no stored file.
func (r *mediaUpload) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	segments := strings.Split(req.ID, "/")
	if len(segments) != 5 || segments[0] != "vod" || segments[1] != "input" || segments[2] == "" || segments[3] == "" || segments[4] == "" {
		resp.Diagnostics.AddError("The import id is not a key path",
			fmt.Sprintf("%q was given. A key path has the form vod/input/<customer id>/<upload id>/<file name>, as `key_path` holds it.", req.ID))
		return
	}
	for name, value := range map[string]string{
		"id": req.ID, "key_path": req.ID, "file_name": segments[4], "method": methodAuto, "change_detection": detectStat,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}
