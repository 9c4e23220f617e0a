package batchjob

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// job has the arguments of a batch job.
type job struct {
	Paths        types.List `tfsdk:"paths"`
	ServiceModes types.List `tfsdk:"service_modes"`
}

// plan reports what would make the submission fail: missing configuration of the upload and batch
// API, an expired token, or a key path that is not allowed. user is the type that submits.
func (j *job) plan(ctx context.Context, data *providerdata.Data, user string) diag.Diagnostics {
	return append(data.PlanUpload(ctx, user), j.checkCustomers(data)...)
}

// submit submits the job once and returns the service's message. again is what submits once more,
// such as "applying". say gets a line of progress.
func (j *job) submit(ctx context.Context, data *providerdata.Data, user, again string, say func(line string)) (message string, diags diag.Diagnostics) {
	var paths, modes []string
	diags.Append(data.NeedUpload(user)...)
	diags.Append(j.checkCustomers(data)...)
	diags.Append(j.Paths.ElementsAs(ctx, &paths, false)...)
	diags.Append(j.ServiceModes.ElementsAs(ctx, &modes, false)...)
	if diags.HasError() {
		return "", diags
	}
	say("submitting a batch job on " + strings.Join(paths, ", "))
	message, err := data.API.SubmitBatch(ctx, paths, modes)
	if err != nil {
		diags.Append(providerdata.SubmitDiagnostic(err, paths, again))
	}
	return message, diags
}

// checkCustomers holds the paths that are known against `allowed_customer_ids`.
func (j *job) checkCustomers(data *providerdata.Data) (diags diag.Diagnostics) {
	for i, element := range j.Paths.Elements() {
		keyPath, ok := element.(types.String)
		if !ok || keyPath.IsUnknown() {
			continue
		}
		if err := data.Uploader.CheckCustomer(keyPath.ValueString()); err != nil {
			diags.AddAttributeError(path.Root("paths").AtListIndex(i), "The key path is not allowed", providerdata.ErrorText(err))
		}
	}
	return diags
}
