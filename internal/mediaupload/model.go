package mediaupload

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// model is the resource in configuration, plan and state.
type model struct {
	FileArguments

	Content       types.String   `tfsdk:"content"`
	ContentBase64 types.String   `tfsdk:"content_base64"`
	Method        types.String   `tfsdk:"method"`
	PartSize      types.Int64    `tfsdk:"part_size"`
	Triggers      types.Map      `tfsdk:"triggers"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`
	Size          types.Int64    `tfsdk:"size"`
	outcome
}

// outcome is what an upload decides.
type outcome struct {
	ID         types.String `tfsdk:"id"`
	KeyPath    types.String `tfsdk:"key_path"`
	PartCount  types.Int64  `tfsdk:"part_count"`
	ETag       types.String `tfsdk:"etag"`
	Location   types.String `tfsdk:"location"`
	Bucket     types.String `tfsdk:"bucket"`
	Encryption types.String `tfsdk:"server_side_encryption"`
	VersionID  types.String `tfsdk:"version_id"`
	UploadedAt types.String `tfsdk:"uploaded_at"`
	Incomplete types.Object `tfsdk:"incomplete_upload"`
}

// notStored returns the outcome of an upload that has not been made (with unknown values) or that
// has failed (with null). incomplete is what can be continued.
func notStored(text types.String, number types.Int64, incomplete types.Object) outcome {
	return outcome{
		ID: text, KeyPath: text, PartCount: number, ETag: text, Location: text, Bucket: text,
		Encryption: text, VersionID: text, UploadedAt: text, Incomplete: incomplete,
	}
}

// nothingLeft is `incomplete_upload` where nothing can be continued.
var nothingLeft = mediafile.IncompleteObject(upload.File{}, nil)

func stored(f upload.StoredFile) outcome {
	return outcome{
		ID: types.StringValue(f.KeyPath), KeyPath: types.StringValue(f.KeyPath), PartCount: types.Int64Value(f.Parts),
		ETag: providerdata.TextOrNull(f.ETag), Location: providerdata.TextOrNull(f.Location), Bucket: providerdata.TextOrNull(f.Bucket),
		Encryption: providerdata.TextOrNull(f.Encryption), VersionID: providerdata.TextOrNull(f.VersionID), UploadedAt: providerdata.TextOrNull(f.UploadedAt),
		Incomplete: nothingLeft,
	}
}

// isStored reports whether a state, which may be nil, has a stored file.
func (m *model) isStored() bool { return m != nil && !m.KeyPath.IsNull() }

// differs returns the arguments that ask for another file than the stored one. isUnsure reports that
// only the apply knows some of them. A null value asks for nothing, and an import has no hash. The
// service is told the media type of a single PUT only.
func (m *model) differs(state *model) (names []string, isUnsure bool) {
	if !state.isStored() {
		return nil, false
	}
	compare := func(name string, wanted, stored types.String) {
		switch {
		case wanted.IsNull() || stored.IsNull():
		case wanted.IsUnknown():
			isUnsure = true
		case name == "sha256" && strings.EqualFold(wanted.ValueString(), stored.ValueString()):
		case wanted.ValueString() != stored.ValueString():
			names = append(names, name)
		}
	}
	compare("sha256", m.SHA256, state.SHA256)
	compare("file_name", m.FileName, state.FileName)
	if state.PartCount.ValueInt64() == 0 {
		compare("content_type", m.ContentType, state.ContentType)
	}
	return names, isUnsure
}

// content returns the content that the configuration has itself, nil for a source.
func (m *model) content() []byte {
	switch {
	case m.Content.ValueString() != "":
		return []byte(m.Content.ValueString())
	case m.ContentBase64.ValueString() != "":
		content, _ := base64.StdEncoding.DecodeString(m.ContentBase64.ValueString()) // validated
		return content
	}
	return nil
}

// file returns the file that a model describes. Values that are not known are zero.
func (m *model) file() upload.File {
	return upload.File{
		Upload: api.Upload{Name: m.FileName.ValueString(), ContentType: m.ContentType.ValueString()},
		Path:   mediafile.OnDisk(m.Source.ValueString()), Content: m.content(), Size: m.Size.ValueInt64(), SHA256: strings.ToLower(m.SHA256.ValueString()),
		Method: m.Method.ValueString(), PartSize: m.PartSize.ValueInt64(),
	}
}

// prepare decides what the plan did not know. It keeps the letter case of the hash.
func (m *model) prepare(ctx context.Context, u *upload.Uploader) error {
	f, err := u.Prepare(ctx, m.file())
	if err != nil {
		return named(err)
	}
	if m.SHA256.ValueString() == "" {
		m.SHA256 = types.StringValue(f.SHA256)
	}
	m.Size, m.FileName, m.ContentType = types.Int64Value(f.Size), types.StringValue(f.Name), types.StringValue(f.ContentType)
	return nil
}
