// Package mediafile has what the resources that upload files have in common: the arguments that say
// how a file is sent, rules for its path and media type, and an unfinished upload as the state has
// it.
package mediafile

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
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

// IncompleteObject is an unfinished upload of a file as the state holds it, null for nil.
func IncompleteObject(f upload.File, u *resume.Unfinished) types.Object {
	if u == nil {
		return types.ObjectNull(IncompleteTypes)
	}
	a := map[string]attr.Value{
		"size":         types.Int64Value(f.Size),
		"upload_id":    types.StringValue(u.UploadID),
		"key_path":     types.StringValue(u.KeyPath),
		"part_size":    types.Int64Value(u.PartSize),
		"stored_parts": types.Int64Value(int64(u.StoredParts())),
		"parts":        types.StringValue(resume.EncodeParts(u.Parts)),
		"completing":   types.BoolValue(u.Completing),
	}
	object := f.Object()
	for _, t := range Texts {
		if t.Begins {
			a[t.Name] = providerdata.TextOrNull(*t.In(&object))
		}
	}
	return types.ObjectValueMust(IncompleteTypes, a)
}

// Unfinished reads IncompleteObject back: the upload, and its file as far as it decides whether the
// upload continues. The upload is nil for null. Attributes that an earlier build did not know are
// null. What cannot be read is a warning, never an error: no state may block a destroy.
func Unfinished(o types.Object) (f upload.File, u *resume.Unfinished, diags diag.Diagnostics) {
	if o.IsNull() || o.IsUnknown() {
		return f, nil, nil
	}
	a := o.Attributes()
	text := func(name string) string {
		v, _ := a[name].(types.String)
		return v.ValueString()
	}
	number := func(name string) int64 {
		v, _ := a[name].(types.Int64)
		return v.ValueInt64()
	}
	completing, _ := a["completing"].(types.Bool)
	var object upload.Object
	for _, t := range Texts {
		if t.Begins {
			*t.In(&object) = text(t.Name)
		}
	}
	f = upload.File{Upload: object.Upload, Size: number("size"), SHA256: object.SHA256}
	u = &resume.Unfinished{UploadID: text("upload_id"), KeyPath: text("key_path"), PartSize: number("part_size"), Completing: completing.ValueBool()}
	var err error
	if u.UploadID == "" || u.KeyPath == "" || u.PartSize < 1 || f.Size < 1 {
		err = errors.New("the upload id, the key path, the part size or the size of the file is missing")
	} else {
		u.Parts, err = resume.DecodeParts(text("parts"), u.PartSize, f.Size)
	}
	if err != nil {
		diags.AddWarning("An unfinished upload cannot be continued",
			fmt.Sprintf("What the state has of the unfinished upload %q cannot be read (%s). It is not used: the next upload sends the file from its beginning.", u.KeyPath, err))
		return f, nil, diags
	}
	return f, u, nil
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

// MediaType validates the media type of a file.
var MediaType = providerdata.StringRule{Kind: "media type", Allowed: "must be a media type such as video/mp4", Problem: func(given string) string {
	if problem := upload.MediaTypeProblem(given); problem != "" {
		return fmt.Sprintf("is %q, which %s.", given, problem)
	}
	return ""
}}

// OtherCustomer is the error of a plan for a key path in the state whose customer the configuration
// does not allow.
func OtherCustomer(err error, more string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The key path is not allowed",
		fmt.Sprintf("%s The state has it from an earlier apply, so the provider is now configured for another account.%s\n\n"+
			"Configure the account that the file is stored in, or name its customer in `allowed_customer_ids`. To upload to the other account, "+
			"use another workspace or state, or remove the resource from this one with `terraform state rm`.", providerdata.ErrorText(err), more))
}

// ChangeDetection is the argument of a resource that says when a plan reads files.
func ChangeDetection() schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(upload.DetectStat),
		MarkdownDescription: "How a plan notices that the content changed. `stat`: a plan reads the file if its size, modification time or (where the system has one) change time has changed since the file was last read. " +
			"`content`: every run of Terraform reads the file, unless its SHA-256 is configured. Default: `stat`.",
		Validators: []validator.String{stringvalidator.OneOf(upload.DetectStat, upload.DetectContent)},
	}
}

// IncompleteAttributes are the attributes of IncompleteObject.
func IncompleteAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"size":         ComputedNumber("Its size in bytes."),
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
	for _, t := range Texts {
		if t.Begins {
			attributes[t.Name] = ComputedText(strings.ToUpper(t.About[:1]) + t.About[1:] + ".")
		}
	}
	return attributes
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
