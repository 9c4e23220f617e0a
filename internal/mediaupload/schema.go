package mediaupload

import (
	"context"
	"maps"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Values of change_detection.
const (
	detectStat    = "stat"
	detectContent = "content"
)

var (
	notBlank  = regexp.MustCompile(`\S`)
	sha256Hex = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)
)

// Schema has no plan modifiers: ModifyPlan decides all computed values together, from the file.
func (r *mediaUpload) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"source": schema.StringAttribute{
			Required: true,
			MarkdownDescription: "Path of the file to upload. Moving or renaming the file changes nothing at the service. " +
				"Once uploaded, the file need not be there any more: a plan then warns and changes nothing.",
			Validators: []validator.String{stringvalidator.RegexMatches(notBlank, "must not be blank")},
		},
		"file_name": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Name of the stored file, the last part of its key path. By default the base name of `source` when the upload is made; " +
				"renaming the source later keeps it. A change uploads anew.",
			Validators: []validator.String{fileName{}},
		},
		"content_type": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Media type of the file, for example `video/mp4`. By default found from the extension of the file name, else from the content. A change uploads anew.",
			Validators:          []validator.String{mediaType{}},
		},
		"sha256": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "SHA-256 of the content, in hexadecimal. When set, a plan reads no content, and only a file with this content is uploaded. " +
				"When not set, a plan computes it. A change uploads anew, to a new key path.",
			Validators: []validator.String{stringvalidator.RegexMatches(sha256Hex, "must be 64 hexadecimal digits, as sha256sum or filesha256() print them")},
		},
		"method": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(upload.MethodAuto),
			MarkdownDescription: "`auto` (default): one PUT up to 64 MiB, multipart above. `single`: always one PUT, of at most 5 GiB. `multipart`: always in parts. A change sends nothing.",
			Validators:          []validator.String{stringvalidator.OneOf(upload.MethodAuto, upload.MethodSingle, upload.MethodMultipart)},
		},
		"part_size": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Size of a part in bytes, from 5 MiB (5242880) to 5 GiB. By default 8 MiB for files of up to 1 GiB, else 16 MiB, and larger for files above 156 GiB, so that no file has more than 10,000 parts. " +
				"A change sends nothing.",
			Validators: []validator.Int64{int64validator.Between(transfer.MinPartSize, transfer.MaxPartSize)},
		},
		"change_detection": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(detectStat),
			MarkdownDescription: "How a plan notices that the content changed. `stat` (default): a file with the size and modification time of the last upload is not read. " +
				"`content`: every run of Terraform reads the file.",
			Validators: []validator.String{stringvalidator.OneOf(detectStat, detectContent)},
		},
	}
	maps.Copy(attributes, computedAttributes())
	attributes["timeouts"] = timeoutsAttribute(ctx)
	resp.Schema = schema.Schema{
		MarkdownDescription: "Uploads a file. The content decides: a new SHA-256 means a new upload under a new key path. " +
			"Only the planned content is stored: if the file changed in between, the upload fails. " +
			"An interrupted multipart upload continues on the next apply, on this machine or any other that has the state. " +
			"The service has no call to delete a file: destroying this resource only forgets it.",
		Attributes: attributes,
	}
}

func computedAttributes() map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"id":                     text("The key path."),
		"key_path":               text("Key path of the stored file, `vod/input/<customer id>/<upload id>/<file name>`: what `paths` of `vodlive_batch_job` takes."),
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
			Attributes: map[string]schema.Attribute{
				"upload_id":    text("Id of the multipart upload."),
				"key_path":     text("Key path under which the file will be stored."),
				"part_size":    number("Size of its parts in bytes."),
				"stored_parts": number("How many parts are stored."),
				"completing":   schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the request that completes the upload was sent and not answered: the file may be stored."},
				"parts": schema.StringAttribute{
					Computed: true, Sensitive: true,
					MarkdownDescription: "The stored parts, as `number:MD5` in base64, separated by commas. Not a secret, but up to 280 kB that no plan should print.",
				},
			},
		},
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	return providerdata.Timeouts(ctx, timeouts.Opts{
		Create: true,
		CreateDescription: "How long one upload may take, as a duration such as \"30m\" or \"48h\"; 24 hours by default. " +
			"An upload that makes no progress ends much earlier: see stall_timeout of the provider.",
	})
}
