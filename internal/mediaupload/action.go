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

// Check returns what Upload would fail on, as far as it shows without reading the file. The same
// plan may make the file, so a missing one is no error.
func (a FileArguments) Check(how mediafile.Arguments) diag.Diagnostics {
	if a.Source.IsUnknown() {
		return nil
	}
	m := model{FileArguments: a, Arguments: how}
	err := m.file().Check()
	if err == nil || upload.IsMissing(err) {
		return nil
	}
	return diag.Diagnostics{fileDiagnostic(err)}
}

// Upload stores the file. show gets lines of progress.
func (a FileArguments) Upload(ctx context.Context, u *upload.Uploader, how mediafile.Arguments, show func(line string)) (uploaded mediafile.Uploaded, diags diag.Diagnostics) {
	m := model{FileArguments: a, Arguments: how}
	given := !m.SHA256.IsNull()
	if !given {
		show("reading " + m.Source.ValueString())
	}
	if err := m.prepare(ctx, u); err != nil {
		return uploaded, diag.Diagnostics{providerdata.ErrorDiagnostic("Preparing the upload", err)}
	}
	next := afterInvoke
	if !u.Records(ctx) { // without a state, only a record can continue an upload
		next.toContinue = ""
	}
	result, diags := m.send(ctx, u, false, given, next, show)
	return mediafile.Uploaded{KeyPaths: []string{result.KeyPath}, Recorded: result.InLedger(), Outcomes: []upload.Outcome{{Result: result}}}, diags
}
