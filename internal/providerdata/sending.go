package providerdata

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// IncompleteTypes are the types of the attributes of IncompleteObject.
var IncompleteTypes = func() map[string]attr.Type {
	types := map[string]attr.Type{}
	for name, a := range IncompleteAttributes() {
		types[name] = a.GetType()
	}
	return types
}()

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

// Unfinished reads IncompleteObject back, also from an object with further attributes. It is nil for
// null. size is that of the file in bytes: it decides the size of the last part. Attributes that an
// earlier build did not know are null. What cannot be read is a warning, never an error: no state may
// block a destroy.
func Unfinished(o types.Object, size int64) (*resume.Upload, diag.Diagnostics) {
	if o.IsNull() || o.IsUnknown() {
		return nil, nil
	}
	a := o.Attributes()
	text := func(name string) string {
		v, _ := a[name].(types.String)
		return v.ValueString()
	}
	partSize, _ := a["part_size"].(types.Int64)
	completing, _ := a["completing"].(types.Bool)
	u := &resume.Upload{UploadID: text("upload_id"), KeyPath: text("key_path"), PartSize: partSize.ValueInt64(), Completing: completing.ValueBool()}
	var err error
	if u.UploadID == "" || u.KeyPath == "" || u.PartSize < 1 {
		err = errors.New("the upload id, the key path or the part size is missing")
	} else {
		u.Parts, err = resume.DecodeParts(text("parts"), u.PartSize, size)
	}
	if err != nil {
		return nil, diag.Diagnostics{diag.NewWarningDiagnostic("An unfinished upload cannot be continued",
			fmt.Sprintf("What the state has of the unfinished upload %q cannot be read (%s). It is not used: the next upload sends the file from its beginning.", u.KeyPath, err))}
	}
	return u, nil
}

// MediaType validates the media type of a file.
var MediaType = StringRule{Kind: "media type", Allowed: "must be a media type such as video/mp4", Problem: func(given string) string {
	if upload.IsMediaType(given) {
		return ""
	}
	return fmt.Sprintf("is %q, which is not a media type. Write type and subtype, such as \"video/mp4\".", given)
}}

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
			MarkdownDescription: "How a plan notices that the content changed. `stat`: a file that was not touched since its content was last read is not read again: size, modification time and, where the system has one, change time are the same. " +
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
