package mediafolder

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
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
	mediafile.Arguments

	Adopt           types.Map      `tfsdk:"adopt"`
	SHA256s         types.Map      `tfsdk:"sha256s"`
	Triggers        types.Map      `tfsdk:"triggers"`
	Protection      types.Bool     `tfsdk:"deletion_protection"` // null, as in the state of an earlier build, is false
	ChangeDetection types.String   `tfsdk:"change_detection"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`

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

// group is for a Create to find what the Delete before it has left, "" if what selects the files is
// not known yet. Other folders may have the same source_dir.
func (s Selection) group(ctx context.Context) string {
	if !fullyKnown(ctx, s.SourceDir, s.Include, s.Exclude, s.NameFormat, s.ContentTypes) {
		return ""
	}
	return fmt.Sprint(s.SourceDir, s.Include, s.Exclude, s.NameFormat, s.ContentTypes)
}

// dir is `source_dir` as the disk has it.
func (s Selection) dir() string { return disk.OnDisk(s.SourceDir.ValueString()) }

// protected reports whether no plan may replace or forget the folder. One whose creation failed is
// not protected: a plan that replaces it continues it.
func (m *model) protected() bool { return m != nil && !m.ID.IsNull() && m.Protection.ValueBool() }

// refuse is the error of a plan or a Delete that would do to a protected folder what is given.
func (m *model) refuse(change string) diag.Diagnostic {
	return providerdata.Protected("media folder", m.SourceDir.ValueString(), change)
}

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

var entryTexts = func() []entryText {
	texts := []entryText{{"key_path", "what `paths` of `vodlive_batch_job` takes", true, func(e *entry) *string { return &e.KeyPath }}}
	for _, t := range mediafile.Texts {
		if t.Listed {
			texts = append(texts, entryText{t.Name, t.About, false, func(e *entry) *string { return t.In(&e.Object) }})
		}
	}
	return append(texts,
		entryText{"etag", "of the stored object as storage reports it", true, func(e *entry) *string { return &e.ETag }},
		entryText{"uploaded_at", "when the upload was complete, by this machine's clock, RFC 3339, UTC", true, func(e *entry) *string { return &e.UploadedAt }})
}()

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

// leaveUnfinished leaves the uploads in `incomplete_uploads` to an apply that sends files with the
// given hashes, by name: the hash that an upload began with may have been mistyped, unless its
// completion was asked for. What cannot be read is a warning.
func (m *model) leaveUnfinished(ctx context.Context, u *upload.Uploader, sends map[string]string) (diags diag.Diagnostics) {
	for name, element := range m.Incomplete.Elements() {
		object, _ := element.(types.Object)
		f, left, d := mediafile.Unfinished(object)
		diags.Append(d...)
		if left == nil {
			continue
		}
		if !left.Completing {
			f.SHA256 = cmp.Or(sends[name], f.SHA256)
		}
		if err := u.LeaveUnfinished(ctx, f, left); err != nil {
			diags.Append(providerdata.ErrorDiagnostic("Continuing the uploads", err))
			return diags
		}
	}
	return diags
}

// unfinished are the uploads in `incomplete_uploads` that none of the wanted files of a plan
// continues, by name.
func (m *model) unfinished(plan *model, wanted map[string]entry) map[string]*resume.Unfinished {
	uploads := map[string]*resume.Unfinished{}
	for name, element := range m.Incomplete.Elements() {
		object, _ := element.(types.Object)
		f, left, _ := mediafile.Unfinished(object) // leaveUnfinished warns
		if e := wanted[name]; left != nil && (!e.unsent() || !plan.file(name, "", e).Continues(f, left)) {
			uploads[name] = left
		}
	}
	return uploads
}

// found is a file of the folder as far as the arguments describe it.
func (m *model) found(name, localPath string) upload.File {
	f := upload.File{Path: localPath}
	f.Name, f.ContentType = storedName(name, m.NameFormat.ValueString()), m.configuredType(name)
	m.Set(&f)
	return f
}

// file is an entry as the file to send.
func (m *model) file(name, localPath string, e entry) upload.File {
	f := m.found(name, localPath)
	e.Name = f.Name
	f.Upload, f.Size, f.SHA256 = e.Upload, e.Size, e.SHA256
	return f
}

// known reports whether everything is known that selects and describes files.
func (m *model) known(ctx context.Context) bool {
	return fullyKnown(ctx, m.SourceDir, m.Include, m.Exclude, m.NameFormat, m.ContentTypes) && mediafile.Object{Arguments: m.Arguments}.Known()
}

func fullyKnown(ctx context.Context, values ...attr.Value) bool {
	return !slices.ContainsFunc(values, func(v attr.Value) bool {
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

// withTypes adds to `content_types` those of another one whose extensions it has not.
func withTypes(types, others basetypes.MapValue) basetypes.MapValue {
	all := map[string]attr.Value{}
	for given, mediaType := range others.Elements() {
		if (Selection{ContentTypes: types}).configuredType(fileExtension(given)) == "" {
			all[given] = mediaType
		}
	}
	maps.Copy(all, types.Elements())
	if len(all) == 0 {
		return types
	}
	return basetypes.NewMapValueMust(basetypes.StringType{}, all)
}

// fileExtension is a key of `content_types` as the extension of a file name in lower case.
func fileExtension(given string) string { return "." + strings.TrimPrefix(strings.ToLower(given), ".") }

func text(v attr.Value) types.String {
	s, _ := v.(types.String)
	return s
}
