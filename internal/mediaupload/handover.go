package mediaupload

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// What the Delete of a replacement passes to its Create goes by the content, the only thing that both know: the state's
// in Delete, the file's in Create.

func (s spec) unfinishedKey() string {
	return contentKey(hex.EncodeToString(s.SHA256[:]), s.Size, s.FileName)
}

func (m *model) unfinishedKey() string {
	return contentKey(m.SHA256.ValueString(), m.Size.ValueInt64(), m.FileName.ValueString())
}

func contentKey(sum string, size int64, name string) string {
	return fmt.Sprintf("%s %d %s", strings.ToLower(sum), size, name)
}

// stored is the complete upload of a state.
func (m *model) stored() providerdata.StoredFile {
	return providerdata.StoredFile{
		KeyPath: m.KeyPath.ValueString(), ETag: m.ETag.ValueString(), Location: m.Location.ValueString(), Bucket: m.Bucket.ValueString(),
		Encryption: m.Encryption.ValueString(), VersionID: m.VersionID.ValueString(), UploadedAt: m.UploadedAt.ValueString(),
		Parts: m.PartCount.ValueInt64(),
	}
}

// setStored makes the model that of a complete upload.
func (m *model) setStored(f providerdata.StoredFile) {
	m.ID, m.KeyPath = types.StringValue(f.KeyPath), types.StringValue(f.KeyPath)
	m.PartCount = types.Int64Value(f.Parts)
	m.ETag = textOrNull(f.ETag)
	m.Location, m.Bucket = textOrNull(f.Location), textOrNull(f.Bucket)
	m.Encryption, m.VersionID = textOrNull(f.Encryption), textOrNull(f.VersionID)
	m.UploadedAt = textOrNull(f.UploadedAt)
	m.Incomplete = incompleteObject(nil)
}
