package mediaupload

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// seen is what the private state remembers of the file last uploaded: enough to know it again
// without reading it.
type seen struct {
	Source  string    `json:"source"` // as configured
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
	SHA256  string    `json:"sha256"` // lower-case hex
}

func (s seen) is(source string, info os.FileInfo) bool {
	return s.Source == source && s.Size == info.Size() && s.ModTime.Equal(info.ModTime())
}

// prepare decides what a plan could not decide because the file was not known then. It returns what
// the private state is to remember of the file (see seen), as it was before the upload, which fails
// if the file changes.
func (m *model) prepare(ctx context.Context, u *upload.Uploader) (file []byte, err error) {
	source := m.Source.ValueString()
	info, err := transfer.Stat(source)
	if err != nil {
		return nil, err
	}
	if m.SHA256.IsUnknown() || m.SHA256.IsNull() {
		sum, err := u.SHA256(ctx, source, m.ChangeDetection.ValueString() == detectStat)
		if err != nil {
			return nil, err
		}
		m.SHA256 = types.StringValue(sum)
	}
	if m.Size.IsUnknown() || m.Size.IsNull() {
		m.Size = types.Int64Value(info.Size())
	}
	if m.FileName.IsUnknown() || m.FileName.IsNull() {
		name, err := upload.DefaultName(source)
		if err != nil {
			return nil, err
		}
		m.FileName = types.StringValue(name)
	}
	if m.ContentType.IsUnknown() || m.ContentType.IsNull() {
		mediaType, err := upload.MediaType(m.FileName.ValueString(), source)
		if err != nil {
			return nil, err
		}
		m.ContentType = types.StringValue(mediaType)
	}
	return json.Marshal(seen{Source: source, Size: info.Size(), ModTime: info.ModTime(), SHA256: strings.ToLower(m.SHA256.ValueString())})
}

// send uploads the file of a model with every value known. The result has what is left to continue if
// there is an error; next says how the user goes on. show gets the progress; it may be nil.
func (m *model) send(ctx context.Context, u *upload.Uploader, earlier *resume.Upload, next steps, show func(line string)) (upload.Result, diag.Diagnostics) {
	f, err := m.file()
	if err != nil {
		return upload.Result{Left: earlier}, diag.Diagnostics{providerdata.ErrorDiagnostic("Preparing the upload", err)}
	}
	if problem := sizeDiagnostic(f); problem != nil {
		return upload.Result{Left: earlier}, diag.Diagnostics{problem}
	}
	result, err := u.Upload(ctx, f, earlier, show)
	var diags diag.Diagnostics
	for _, w := range result.Warnings {
		diags.AddWarning(w.Summary, w.Detail)
	}
	if err != nil {
		diags.Append(uploadDiagnostic(f, result.Left, err, next))
	}
	return result, diags
}
