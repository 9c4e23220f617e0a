package mediaupload

import (
	"context"
	"crypto/md5" //nolint:gosec // S3's ETags are MD5; the content is proved by SHA-256
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// model is the resource in configuration, plan and state.
type model struct {
	Source          types.String   `tfsdk:"source"`
	FileName        types.String   `tfsdk:"file_name"`
	ContentType     types.String   `tfsdk:"content_type"`
	SHA256          types.String   `tfsdk:"sha256"`
	Method          types.String   `tfsdk:"method"`
	PartSize        types.Int64    `tfsdk:"part_size"`
	ChangeDetection types.String   `tfsdk:"change_detection"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`

	ID         types.String `tfsdk:"id"`
	KeyPath    types.String `tfsdk:"key_path"`
	Size       types.Int64  `tfsdk:"size"`
	PartCount  types.Int64  `tfsdk:"part_count"`
	ETag       types.String `tfsdk:"etag"`
	Location   types.String `tfsdk:"location"`
	Bucket     types.String `tfsdk:"bucket"`
	Encryption types.String `tfsdk:"server_side_encryption"`
	VersionID  types.String `tfsdk:"version_id"`
	UploadedAt types.String `tfsdk:"uploaded_at"`
	Incomplete types.Object `tfsdk:"incomplete_upload"`
}

// setOutcome sets every attribute that an upload decides: unknown before the upload, null without
// one.
func (m *model) setOutcome(text types.String, number types.Int64) {
	m.ID, m.KeyPath = text, text
	m.PartCount = number
	m.ETag, m.Location, m.Bucket, m.Encryption, m.VersionID, m.UploadedAt = text, text, text, text, text, text
}

// keepOutcome copies every attribute that an upload decides from a state.
func (m *model) keepOutcome(state model) {
	m.ID, m.KeyPath = state.ID, state.KeyPath
	m.PartCount = state.PartCount
	m.ETag, m.Location, m.Bucket = state.ETag, state.Location, state.Bucket
	m.Encryption, m.VersionID, m.UploadedAt = state.Encryption, state.VersionID, state.UploadedAt
	m.Incomplete = state.Incomplete
}

// stored is the complete upload of a state.
func (m *model) stored() upload.StoredFile {
	return upload.StoredFile{
		KeyPath: m.KeyPath.ValueString(), ETag: m.ETag.ValueString(), Location: m.Location.ValueString(), Bucket: m.Bucket.ValueString(),
		Encryption: m.Encryption.ValueString(), VersionID: m.VersionID.ValueString(), UploadedAt: m.UploadedAt.ValueString(),
		Parts: m.PartCount.ValueInt64(),
	}
}

// setStored makes the model that of a complete upload.
func (m *model) setStored(f upload.StoredFile) {
	m.ID, m.KeyPath = types.StringValue(f.KeyPath), types.StringValue(f.KeyPath)
	m.PartCount = types.Int64Value(f.Parts)
	m.ETag = textOrNull(f.ETag)
	m.Location, m.Bucket = textOrNull(f.Location), textOrNull(f.Bucket)
	m.Encryption, m.VersionID = textOrNull(f.Encryption), textOrNull(f.VersionID)
	m.UploadedAt = textOrNull(f.UploadedAt)
	m.Incomplete = incompleteObject(nil)
}

// setIncomplete makes the model that of an upload that failed.
func (m *model) setIncomplete(left *resume.Upload) {
	m.setOutcome(types.StringNull(), types.Int64Null())
	m.Incomplete = incompleteObject(left)
}

// file is the file that a model with every value known describes.
func (m *model) file() (upload.File, error) {
	f := m.unhashed()
	sum, err := hex.DecodeString(m.SHA256.ValueString())
	if err != nil || len(sum) != len(f.SHA256) {
		return f, errors.New("`sha256` must be 64 hexadecimal digits")
	}
	f.SHA256 = [32]byte(sum)
	return f, nil
}

// continues reports whether an upload of m can use what is stored of the incomplete upload of a
// state.
func (m *model) continues(state model) bool {
	f, err := m.file()
	earlier, stateErr := state.file()
	return err == nil && stateErr == nil && f.Continues(earlier)
}

// unhashed is file without the hash. Values that are not known yet are zero.
func (m *model) unhashed() upload.File {
	return upload.File{
		Path: m.Source.ValueString(), Name: m.FileName.ValueString(), ContentType: m.ContentType.ValueString(),
		Size: m.Size.ValueInt64(), Method: m.Method.ValueString(), PartSize: m.PartSize.ValueInt64(),
	}
}

// textOrNull is null for "", which stands for what the service did not return or does not apply.
func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

var incompleteTypes = map[string]attr.Type{
	"upload_id":    types.StringType,
	"key_path":     types.StringType,
	"part_size":    types.Int64Type,
	"stored_parts": types.Int64Type,
	"parts":        types.StringType,
	"completing":   types.BoolType,
}

// incompleteObject is an unfinished upload as the state holds it.
func incompleteObject(u *resume.Upload) types.Object {
	if u == nil {
		return types.ObjectNull(incompleteTypes)
	}
	return types.ObjectValueMust(incompleteTypes, map[string]attr.Value{
		"upload_id":    types.StringValue(u.UploadID),
		"key_path":     types.StringValue(u.KeyPath),
		"part_size":    types.Int64Value(u.PartSize),
		"stored_parts": types.Int64Value(int64(u.StoredParts())),
		"parts":        types.StringValue(encodeParts(u.Parts)),
		"completing":   types.BoolValue(u.Completing),
	})
}

// unfinished reads incompleteObject back. It is nil when there is none. size is that of the file:
// it decides the size of the last part.
func unfinished(ctx context.Context, o types.Object, size int64) (*resume.Upload, diag.Diagnostics) {
	if o.IsNull() || o.IsUnknown() {
		return nil, nil
	}
	var m struct {
		UploadID    string `tfsdk:"upload_id"`
		KeyPath     string `tfsdk:"key_path"`
		PartSize    int64  `tfsdk:"part_size"`
		StoredParts int64  `tfsdk:"stored_parts"`
		Parts       string `tfsdk:"parts"`
		Completing  bool   `tfsdk:"completing"`
	}
	diags := o.As(ctx, &m, basetypes.ObjectAsOptions{})
	if diags.HasError() {
		return nil, diags
	}
	parts, err := decodeParts(m.Parts, m.PartSize, size)
	if err != nil {
		diags.AddWarning("An unfinished upload cannot be continued",
			fmt.Sprintf("`incomplete_upload` in the state cannot be read (%s). The file is uploaded from its beginning.", err))
		return nil, diags
	}
	return &resume.Upload{UploadID: m.UploadID, KeyPath: m.KeyPath, PartSize: m.PartSize, Parts: parts, Completing: m.Completing}, diags
}

// encodeParts writes stored parts as "number:MD5" in base64 without padding, separated by commas.
// The ETag follows only where it is not the quoted MD5. Checksums are left out: they prove a part
// only in a file that nobody else can write, and a state is none. 10,000 parts take about 280 kB.
func encodeParts(parts []transfer.Part) string {
	sorted := slices.Clone(parts)
	slices.SortFunc(sorted, func(a, b transfer.Part) int { return a.Number - b.Number })
	var b strings.Builder
	for i, p := range sorted {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d:%s", p.Number, base64.RawStdEncoding.EncodeToString(p.MD5[:]))
		if p.ETag != quotedMD5(p.MD5) {
			b.WriteByte(':')
			b.WriteString(base64.RawStdEncoding.EncodeToString([]byte(p.ETag)))
		}
	}
	return b.String()
}

func quotedMD5(sum [md5.Size]byte) string { return `"` + hex.EncodeToString(sum[:]) + `"` }

// decodeParts is the inverse of encodeParts. Parts that a file of size bytes does not have are an
// error.
func decodeParts(s string, partSize, size int64) ([]transfer.Part, error) {
	if s == "" {
		return nil, nil
	}
	if partSize < 1 {
		return nil, fmt.Errorf("a part size of %d", partSize)
	}
	count := transfer.PartCount(size, partSize)
	var parts []transfer.Part
	for i, item := range strings.Split(s, ",") {
		p, err := decodePart(item)
		if err != nil {
			return nil, fmt.Errorf("part %d of the list: %w", i+1, err)
		}
		if p.Number < 1 || p.Number > count {
			return nil, fmt.Errorf("part number %d of a file with %d parts", p.Number, count)
		}
		p.Size = min(partSize, size-int64(p.Number-1)*partSize)
		parts = append(parts, p)
	}
	return parts, nil
}

func decodePart(item string) (transfer.Part, error) {
	var p transfer.Part
	fields := strings.Split(item, ":")
	if len(fields) != 2 && len(fields) != 3 {
		return p, errors.New("not number:MD5")
	}
	number, err := strconv.Atoi(fields[0])
	if err != nil {
		return p, errors.New("no number")
	}
	sum, err := base64.RawStdEncoding.DecodeString(fields[1])
	if err != nil || len(sum) != md5.Size {
		return p, errors.New("no MD5")
	}
	p.Number, p.MD5 = number, [md5.Size]byte(sum)
	p.ETag = quotedMD5(p.MD5)
	if len(fields) == 3 {
		etag, err := base64.RawStdEncoding.DecodeString(fields[2])
		if err != nil || len(etag) == 0 {
			return p, errors.New("no ETag")
		}
		p.ETag = string(etag)
	}
	return p, nil
}
