// Package mediafile has what the resources that upload files have in common: the arguments that say
// how a file is sent, rules for its path and media type, and an unfinished upload as the state has
// it.
package mediafile

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// incomplete is an unfinished upload of a file as the state has it.
type incomplete struct {
	SHA256   types.String `tfsdk:"sha256"`
	FileName types.String `tfsdk:"file_name"`
	Size     types.Int64  `tfsdk:"size"`
	UploadID types.String `tfsdk:"upload_id"`
	KeyPath  types.String `tfsdk:"key_path"`
	PartSize types.Int64  `tfsdk:"part_size"`
	Stored   types.Int64  `tfsdk:"stored_parts"`
	Parts    types.String `tfsdk:"parts"`
}

// IncompleteTypes are the types of the attributes of IncompleteObject.
var IncompleteTypes = func() map[string]attr.Type {
	types := map[string]attr.Type{}
	for name, a := range IncompleteAttributes() {
		types[name] = a.GetType()
	}
	return types
}()

// IncompleteObject is an unfinished upload of a file as the state has it, null for nil.
func IncompleteObject(f upload.File, u *resume.Upload) types.Object {
	if u == nil {
		return types.ObjectNull(IncompleteTypes)
	}
	object, diags := types.ObjectValueFrom(context.Background(), IncompleteTypes, incomplete{
		types.StringValue(f.SHA256), types.StringValue(f.Name), types.Int64Value(f.Size), types.StringValue(u.UploadID), types.StringValue(u.KeyPath),
		types.Int64Value(u.PartSize), types.Int64Value(int64(len(u.Parts))), types.StringValue(resume.EncodeParts(u.Parts)),
	})
	if diags.HasError() { // the types are those of the attributes
		panic(diags)
	}
	return object
}

// Unfinished reads IncompleteObject back: the upload, and its file as far as it is looked up by. The
// upload is nil for null, and for what cannot be read: no state may block a plan.
func Unfinished(ctx context.Context, o types.Object) (f upload.File, u *resume.Upload) {
	var i incomplete
	if o.IsNull() || o.IsUnknown() || o.As(ctx, &i, basetypes.ObjectAsOptions{}).HasError() {
		return f, nil
	}
	f.Name, f.SHA256, f.Size = i.FileName.ValueString(), i.SHA256.ValueString(), i.Size.ValueInt64()
	u = &resume.Upload{UploadID: i.UploadID.ValueString(), KeyPath: i.KeyPath.ValueString(), PartSize: i.PartSize.ValueInt64()}
	var err error
	if u.Parts, err = resume.DecodeParts(i.Parts.ValueString(), u.PartSize, f.Size); err != nil || u.UploadID == "" {
		redact.Warn(ctx, "an unfinished upload of the state cannot be read", map[string]any{"key_path": u.KeyPath})
		return f, nil
	}
	return f, u
}

// SHA256 validates a hash in hexadecimal.
var SHA256 = providerdata.StringRule{Kind: "SHA-256", Allowed: sha256Form, Problem: func(given string) string {
	if hexadecimal.MatchString(given) {
		return ""
	}
	problem := fmt.Sprintf("is %q; it %s.", given, sha256Form)
	if found := hexadecimal.FindString(within.FindString(given)); found != "" {
		problem += fmt.Sprintf(" Of this text, only %q is a SHA-256. If it comes from a file, take it with regex(\"[0-9A-Fa-f]{64}\", file(PATH)).", found)
	}
	return problem
}}

const sha256Form = "must be 64 hexadecimal digits, as sha256sum or filesha256() print them"

var (
	hexadecimal = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)
	within      = regexp.MustCompile(`\b[0-9A-Fa-f]{64}\b`)
)

// FileName accepts what can be the last part of a key path.
var FileName = providerdata.StringRule{Kind: "file name", Allowed: "must be a file name without a slash", Problem: func(given string) string {
	problem := upload.NameProblem(given)
	if problem == "" {
		return ""
	}
	return fmt.Sprintf("is %q, which %s. Give a plain file name with its extension, such as \"promo.mp4\".", given, problem)
}}

// PartSize validates the size of a part. It names the unit, which is easily taken for MiB.
var PartSize = providerdata.NumberRule{
	Allowed: fmt.Sprintf("must be a number of bytes from %d (5 MiB) to %d (5 GiB)", transfer.MinPartSize, transfer.MaxPartSize),
	OK:      func(n int64) bool { return n >= transfer.MinPartSize && n <= transfer.MaxPartSize },
	Hint: func(n int64) string {
		if n <= 0 || n > transfer.MaxPartSize>>20 {
			return ""
		}
		mib := max(n, transfer.MinPartSize>>20)
		return fmt.Sprintf(" For %d MiB, write %d * 1024 * 1024.", mib, mib)
	},
}

// MediaType validates the media type of a file.
var MediaType = providerdata.StringRule{Kind: "media type", Allowed: "must be a media type such as video/mp4", Problem: func(given string) string {
	if problem := upload.MediaTypeProblem(given); problem != "" {
		return fmt.Sprintf("is %q, which %s.", given, problem)
	}
	return ""
}}

// IncompleteAttributes are the attributes of IncompleteObject.
func IncompleteAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"sha256":       ComputedText("SHA-256 of its content, in hexadecimal."),
		"file_name":    ComputedText("Name of the file."),
		"size":         ComputedNumber("Its size in bytes."),
		"upload_id":    ComputedText("Id of the multipart upload."),
		"key_path":     ComputedText("Key path under which the file will be stored."),
		"part_size":    ComputedNumber("Size of its parts in bytes."),
		"stored_parts": ComputedNumber("How many parts are stored."),
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

// SourcePath returns the rule for the path of a file or folder to upload. instead is what selects
// several files.
func SourcePath(instead string) providerdata.StringRule {
	return providerdata.StringRule{Kind: "path", Allowed: "must be a path on this machine", Problem: func(given string) string {
		problem := providerdata.PathProblem(given)
		_, err := os.Lstat(given)
		switch {
		case problem != "" || err == nil:
		case strings.Contains(given, "*"):
			problem = fmt.Sprintf("is %q, and a path is no pattern: %s", given, instead)
		case strings.TrimSpace(given) != given:
			problem = fmt.Sprintf("is %q, which begins or ends with a blank or a line break. Remove it, for example with trimspace()", given)
		}
		if problem == "" {
			return ""
		}
		return problem + "."
	}}
}
