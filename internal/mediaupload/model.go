package mediaupload

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
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
	mediafile.Arguments

	Content         types.String   `tfsdk:"content"`
	ContentBase64   types.String   `tfsdk:"content_base64"`
	ContentWO       types.String   `tfsdk:"content_wo"` // null in plans and states
	ContentVersion  types.Int64    `tfsdk:"content_wo_version"`
	ChangeDetection types.String   `tfsdk:"change_detection"`
	Triggers        types.Map      `tfsdk:"triggers"`
	Protection      types.Bool     `tfsdk:"deletion_protection"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`
	Size            types.Int64    `tfsdk:"size"`
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

// object has what makes the file uploaded again. What an import lacks is null.
func (m *model) object() mediafile.Object {
	return mediafile.Object{SHA256: m.SHA256, FileName: m.FileName, ContentType: m.ContentType, Arguments: m.Arguments}
}

// settle gives the arguments that are not known the values of a stored file.
func (m *model) settle(state *model) {
	o := m.object().OrStored(state.object())
	m.SHA256, m.FileName, m.ContentType, m.Arguments = o.SHA256, o.FileName, o.ContentType, o.Arguments
}

// content is the content that the configuration has itself, nil for a source and if it is unknown.
func (m *model) content() []byte {
	switch {
	case m.Content.ValueString() != "":
		return []byte(m.Content.ValueString())
	case m.ContentWO.ValueString() != "":
		return []byte(m.ContentWO.ValueString())
	case m.ContentBase64.ValueString() != "":
		content, _ := base64.StdEncoding.DecodeString(m.ContentBase64.ValueString()) // validated
		return content
	}
	return nil
}

// inputUnknown reports whether only the apply knows what to upload.
func (m *model) inputUnknown() bool {
	return m.Source.IsUnknown() || m.Content.IsUnknown() || m.ContentBase64.IsUnknown() || m.ContentWO.IsUnknown()
}

// triggersUnknown reports whether only the apply knows whether to read the content again.
func (m *model) triggersUnknown() bool {
	return m.Triggers.IsUnknown() || slices.ContainsFunc(slices.Collect(maps.Values(m.Triggers.Elements())), attr.Value.IsUnknown)
}

// stored reports whether the state has a stored file, as also after an import.
func (m *model) stored() bool { return m != nil && !m.KeyPath.IsNull() }

// protected reports whether a stored file must not be replaced or forgotten. An unfinished upload
// is not protected: a plan that replaces it continues it.
func (m *model) protected() bool { return m.stored() && m.Protection.ValueBool() }

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

// file is the file that a model describes. Values that are not known yet are zero.
func (m *model) file() upload.File {
	f := upload.File{
		Upload: api.Upload{Name: m.FileName.ValueString(), ContentType: m.ContentType.ValueString()},
		Path:   disk.OnDisk(m.Source.ValueString()), Content: m.content(), Size: m.Size.ValueInt64(), SHA256: strings.ToLower(m.SHA256.ValueString()),
	}
	m.Set(&f)
	return f
}
