package batchjob

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// order is a batch job to submit, and who submits it.
type order struct {
	data         *providerdata.Data
	user         string // the type, for diagnostics
	again        string // what submits once more, such as "applying"
	paths, modes types.List
}

// plan reports what would make the submission fail: missing configuration of the upload and batch
// API, an expired token, or a key path that is not allowed.
func (o order) plan(ctx context.Context) diag.Diagnostics {
	return append(o.data.PlanUpload(ctx, o.user), o.checkCustomers()...)
}

// submit submits the job once and returns the service's message. say gets a line of progress.
func (o order) submit(ctx context.Context, say func(line string)) (message string, diags diag.Diagnostics) {
	var paths, modes []string
	diags.Append(o.data.NeedUpload(o.user)...)
	diags.Append(o.checkCustomers()...)
	diags.Append(o.paths.ElementsAs(ctx, &paths, false)...)
	diags.Append(o.modes.ElementsAs(ctx, &modes, false)...)
	if diags.HasError() {
		return "", diags
	}
	say("submitting a batch job on " + strings.Join(paths, ", "))
	message, err := o.data.API.SubmitBatch(ctx, paths, modes)
	if err != nil {
		diags.Append(providerdata.SubmitDiagnostic(err, paths, o.again))
	}
	return message, diags
}

// checkCustomers holds the paths that are known against `allowed_customer_ids`.
func (o order) checkCustomers() (diags diag.Diagnostics) {
	for i, element := range o.paths.Elements() {
		keyPath, ok := element.(types.String)
		if !ok || keyPath.IsUnknown() {
			continue
		}
		if err := o.data.Uploader.CheckCustomer(keyPath.ValueString()); err != nil {
			diags.AddAttributeError(path.Root("paths").AtListIndex(i), "The key path is not allowed", providerdata.ErrorText(err))
		}
	}
	return diags
}
