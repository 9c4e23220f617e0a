package mediaupload

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
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

// notStored is the outcome before an upload, with unknown text and number, or of one that failed,
// with null. incomplete is what is left to continue.
func notStored(text types.String, number types.Int64, incomplete types.Object) outcome {
	return outcome{
		ID: text, KeyPath: text, PartCount: number, ETag: text, Location: text, Bucket: text,
		Encryption: text, VersionID: text, UploadedAt: text, Incomplete: incomplete,
	}
}

// complete is an upload with nothing left to continue.
var complete = mediafile.IncompleteObject(upload.File{}, nil)

func stored(f upload.StoredFile) outcome {
	return outcome{
		ID: types.StringValue(f.KeyPath), KeyPath: types.StringValue(f.KeyPath), PartCount: types.Int64Value(f.Parts),
		ETag: providerdata.TextOrNull(f.ETag), Location: providerdata.TextOrNull(f.Location), Bucket: providerdata.TextOrNull(f.Bucket),
		Encryption: providerdata.TextOrNull(f.Encryption), VersionID: providerdata.TextOrNull(f.VersionID), UploadedAt: providerdata.TextOrNull(f.UploadedAt),
		Incomplete: complete,
	}
}

// stored reports whether the state has a stored file, as also after an import.
func (m *model) stored() bool { return m != nil && !m.KeyPath.IsNull() }

// differs compares what is wanted with what is stored, and names the arguments that differ. unsure
// reports that only the apply can tell of the others. Null is any value: an import has no hash, and
// of a file that was sent in parts, the service was told no media type.
func (m *model) differs(state *model) (names []string, unsure bool) {
	compare := func(name string, wanted, stored types.String, same func(a, b string) bool) {
		switch {
		case wanted.IsNull() || stored.IsNull():
		case wanted.IsUnknown():
			unsure = true
		case !same(wanted.ValueString(), stored.ValueString()):
			names = append(names, name)
		}
	}
	equal := func(a, b string) bool { return a == b }
	compare("sha256", m.SHA256, state.SHA256, strings.EqualFold)
	compare("file_name", m.FileName, state.FileName, equal)
	if state.PartCount.ValueInt64() == 0 {
		compare("content_type", m.ContentType, state.ContentType, equal)
	}
	return names, unsure
}

// content is the content that the configuration has itself, nil for a source and if it is unknown.
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

// file is the file that a model describes. Values that are not known yet are zero.
func (m *model) file() upload.File {
	f := upload.File{
		Upload: api.Upload{Name: m.FileName.ValueString(), ContentType: m.ContentType.ValueString()},
		Path:   disk.OnDisk(m.Source.ValueString()), Content: m.content(), Size: m.Size.ValueInt64(), SHA256: strings.ToLower(m.SHA256.ValueString()), Method: m.Method.ValueString(), PartSize: m.PartSize.ValueInt64(),
	}
	return f
}

// prepare decides what the plan left open.
func (m *model) prepare(ctx context.Context, u *upload.Uploader) error {
	f, err := u.Prepare(ctx, m.file())
	if err == nil {
		m.describe(f)
	}
	return err
}

// describe fills in what a file is, and keeps the letter case of its hash.
func (m *model) describe(f upload.File) {
	if m.SHA256.ValueString() == "" {
		m.SHA256 = types.StringValue(f.SHA256)
	}
	m.Size, m.FileName, m.ContentType = types.Int64Value(f.Size), types.StringValue(f.Name), types.StringValue(f.ContentType)
}
