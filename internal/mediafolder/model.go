package mediafolder

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Selection are the arguments that say which files are uploaded. Null is the schema's default.
type Selection struct {
	SourceDir    types.String `tfsdk:"source_dir"`
	Include      types.Set    `tfsdk:"include"`
	Exclude      types.Set    `tfsdk:"exclude"`
	NameFormat   types.String `tfsdk:"name_format"`
	ContentTypes types.Map    `tfsdk:"content_types"`
}

// model is the resource in configuration, plan and state.
type model struct {
	Selection

	SHA256s  types.Map      `tfsdk:"sha256s"`
	Triggers types.Map      `tfsdk:"triggers"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`

	ID         types.String `tfsdk:"id"`
	Files      types.Map    `tfsdk:"files"` // always null: see files.go
	FileCount  types.Int64  `tfsdk:"file_count"`
	TotalSize  types.Int64  `tfsdk:"total_size"`
	Incomplete types.Map    `tfsdk:"incomplete_uploads"`
}

// sums are `sha256s` in lower case, by name.
func (m *model) sums() map[string]string {
	sums := make(map[string]string, len(m.SHA256s.Elements()))
	for name, sum := range m.SHA256s.Elements() {
		sums[name] = strings.ToLower(text(sum).ValueString())
	}
	return sums
}

// dir is `source_dir` as the disk has it.
func (s Selection) dir() string { return disk.OnDisk(s.SourceDir.ValueString()) }

// entry is one file in `files`. A file to upload has no KeyPath, ETag and UploadedAt, which
// Terraform gets as unknown. Of a stored file, "" is not known, and Name is the end of KeyPath.
type entry struct {
	upload.Object

	KeyPath, ETag, UploadedAt string
}

// unsent reports whether a planned file is to be uploaded.
func (e entry) unsent() bool { return e.KeyPath == "" }

// entryText is an attribute of an entry that is a string. The other one is `size`.
type entryText struct {
	name, about string
	made        bool // by the upload: a plan that sends the file does not know it
	in          func(e *entry) *string
}

var entryTexts = []entryText{
	{"key_path", "what `paths` of `vodlive_batch_job` takes", true, func(e *entry) *string { return &e.KeyPath }},
	{"sha256", "SHA-256 of its content, in hexadecimal", false, func(e *entry) *string { return &e.SHA256 }},
	{"content_type", "its media type", false, func(e *entry) *string { return &e.ContentType }},
	{"etag", "of the stored object as storage reports it", true, func(e *entry) *string { return &e.ETag }},
	{"uploaded_at", "when the upload was complete, by this machine's clock, RFC 3339, UTC", true, func(e *entry) *string { return &e.UploadedAt }},
}

var entryType = func() types.ObjectType {
	attributes := map[string]attr.Type{"size": types.Int64Type}
	for _, t := range entryTexts {
		attributes[t.name] = types.StringType
	}
	return types.ObjectType{AttrTypes: attributes}
}()

// counted sets the attributes that follow from the files.
func (m *model) counted(files map[string]entry) {
	total := int64(0)
	for _, e := range files {
		total += e.Size
	}
	m.FileCount, m.TotalSize = types.Int64Value(int64(len(files))), types.Int64Value(total)
}

var incompleteType = types.ObjectType{AttrTypes: mediafile.IncompleteTypes}

// file is a file of the folder as far as the arguments describe it, with what an entry says of it.
func (m *model) file(name, localPath string, e entry) upload.File {
	f := upload.File{Path: localPath, Upload: e.Upload, Size: e.Size, SHA256: e.SHA256}
	f.Name = storedName(name, m.NameFormat.ValueString())
	return f
}

// known reports whether everything is known that selects and describes files.
func (m *model) known(ctx context.Context) bool {
	return !slices.ContainsFunc([]attr.Value{m.SourceDir, m.Include, m.Exclude, m.NameFormat, m.ContentTypes, m.SHA256s, m.Triggers}, func(v attr.Value) bool {
		raw, err := v.ToTerraformValue(ctx)
		return err != nil || !raw.IsFullyKnown()
	})
}

// Values of name_format.
const (
	formatBase = "base"
	formatFlat = "flat"
)

func storedName(name, format string) string {
	if format == formatFlat {
		return strings.ReplaceAll(name, "/", "_")
	}
	return path.Base(name)
}

// configuredType is the media type that `content_types` has for a file, "" if it has none.
func (s Selection) configuredType(name string) string {
	for given, mediaType := range s.ContentTypes.Elements() {
		if fileExtension(given) == strings.ToLower(path.Ext(name)) {
			return text(mediaType).ValueString()
		}
	}
	return ""
}

// fileExtension is a key of `content_types` as the extension of a file name in lower case.
func fileExtension(given string) string { return "." + strings.TrimPrefix(strings.ToLower(given), ".") }

func text(v attr.Value) types.String {
	s, _ := v.(types.String)
	return s
}

// absolute is the absolute path of a folder.
func absolute(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		return absolute
	}
	return dir
}
