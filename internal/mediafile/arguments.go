package mediafile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Arguments are those that an upload, a folder and the action have alike: how files are sent. Null
// is the schema's default.
type Arguments struct {
	Method   types.String `tfsdk:"method"`
	PartSize types.Int64  `tfsdk:"part_size"`
}

// Set sets what the arguments say of a file.
func (a Arguments) Set(f *upload.File) {
	f.Method, f.PartSize = a.Method.ValueString(), a.PartSize.ValueInt64()
}

// ArgumentAttributes are the attributes of Arguments in a resource. The action's are made of them.
func ArgumentAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"method": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(upload.MethodAuto),
			MarkdownDescription: "`auto`: one PUT up to 64 MiB, multipart above. `single`: always one PUT, of at most 5 GiB. `multipart`: always in parts. A change sends nothing. Default: `auto`.",
			Validators:          []validator.String{stringvalidator.OneOf(upload.MethodAuto, upload.MethodSingle, upload.MethodMultipart)},
		},
		"part_size": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Size of a part in bytes, from 5 MiB (5242880) to 5 GiB. Default: 5 MiB for files of up to 1 GiB, else 16 MiB, and larger for files above 156 GiB, so that no file has more than 10,000 parts. " +
				"A change sends nothing.",
			Validators: []validator.Int64{partSize},
		},
	}
}

// Object has the arguments that are fields of upload.Object: with another value of one, the file is
// uploaded again. Null is any value, and unknown one that only the apply knows.
type Object struct {
	SHA256, FileName, ContentType types.String
	Arguments
}

// Text is a field of upload.Object, but for its size, and an argument of Object. Comparisons,
// `files` of a folder and unfinished uploads are made of Texts.
//
// Null is "", which is not sent, if the text is Optional. Only in the state of an import, which has
// no hash, it is any value.
type Text struct {
	Name     string // of the argument, and wherever a state has the field
	About    string // what it is, in descriptions, such as "its media type"
	Optional bool
	Begins   bool // an unfinished upload has it: the hash, and what multipart/create is sent
	Listed   bool // `files` of a folder has it
	In       func(o *upload.Object) *string

	of   func(o *Object) *types.String
	same func(a, b string) bool // nil: ==
}

// Texts are all of them.
var Texts = []Text{
	{
		Name: "sha256", About: "SHA-256 of its content, in hexadecimal", Begins: true, Listed: true, same: strings.EqualFold,
		In: func(o *upload.Object) *string { return &o.SHA256 }, of: func(o *Object) *types.String { return &o.SHA256 },
	},
	{
		Name: "file_name", About: "name of the file that is uploaded", Begins: true, // `files` has it in `key_path`
		In: func(o *upload.Object) *string { return &o.Name }, of: func(o *Object) *types.String { return &o.FileName },
	},
	{
		Name: "content_type", About: "its media type", Listed: true,
		In: func(o *upload.Object) *string { return &o.ContentType }, of: func(o *Object) *types.String { return &o.ContentType },
	},
}

// ObjectOf returns the arguments of a file or of what is stored of it.
func ObjectOf(o upload.Object) Object {
	var arguments Object
	for _, t := range Texts {
		*t.of(&arguments) = types.StringValue(*t.In(&o))
	}
	return arguments
}

// Differs compares what is wanted with what is stored. It returns the names of the arguments that
// differ, and of those that only the apply can compare.
func (wanted Object) Differs(stored Object) (differing, open []string) {
	for _, t := range Texts {
		switch differs, isOpen := t.compare(&wanted, &stored); {
		case isOpen:
			open = append(open, t.Name)
		case differs:
			differing = append(differing, t.Name)
		}
	}
	return differing, open
}

func (t Text) compare(wanted, stored *Object) (differs, open bool) {
	want, is := *t.of(wanted), *t.of(stored)
	if t.Optional && want.IsNull() {
		want = types.StringValue("")
	}
	if t.Optional && is.IsNull() && !stored.SHA256.IsNull() {
		is = types.StringValue("")
	}
	if want.IsNull() || is.IsNull() || want.IsUnknown() {
		return false, want.IsUnknown() && !is.IsNull()
	}
	a, b := want.ValueString(), is.ValueString()
	return a != b && (t.same == nil || !t.same(a, b)), false
}

// OrStored has the values of what is stored in place of those that are not known.
func (wanted Object) OrStored(stored Object) Object {
	for _, t := range Texts {
		if value := t.of(&wanted); value.IsUnknown() {
			*value = *t.of(&stored)
		}
	}
	return wanted
}

// Known reports whether all arguments are known.
func (wanted Object) Known() bool {
	return !slices.ContainsFunc(Texts, func(t Text) bool { return t.of(&wanted).IsUnknown() })
}

// partSize names the unit, which is easily taken for MiB.
var partSize = providerdata.NumberRule{
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
