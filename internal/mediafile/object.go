package mediafile

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Object has the arguments that are fields of upload.Object: with another value of one, the file is
// uploaded again. Null is any value, and unknown one that only the apply knows.
type Object struct {
	SHA256, FileName, ContentType types.String
	Arguments
}

// Text is a field of upload.Object, but for its size, and an argument of Object. Comparisons,
// `files` of a folder and unfinished uploads are made of Texts.
type Text struct {
	Name     string // of the argument, and wherever a state has the field
	About    string // what it is, in a description of the attributes of a file
	Optional bool   // null is "", which is not sent, but in the state of an import, which has no hash
	Begins   bool   // an unfinished upload has it, because another value is another upload
	Listed   bool   // `files` of a folder has it
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
