package mediaupload

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Once are the arguments of an upload of a file that no state keeps.
type Once struct {
	Source, FileName, ContentType, SHA256, Method types.String
	PartSize                                      types.Int64
}

// resource is the resource that would make the upload.
func (o Once) resource() *model {
	return &model{
		Source: o.Source, FileName: o.FileName, ContentType: o.ContentType, SHA256: o.SHA256, Method: o.Method, PartSize: o.PartSize,
	}
}

// Check returns what Upload would fail on, as far as it shows without reading the file. The same plan
// may make the file, so a missing one is no error.
func (o Once) Check() diag.Diagnostics {
	if o.Source.IsUnknown() {
		return nil
	}
	err := o.resource().file().Check()
	if err == nil || upload.IsMissing(err) {
		return nil
	}
	return diag.Diagnostics{fileDiagnostic(err)}
}

// Upload stores the file and returns its key path. show gets lines of progress.
func (o Once) Upload(ctx context.Context, u *upload.Uploader, show func(line string)) (keyPath string, diags diag.Diagnostics) {
	m := o.resource()
	if m.SHA256.IsNull() {
		show("reading " + m.Source.ValueString())
	}
	if _, err := m.prepare(ctx, u); err != nil {
		return "", diag.Diagnostics{providerdata.ErrorDiagnostic("Preparing the upload", err)}
	}
	next := afterInvoke
	if !u.Resume.Usable(ctx) { // without a state, only a record can continue an upload
		next.toContinue = ""
	}
	result, diags := m.send(ctx, u, nil, next, show)
	return result.KeyPath, diags
}
