package providerdata

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// IncompleteTypes are the types of the attributes of IncompleteObject.
var IncompleteTypes = map[string]attr.Type{
	"upload_id":    types.StringType,
	"key_path":     types.StringType,
	"part_size":    types.Int64Type,
	"stored_parts": types.Int64Type,
	"parts":        types.StringType,
	"completing":   types.BoolType,
}

// IncompleteObject is an unfinished upload as the state holds it, null for nil.
func IncompleteObject(u *resume.Upload) types.Object {
	if u == nil {
		return types.ObjectNull(IncompleteTypes)
	}
	return types.ObjectValueMust(IncompleteTypes, map[string]attr.Value{
		"upload_id":    types.StringValue(u.UploadID),
		"key_path":     types.StringValue(u.KeyPath),
		"part_size":    types.Int64Value(u.PartSize),
		"stored_parts": types.Int64Value(int64(u.StoredParts())),
		"parts":        types.StringValue(resume.EncodeParts(u.Parts)),
		"completing":   types.BoolValue(u.Completing),
	})
}

// Unfinished reads IncompleteObject back. It is nil when there is none. size is that of the file:
// it decides the size of the last part.
func Unfinished(ctx context.Context, o types.Object, size int64) (*resume.Upload, diag.Diagnostics) {
	if o.IsNull() || o.IsUnknown() {
		return nil, nil
	}
	var m struct {
		UploadID    string `tfsdk:"upload_id"`
		KeyPath     string `tfsdk:"key_path"`
		PartSize    int64  `tfsdk:"part_size"`
		StoredParts int64  `tfsdk:"stored_parts"`
		Parts       string `tfsdk:"parts"`
		Completing  bool   `tfsdk:"completing"`
	}
	diags := o.As(ctx, &m, basetypes.ObjectAsOptions{})
	if diags.HasError() {
		return nil, diags
	}
	parts, err := resume.DecodeParts(m.Parts, m.PartSize, size)
	if err != nil {
		diags.AddWarning("An unfinished upload cannot be continued",
			fmt.Sprintf("`incomplete_upload` in the state cannot be read (%s). The file is uploaded from its beginning.", err))
		return nil, diags
	}
	return &resume.Upload{UploadID: m.UploadID, KeyPath: m.KeyPath, PartSize: m.PartSize, Parts: parts, Completing: m.Completing}, diags
}

// TextOrNull is null for "", which stands for what the service did not return or does not apply.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// SendingAttributes are the arguments of a resource that say how files are sent. Their changes send
// nothing.
func SendingAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"method": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(upload.MethodAuto),
			MarkdownDescription: "`auto`: one PUT up to 64 MiB, multipart above. `single`: always one PUT, of at most 5 GiB. `multipart`: always in parts. A change sends nothing. Default: `auto`.",
			Validators:          []validator.String{stringvalidator.OneOf(upload.MethodAuto, upload.MethodSingle, upload.MethodMultipart)},
		},
		"part_size": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Size of a part in bytes, from 5 MiB (5242880) to 5 GiB. Default: 8 MiB for files of up to 1 GiB, else 16 MiB, and larger for files above 156 GiB, so that no file has more than 10,000 parts. " +
				"A change sends nothing.",
			Validators: []validator.Int64{int64validator.Between(transfer.MinPartSize, transfer.MaxPartSize)},
		},
		"change_detection": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(upload.DetectStat),
			MarkdownDescription: "How a plan notices that the content changed. `stat`: a file with the size and modification time of the last upload is not read. " +
				"`content`: every run of Terraform reads the file. Default: `stat`.",
			Validators: []validator.String{stringvalidator.OneOf(upload.DetectStat, upload.DetectContent)},
		},
	}
}

// IncompleteAttributes are the attributes of IncompleteObject.
func IncompleteAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"upload_id":    ComputedText("Id of the multipart upload."),
		"key_path":     ComputedText("Key path under which the file will be stored."),
		"part_size":    ComputedNumber("Size of its parts in bytes."),
		"stored_parts": ComputedNumber("How many parts are stored."),
		"completing":   schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the request that completes the upload was sent and not answered: the file may be stored."},
		"parts": schema.StringAttribute{
			Computed: true, Sensitive: true,
			MarkdownDescription: "The stored parts, as `number:MD5` in base64, separated by commas. Not a secret, but up to 280 kB that no plan should print.",
		},
	}
}

// ComputedText is an attribute that the service or the provider decides.
func ComputedText(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// ComputedNumber is ComputedText for numbers.
func ComputedNumber(description string) schema.Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}
