package livesession

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

func (r *liveSession) listing() *listing { return providerdata.Shared[listing](r.Data) }

// readSession sets fields of the session with the id of m from a GET.
func readSession(ctx context.Context, data *providerdata.Data, m values, fields []attribute) error {
	id := m["id"]
	s, err := data.API.GetSession(ctx, m.text("id"))
	if err != nil {
		return err
	}
	m.fill(s, fields)
	m["id"] = id // an identity must not change, even in its letter case
	return nil
}

// addListed adds fields that the GET did not show and that the listing has. All calls of the process
// share one listing.
func addListed(ctx context.Context, data *providerdata.Data, m values, fields []attribute) (diags diag.Diagnostics) {
	missing := m.missing(fields, attribute.isListed)
	if len(missing) == 0 {
		return nil
	}
	s, err := providerdata.Shared[listing](data).find(ctx, data.API, m.text("id"), providerdata.Shared[run](data).getLastCreate())
	if err != nil {
		diags.Append(missingDiagnostic(m, missing, err))
	}
	m.addMissing(s, fields)
	return diags
}

// missingDiagnostic warns of values that only the listing shows. err is why it cannot be read, nil
// if it lacks them.
func missingDiagnostic(m values, missing []string, err error) diag.Diagnostic {
	why := "it does not show them yet"
	if err != nil {
		why = "it could not be read: " + providerdata.Reason(err)
	}
	return diag.NewWarningDiagnostic("Some values of a live session are missing",
		fmt.Sprintf("%s of live session %s come only from the listing of the account, and %s. They are null in the state until a refresh finds them.", enumerate(missing, "and"), m.label(), why))
}

// removeIfGone deals with a 404. A gateway may have answered, or another account: so a session stays
// in the state if the listing shows it, or if it is protected.
func (r *liveSession) removeIfGone(ctx context.Context, m values, notFound error, resp *resource.ReadResponse) {
	s, err := r.listing().find(ctx, r.Data.API, m.text("id"), r.run().getLastCreate())
	switch {
	case err != nil:
		resp.Diagnostics.AddError("It is not known whether the live session is gone",
			fmt.Sprintf("Reading live session %s returned 404, and the listing of the account, which would show it, could not be read. The state was not changed.\n\n%s\n\n%s",
				m.label(), providerdata.ErrorText(notFound), providerdata.ErrorText(err)))
	case s != nil:
		resp.Diagnostics.AddWarning("A live session is listed, but was not found",
			fmt.Sprintf("Reading live session %s returned 404, but the listing of the account shows it. The state was not changed.", m.label()))
	case m.flag("deletion_protection").ValueBool():
		resp.Diagnostics.AddError("The protected live session was not found",
			fmt.Sprintf("Reading live session %s returned 404, and the listing of the account does not show it. The state was not changed, because it has `deletion_protection = true`. "+
				"Check `base_url`, `access_token_id` and `secret_key`. If the session is gone, run `terraform state rm` with the address of the resource.", m.label()))
	default:
		resp.State.RemoveResource(ctx)
		resp.Diagnostics.AddWarning("A live session was not found",
			fmt.Sprintf("Live session %s was removed from the state: reading it returned 404, and the listing of the account does not show it. "+
				"If it should exist, check `base_url`, `access_token_id` and `secret_key` before you apply: the apply would create another one.", m.label()))
	}
}

// unreadable is the error of a session that could not be read.
func unreadable(id, address string, err error) diag.Diagnostic {
	if !api.NotFound(err) {
		return providerdata.ErrorDiagnostic("Reading the live session", err)
	}
	return diag.NewErrorDiagnostic("No live session has this id",
		fmt.Sprintf("No session of this account has the id %q. The provider looked for it at %s with the configured access token id. "+
			"Check the id, `base_url` and the credentials. The data source `vodlive_live_sessions` lists the sessions of an account.", id, address))
}

// checkImported reports arguments that were not returned, without which the next plan would replace
// the session.
func (m values) checkImported() (diags diag.Diagnostics) {
	if missing := m.missing(arguments, attribute.isNeeded); len(missing) > 0 {
		diags.AddError("The live session cannot be imported",
			fmt.Sprintf("Live session %s exists, but the service did not return %s, which the import needs.", m.text("id"), enumerate(missing, "and")))
	}
	return diags
}
