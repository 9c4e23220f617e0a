package mediafolder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Selection has the arguments that select files.
type Selection struct {
	SourceDir types.String `tfsdk:"source_dir"`
	Include   types.Set    `tfsdk:"include"`
	Exclude   types.Set    `tfsdk:"exclude"`
}

// localPath returns the path of a file on this machine.
func (s Selection) localPath(name string) string {
	return filepath.Join(s.SourceDir.ValueString(), filepath.FromSlash(name))
}

// model is the resource in configuration, plan and state.
type model struct {
	Selection
	Triggers types.Map      `tfsdk:"triggers"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`

	ID         types.String `tfsdk:"id"`
	Files      types.Map    `tfsdk:"files"`
	Manifest   types.String `tfsdk:"manifest"`
	FileCount  types.Int64  `tfsdk:"file_count"`
	TotalSize  types.Int64  `tfsdk:"total_size"`
	Incomplete types.Map    `tfsdk:"incomplete_uploads"`
}

var incompleteType = types.ObjectType{AttrTypes: mediafile.IncompleteTypes}

// file is a file of the folder, as `manifest` has it.
type file struct {
	KeyPath     string `json:"key_path"` // "": to be uploaded
	SHA256      string `json:"sha256"`
	Size        int64  `json:"size"`
	ETag        string `json:"etag"`
	ContentType string `json:"content_type"`
	UploadedAt  string `json:"uploaded_at"`
}

// isStored reports whether the file need not be uploaded.
func (f file) isStored() bool { return f.KeyPath != "" }

// upload returns the file as package upload takes it.
func (f file) upload(name, localPath string) upload.File {
	return upload.File{
		Upload: api.Upload{Name: storedName(name), ContentType: f.ContentType},
		Path:   localPath, Size: f.Size, SHA256: f.SHA256,
	}
}

// storedName returns the name under which the service stores a file. Two files of a folder never
// share one.
func storedName(name string) string { return strings.ReplaceAll(name, "/", "_") }

// contentID returns the `id` of a folder with these files. It depends on their paths, contents and
// media types alone, so that a plan can know it before the upload.
func contentID(files map[string]file) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(hash, "%s\x00%s\x00%s\n", name, files[name].SHA256, files[name].ContentType)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func encodeManifest(files map[string]file) types.String {
	encoded, err := json.Marshal(files)
	if err != nil { // a file has only texts and a number
		panic(err)
	}
	return types.StringValue(string(encoded))
}

// decodeManifest returns the stored files of a state, none for null.
func decodeManifest(manifest types.String) (files map[string]file, err error) {
	if manifest.IsNull() {
		return nil, nil //nolint:nilnil // no files
	}
	err = json.Unmarshal([]byte(manifest.ValueString()), &files)
	return files, err
}

// isKnown reports whether the plan knows which files are uploaded.
func (m *model) isKnown(ctx context.Context) bool {
	return m.Selection.isKnown(ctx) && areKnown(ctx, m.Triggers)
}

func (s Selection) isKnown(ctx context.Context) bool {
	return areKnown(ctx, s.SourceDir, s.Include, s.Exclude)
}

func areKnown(ctx context.Context, values ...attr.Value) bool {
	return !slices.ContainsFunc(values, func(v attr.Value) bool {
		value, err := v.ToTerraformValue(ctx)
		return err != nil || !value.IsFullyKnown()
	})
}

// isComplete reports whether a state has all files of its last plan. A failed creation leaves no
// id, and a failed update that of the files before.
func (m *model) isComplete(stored map[string]file) bool {
	return m.ID.ValueString() == contentID(stored)
}

// setUnknown plans files that only the apply knows.
func (m *model) setUnknown() {
	m.ID, m.Manifest = types.StringUnknown(), types.StringUnknown()
	m.FileCount, m.TotalSize = types.Int64Unknown(), types.Int64Unknown()
	m.Files, m.Incomplete = types.MapUnknown(types.StringType), types.MapNull(incompleteType)
}

// setPlanned plans these files, of which the state has those in stored, with their manifest.
func (m *model) setPlanned(files, stored map[string]file, manifest types.String) {
	m.setFiles(files)
	m.ID, m.Incomplete = types.StringValue(contentID(files)), types.MapNull(incompleteType)
	if m.Manifest = manifest; !maps.Equal(files, stored) {
		m.Manifest = types.StringUnknown()
	}
}

// setStored sets what an upload has stored.
func (m *model) setStored(result uploaded) {
	m.setFiles(result.stored)
	m.ID, m.Manifest = types.StringValue(contentID(result.stored)), encodeManifest(result.stored)
	m.Incomplete = types.MapNull(incompleteType)
	if len(result.incomplete) > 0 {
		m.Incomplete = types.MapValueMust(incompleteType, result.incomplete)
	}
}

func (m *model) setFiles(files map[string]file) {
	keyPaths := make(map[string]attr.Value, len(files))
	total := int64(0)
	for name, f := range files {
		keyPaths[name] = types.StringUnknown()
		if f.isStored() {
			keyPaths[name] = types.StringValue(f.KeyPath)
		}
		total += f.Size
	}
	m.Files = types.MapValueMust(types.StringType, keyPaths)
	m.FileCount, m.TotalSize = types.Int64Value(int64(len(files))), types.Int64Value(total)
}
