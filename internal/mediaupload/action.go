package mediaupload

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

const actionName = "vodlive_process_media"

// NewAction makes the action vodlive_process_media: upload a file, then submit a batch job on it.
// It keeps nothing in the state.
func NewAction() action.Action { return &processMedia{} }

type processMedia struct{ data *providerdata.Data }

var (
	_ action.ActionWithConfigure  = (*processMedia)(nil)
	_ action.ActionWithModifyPlan = (*processMedia)(nil)
)

type actionModel struct {
	Source       types.String `tfsdk:"source"`
	FileName     types.String `tfsdk:"file_name"`
	ContentType  types.String `tfsdk:"content_type"`
	SHA256       types.String `tfsdk:"sha256"`
	Method       types.String `tfsdk:"method"`
	PartSize     types.Int64  `tfsdk:"part_size"`
	ServiceModes types.List   `tfsdk:"service_modes"`
}

// upload is the resource that would make the action's upload.
func (m *actionModel) upload() *model {
	return &model{
		Source: m.Source, FileName: m.FileName, ContentType: m.ContentType, SHA256: m.SHA256, Method: m.Method, PartSize: m.PartSize,
	}
}

func (a *processMedia) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = actionName
}

func (a *processMedia) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Uploads a file and submits a batch job on it, each time it is invoked, and keeps nothing in the state. " +
			"Progress is shown while it runs. An upload that was interrupted continues from its record in `resume_dir`.",
		Attributes: map[string]schema.Attribute{
			"source": schema.StringAttribute{
				Required: true, Validators: []validator.String{notBlank()},
				MarkdownDescription: "Path of the file to upload.",
			},
			"file_name":    asOfResource("file_name", "Name of the stored file. Default: the base name of `source`."),
			"content_type": asOfResource("content_type", "Media type of the file. Default: found from the extension of the file name, else from the content."),
			"sha256":       asOfResource("sha256", "SHA-256 that the content must have, in hexadecimal. Saves reading the file before it is sent."),
			"method":       asOfResource("method", ""),
			"part_size":    asOfResource("part_size", ""),
			"service_modes": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Processing modes, for example `[\"video_optimizer\"]`. At least one, each only once.",
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(notBlank()),
				},
			},
		},
	}
}

// asOfResource is an optional argument with the rules of the resource's, and with its description if
// that is "".
func asOfResource(name, description string) schema.Attribute {
	ofResource := arguments()[name]
	description = cmp.Or(description, strings.TrimSuffix(ofResource.GetMarkdownDescription(), " A change sends nothing."))
	switch a := ofResource.(type) {
	case resourceschema.StringAttribute:
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: a.Validators}
	case resourceschema.Int64Attribute:
		return schema.Int64Attribute{Optional: true, MarkdownDescription: description, Validators: a.Validators}
	}
	panic("no argument " + name)
}

func (a *processMedia) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.data = providerdata.From(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan reports what Invoke would fail on, before anything of the plan is applied. The same
// plan may create the file, so a missing file is no error yet.
func (a *processMedia) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.data == nil {
		return
	}
	resp.Diagnostics.Append(a.data.PlanUpload(ctx, actionName, time.Now())...)
	var config actionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Source.IsUnknown() {
		return
	}
	info, err := transfer.Stat(config.Source.ValueString())
	if err != nil {
		if !upload.IsMissing(err) {
			resp.Diagnostics.AddAttributeError(path.Root("source"), "The file cannot be uploaded", err.Error()+".")
		}
		return
	}
	m := config.upload()
	m.Size = types.Int64Value(info.Size())
	resp.Diagnostics.Append(sizeDiagnostic(m.unhashed()))
}

func (a *processMedia) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config actionModel
	var modes []string
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.data.NeedUpload(actionName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.ServiceModes.ElementsAs(ctx, &modes, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	say := func(message string) { resp.SendProgress(action.InvokeProgressEvent{Message: message}) }

	m := config.upload()
	if m.SHA256.IsNull() {
		say("reading " + m.Source.ValueString())
	}
	if _, err := m.prepare(ctx, a.data.Uploader); err != nil {
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Preparing the upload", err))
		return
	}
	next := afterInvoke
	if !a.data.Uploader.Resume.Usable(ctx) { // without a state, only a record can continue an upload
		next.toContinue = ""
	}
	result, diags := m.send(ctx, a.data.Uploader, nil, next, say)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	keyPath := result.KeyPath
	say("submitting a batch job on " + keyPath)
	paths := []string{keyPath}
	message, err := a.data.API.SubmitBatch(ctx, paths, modes)
	if err != nil {
		d := providerdata.SubmitDiagnostic(err, paths, "invoking the action")
		resp.Diagnostics.AddError(d.Summary(), fmt.Sprintf("%s\n\nThe file itself is stored as %s.", d.Detail(), keyPath))
		return
	}
	say(fmt.Sprintf("submitted %s: %s", keyPath, message))
}
