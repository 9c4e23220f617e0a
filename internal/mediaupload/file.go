package mediaupload

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// prepare decides what the plan left open.
func (m *model) prepare(ctx context.Context, u *upload.Uploader) error {
	f, err := u.Prepare(ctx, m.file(), m.ChangeDetection.ValueString())
	if err != nil {
		return err
	}
	if m.SHA256.ValueString() == "" {
		m.SHA256 = types.StringValue(f.HexSHA256())
	}
	m.Size, m.FileName, m.ContentType = types.Int64Value(f.Size), types.StringValue(f.Name), types.StringValue(f.ContentType)
	return nil
}

// remember keeps in the private state what this process saw of the file, if it read the content that the
// model has. Otherwise, what an earlier process saw stays.
func (m *model) remember(ctx context.Context, u *upload.Uploader, private providerdata.Private) diag.Diagnostics {
	now := upload.Fingerprint{SHA256: m.file().HexSHA256()}
	if now.Stamp = u.Stamp(m.Source.ValueString(), now.SHA256); now.Stamp == "" {
		return nil
	}
	return providerdata.WritePrivate(ctx, private, privateFingerprint, now)
}

// send uploads the file of a model with every value known. The result has what is left to continue if
// there is an error.
func (m *model) send(ctx context.Context, u *upload.Uploader, earlier *resume.Upload, next steps, show func(line string)) (upload.Result, diag.Diagnostics) {
	f := m.file()
	if f.HexSHA256() == "" {
		return upload.Result{Left: earlier}, diag.Diagnostics{providerdata.ErrorDiagnostic("Preparing the upload", errors.New("`sha256` must be 64 hexadecimal digits"))}
	}
	if err := f.CheckSize(); err != nil {
		return upload.Result{Left: earlier}, diag.Diagnostics{fileDiagnostic(err)}
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
