package mediaupload

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// prepare decides what the plan left open.
func (m *model) prepare(ctx context.Context, u *upload.Uploader) error {
	f := m.file()
	if f.Content == nil && m.KeyPath.IsUnknown() { // before it is read
		if err := f.TooLarge(0); err != nil {
			return err
		}
	}
	f, err := u.Prepare(ctx, f, m.ChangeDetection.ValueString())
	if err != nil {
		return err
	}
	m.describe(f)
	return nil
}

// describe fills in what a file is, and keeps the letter case of its hash.
func (m *model) describe(f upload.File) {
	if m.SHA256.ValueString() == "" {
		m.SHA256 = types.StringValue(f.SHA256)
	}
	m.Size, m.FileName, m.ContentType = types.Int64Value(f.Size), types.StringValue(f.Name), types.StringValue(f.ContentType)
}

// remember keeps in the private state which arguments with a default a configuration has, or had
// before. What was planned is over: a client may delete without a plan.
func (m *model) remember(ctx context.Context, private providerdata.Private, before configured) diag.Diagnostics {
	now := configured{before.FileName || !m.FileName.IsNull(), before.ContentType || !m.ContentType.IsNull()}
	diags := providerdata.WritePrivate(ctx, private, privateConfigured, now)
	diags.Append(providerdata.PlanNote{}.Write(ctx, private)...)
	return append(diags, providerdata.WritePrivate(ctx, private, privatePlanned, upload.File{})...)
}

// unprepared is the error of a file whose hash is not known. Content that the configuration has can
// only have another hash than the configured one.
func (m *model) unprepared(doing string, err error) diag.Diagnostic {
	if m.file().Content != nil {
		return diag.NewAttributeErrorDiagnostic(path.Root("sha256"), "The content has another SHA-256", providerdata.ErrorText(err))
	}
	return providerdata.ErrorDiagnostic(doing, err)
}

// send uploads the file of a model with every value known. forState reports whether a state gets
// it, and given whether its hash is configured. The result has what is left to continue if there is
// an error.
func (m *model) send(ctx context.Context, u *upload.Uploader, forState, given bool, next steps, show func(line string)) (upload.Result, diag.Diagnostics) {
	f := m.file()
	if f.ForState = forState; !forState {
		f.Scope = "file " + f.Path
	}
	if err := f.CheckSize(); err != nil {
		return upload.Result{}, diag.Diagnostics{fileDiagnostic(err)}
	}
	if given {
		if d := otherHash(f, u.Remembered(ctx, f.Path), m.ChangeDetection.ValueString(), next); d != nil {
			return upload.Result{}, diag.Diagnostics{d}
		}
	}
	result, err := u.Upload(ctx, f, show)
	var diags diag.Diagnostics
	mediafile.Warnings(result.Warnings, &diags)
	if err != nil {
		diags.Append(uploadDiagnostic(f, result.Left, err, given, next))
	}
	return result, diags
}
