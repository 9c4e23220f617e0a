package mediaupload

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// FileArguments say which file is uploaded. The methods upload a file that no state keeps, for the
// action vodlive_process_media.
type FileArguments struct {
	Source      types.String `tfsdk:"source"`
	FileName    types.String `tfsdk:"file_name"`
	ContentType types.String `tfsdk:"content_type"`
	SHA256      types.String `tfsdk:"sha256"`
}

// Check returns what Upload would fail on, as far as it shows without reading the content. The apply
// may make the file, so a missing one is no error.
func (a FileArguments) Check() (diags diag.Diagnostics) {
	m := model{FileArguments: a}
	if _, err := m.file().Check(); err != nil && !a.Source.IsUnknown() && !upload.IsMissing(err) {
		diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", named(err)))
	}
	return diags
}

// Upload stores the file. show gets lines of progress.
func (a FileArguments) Upload(ctx context.Context, u *upload.Uploader, show func(line string)) (f upload.File, keyPath string, diags diag.Diagnostics) {
	m := model{FileArguments: a}
	if err := m.prepare(ctx, u); err != nil {
		diags.Append(providerdata.ErrorDiagnostic("Reading the file to upload", err))
		return f, "", diags
	}
	f = m.file()
	result, err := u.Upload(ctx, f, show)
	mediafile.Warnings(result.Warnings, &diags)
	if err != nil {
		next := ""
		if result.Left != nil {
			next = "The stored parts are recorded in `resume_dir`. Invoke the action again on this machine to send only the rest."
		}
		diags.Append(failedDiagnostic(f, err, next))
	}
	return f, result.KeyPath, diags
}
