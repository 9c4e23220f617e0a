package mediaupload

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/noun"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

const ephemeralName = "vodlive_upload_url"

// NewEphemeralResource makes the ephemeral resource vodlive_upload_url: an address for another tool
// to upload to. Neither plan nor state ever holds it.
func NewEphemeralResource() ephemeral.EphemeralResource {
	return &uploadURL{noun.EphemeralResource{TypeName: ephemeralName}}
}

type uploadURL struct{ noun.EphemeralResource }

type uploadURLModel struct {
	FileName     types.String `tfsdk:"file_name"`
	ContentType  types.String `tfsdk:"content_type"`
	PresignedURL types.String `tfsdk:"presigned_url"`
	KeyPath      types.String `tfsdk:"key_path"`
}

func (e *uploadURL) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A time-limited address to which another tool uploads a file with one HTTP PUT, with the content type given here. " +
			"Neither plan nor state holds it. Each run asks for a new address, under a new key path.",
		Attributes: map[string]schema.Attribute{
			"file_name": schema.StringAttribute{
				Required: true, Validators: []validator.String{fileName},
				MarkdownDescription: "Name of the file to store, with its extension.",
			},
			"content_type": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{mediafile.MediaType},
				MarkdownDescription: "Media type of the file: the upload must send it as `Content-Type`. Default: found from the extension of the file name, else `application/octet-stream`.",
			},
			"presigned_url": schema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "The address. Whoever has it can upload until it expires.",
			},
			"key_path": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Key path under which the file is stored once it has been uploaded.",
			},
		},
	}
}

func (e *uploadURL) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m uploadURLModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	resp.Diagnostics.Append(e.Data.CanOpen(ephemeralName)...)
	resp.Diagnostics.Append(e.Data.NeedUpload(ephemeralName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if m.ContentType.IsNull() {
		m.ContentType = types.StringValue(cmp.Or(upload.TypeByName(m.FileName.ValueString()), "application/octet-stream"))
	}
	target, err := e.Data.API.PresignUpload(ctx, m.FileName.ValueString(), m.ContentType.ValueString())
	if err == nil {
		err = e.Data.Uploader.CheckCustomer(target.KeyPath)
	}
	if err != nil {
		resp.Diagnostics.Append(noun.ErrorDiagnostic("Asking for an upload address", err))
		return
	}
	m.PresignedURL, m.KeyPath = types.StringValue(target.URL), types.StringValue(target.KeyPath)
	resp.Diagnostics.Append(resp.Result.Set(ctx, m)...)
}
