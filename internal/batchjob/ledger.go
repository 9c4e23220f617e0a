package batchjob

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// ledgerArgs is what a job is looked up by in the ledger.
func (m *model) ledgerArgs(ctx context.Context, data *providerdata.Data) string {
	var paths, modes []string
	_ = m.Paths.ElementsAs(ctx, &paths, false)        // submit reports it
	_ = m.ServiceModes.ElementsAs(ctx, &modes, false) // submit reports it
	triggers := map[string]string{}
	for name, v := range m.Triggers.Elements() {
		if v, ok := v.(types.String); ok && !v.IsNull() {
			triggers[name] = v.ValueString()
		}
	}
	arguments, _ := json.Marshal([]any{paths, modes, triggers}) // strings
	return data.UploadAddress + "\n" + string(arguments)
}

// takeOver looks in the ledger for a job with the same arguments, which an earlier run has
// submitted, and which Terraform could not save. done reports that nothing is to be sent.
func (r *batchJob) takeOver(ctx context.Context, m *model, diags *diag.Diagnostics) (done bool) {
	line, ok := r.Data.Ledger.Take(ctx, resume.KindJob, m.ledgerArgs(ctx, r.Data), nil)
	if !ok {
		return false
	}
	began := line.Began().UTC().Format(time.RFC3339)
	made := line.Made()
	if made == nil {
		line.Drop(ctx) // this is said once
		var paths []string
		diags.Append(m.Paths.ElementsAs(ctx, &paths, false)...)
		diags.AddError("The batch job may have been submitted",
			fmt.Sprintf("A run that Terraform could not finish submitted a job with exactly these arguments at %s, and did not get a response. The service may be processing these paths:\n%s\n\n"+
				"The provider did not send the request again. Find out at the service whether the job is running: if it is, applying again submits a second job.",
				began, providerdata.List(paths)))
		return true
	}
	m.submission = submissionOf(*made)
	diags.AddWarning("The batch job of an earlier run was taken over",
		fmt.Sprintf("A run that Terraform could not finish submitted a job with exactly these arguments at %s. It was in no state, so it was taken over, and no other job was submitted. "+
			"To submit another one, run `terraform apply -replace` with the resource's address.", began))
	return true
}
