package batchjob

import (
	"context"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// arguments are the arguments that the resource and the action share.
type arguments struct {
	Paths        types.List `tfsdk:"paths"`
	ServiceModes types.List `tfsdk:"service_modes"`
}

const modesDescription = "Processing modes, for example `[\"video_optimizer\"]`. At least one, without duplicates."

var (
	pathValidators = distinct(providerdata.KeyPath)
	modeValidators = distinct(stringvalidator.RegexMatches(regexp.MustCompile(`\S`), "must not be blank"))
)

// distinct requires at least one element, and no duplicates.
func distinct(element validator.String) []validator.List {
	return []validator.List{
		listvalidator.SizeAtLeast(1),
		listvalidator.UniqueValues(),
		listvalidator.NoNullValues(),
		listvalidator.ValueStringsAre(element),
	}
}

// batch returns the request of a job, if the provider configuration allows it. user is the type
// that submits the job.
func (a *arguments) batch(ctx context.Context, data *providerdata.Data, user string, diags *diag.Diagnostics) (batch api.Batch) {
	diags.Append(data.NeedUpload(user)...)
	diags.Append(a.checkCustomers(data)...)
	diags.Append(a.Paths.ElementsAs(ctx, &batch.Paths, false)...)
	diags.Append(a.ServiceModes.ElementsAs(ctx, &batch.ServiceModes, false)...)
	return batch
}

// checkCustomers reports the known paths that `allowed_customer_ids` does not allow.
func (a *arguments) checkCustomers(data *providerdata.Data) (diags diag.Diagnostics) {
	for i, element := range a.Paths.Elements() {
		keyPath, ok := element.(types.String)
		if !ok || keyPath.IsUnknown() {
			continue
		}
		if err := data.Uploader.CheckCustomer(keyPath.ValueString()); err != nil {
			diags.AddAttributeError(path.Root("paths").AtListIndex(i), "The key path is not allowed", providerdata.ErrorAndAdvice(err))
		}
	}
	return diags
}

// Submit submits a job and returns the service's message. The request is sent once, because nothing
// can look a job up. invoke is the advice that ends the error of an action, which an apply does not
// repeat; a resource passes "".
func Submit(ctx context.Context, data *providerdata.Data, batch api.Batch, invoke string) (message string, diags diag.Diagnostics) {
	message, err := data.API.SubmitBatch(ctx, batch)
	switch {
	case err == nil:
	case api.MayHaveBeenProcessed(err):
		diags.AddError("The batch job may have been submitted",
			fmt.Sprintf("%s\n\nThe request was sent once. The service may be processing these paths:\n%s\n\n"+
				"Find out at the service whether the job runs. If it does, another submission starts a second job.",
				providerdata.ErrorText(err), providerdata.List(batch.Paths)))
	case invoke == "":
		diags.Append(providerdata.ErrorDiagnostic("Submitting the batch job", err))
	default:
		cause := providerdata.ErrorDiagnostic("Submitting the batch job", err)
		diags.AddError(cause.Summary(), providerdata.Reason(err)+"\n\n"+invoke)
	}
	return message, diags
}

// InvokeAgain is the advice to invoke the failed action of a type again.
func InvokeAgain(actionType string) string {
	return fmt.Sprintf("An apply does not repeat an action that failed. Correct the cause and run `terraform apply -invoke=action.%s.NAME`.", actionType)
}
