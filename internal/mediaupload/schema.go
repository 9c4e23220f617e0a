package mediaupload

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Schema has no plan modifiers: ModifyPlan decides all computed values together, from the file.
func (r *mediaUpload) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := Arguments()
	maps.Copy(attributes, methodArguments())
	maps.Copy(attributes, computedAttributes())
	attributes["triggers"] = schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Any strings, for a `source` that the same apply makes, such as the id of the resource that makes it. After a change, and while a value is not known, the apply reads the file, which need not be there before. " +
			"The file is uploaded only if its content changed.",
	}
	attributes["timeouts"] = providerdata.Timeouts(ctx, timeouts.Opts{
		Create: true, Update: true,
		CreateDescription: "How long one upload may take, as a duration such as \"30m\" or \"48h\". Default: `\"24h\"`. " +
			"An upload that makes no progress ends much earlier: see stall_timeout of the provider.",
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Uploads a file, or content of the configuration. Another SHA-256, name or media type is a new upload under a new key path, which Terraform shows as an update in place. " +
			"Only the planned content is stored. The next apply continues an upload in parts that was interrupted. " +
			"Destroying this resource forgets the file, because the service has no call to delete one.",
		Attributes: attributes,
	}
}

// Arguments are those of the resource that say what is uploaded.
func Arguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"source": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Path of the file to upload. Set exactly one of `source`, `content` and `content_base64`. " +
				"If the file is moved, nothing is sent. If it is gone once it is stored, a plan warns and changes nothing.",
			Validators: []validator.String{mediafile.SourcePath("use `vodlive_media_folder` with `include`, or `for_each` over fileset()")},
		},
		"content": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Text to upload, for example captions or a playlist made by `templatefile`: at most 1 MiB, sent with one PUT. Requires `file_name`. " +
				"Terraform keeps the text in plans and in the state, and prints it unless it comes from a sensitive value.",
			Validators: []validator.String{content, stringvalidator.AlsoRequires(path.MatchRoot("file_name"))},
		},
		"content_base64": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "As `content`, but in base64, for content that is not UTF-8 text.",
			Validators:          []validator.String{contentBase64, stringvalidator.AlsoRequires(path.MatchRoot("file_name"))},
		},
		"file_name": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Name of the stored file, the last part of its key path. Default: the name of the stored file, or else the base name of `source`. " +
				"Required with `content` and `content_base64`. A change uploads the file again.",
			Validators: []validator.String{mediafile.FileName},
		},
		"content_type": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Media type of the file, for example `video/mp4`. Default: that of the stored file, or else found from the extension. A change uploads the file again, unless it is stored in parts: the service is told the media type of a single PUT only.",
			Validators:          []validator.String{mediafile.MediaType},
		},
		"sha256": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "SHA-256 of the content, in hexadecimal. If set, a plan does not read the file, and only a file with this content is stored. " +
				"Otherwise a plan computes it, unless the file has not been touched since it was last read.",
			Validators: []validator.String{mediafile.SHA256},
		},
	}
}

// methodArguments are the arguments that say how a file is sent.
func methodArguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"method": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(upload.MethodAuto),
			MarkdownDescription: "`auto`: one PUT up to 16 MiB, multipart above. `single`: always one PUT, of at most 5 GiB. `multipart`: always in parts. A change sends nothing. Default: `auto`.",
			Validators:          []validator.String{stringvalidator.OneOf(upload.MethodAuto, upload.MethodSingle, upload.MethodMultipart)},
		},
		"part_size": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Size of a part in bytes, from 5 MiB (5242880) to 5 GiB. Default: 5 MiB for files of up to 1 GiB, else 16 MiB, and larger for files above 156 GiB, so that no file has more than 10,000 parts. " +
				"A change sends nothing.",
			Validators: []validator.Int64{mediafile.PartSize},
		},
	}
}

func computedAttributes() map[string]schema.Attribute {
	text, number := mediafile.ComputedText, mediafile.ComputedNumber
	return map[string]schema.Attribute{
		"id":                     text("The key path."),
		"key_path":               text("Key path of the stored file, `" + parse.KeyPathForm + "`: what `paths` of `vodlive_batch_job` takes."),
		"size":                   number("Size of the content in bytes."),
		"part_count":             number("Number of parts that the file was sent in; 0 for a single PUT."),
		"etag":                   text("ETag of the stored object as storage reports it."),
		"location":               text("Address of the stored object as the service reports it. Null for a single PUT."),
		"bucket":                 text("Bucket of the stored object. Null for a single PUT."),
		"server_side_encryption": text("Encryption of the stored object, for example `AES256`. Null for a single PUT."),
		"version_id":             text("Version of the stored object. Null if storage keeps no versions."),
		"uploaded_at":            text("When the upload was complete, by this machine's clock (RFC 3339, UTC). Null after an import."),
		"incomplete_upload": schema.SingleNestedAttribute{
			Computed:            true,
			MarkdownDescription: "What is needed to continue an upload that failed or was interrupted. Null once the upload is complete.",
			Attributes:          mediafile.IncompleteAttributes(),
		},
	}
}
