package livesession

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// Read refreshes the state. It looks up values that only the listing shows once per status, and
// only while a value is missing, so that the refresh of a complete session requests no listing.
func (r *liveSession) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m model
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	resp.Diagnostics.Append(r.Data.NeedLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := m.ID.ValueString()
	// Set before the request: the framework requires an identity from every read, also of a session
	// that is gone, and a CLI below 1.12 has stored none.
	setIdentity(ctx, resp.Identity, id, &resp.Diagnostics)
	importing := m.Name.IsNull() // required, so only null during an import
	if r.Data.Unknown {
		if importing {
			resp.Diagnostics.AddError("The provider configuration is not known yet",
				fmt.Sprintf("Live session %s cannot be imported while values in the provider block come from a resource that is not applied yet. "+
					"Apply that resource first with `-target`.", id))
		}
		return // the state stays as it is until the next run
	}
	data := readPrivate(ctx, req.Private, &m, &resp.Diagnostics)
	s, paged, err := r.read(ctx, id, &data)
	if api.NotFound(err) && (data.FoundIn == account{} || data.FoundIn == r.account()) {
		switch listed, listErr := listedAfterAll(ctx, r.Data, id); {
		case listErr != nil:
			resp.Diagnostics.Append(unlistable(id, err, listErr))
			return
		case listed && importing:
			resp.Diagnostics.Append(listedOnly(id, err, diag.SeverityError))
			return
		case listed:
			resp.Diagnostics.Append(listedOnly(id, err, diag.SeverityWarning))
			return
		}
	}
	switch {
	case api.NotFound(err) && importing:
		resp.Diagnostics.Append(noSuchSession(id, r.Data.LiveAddress, err))
		return
	case api.NotFound(err) && data.FoundIn != account{} && data.FoundIn != r.account():
		resp.Diagnostics.Append(elsewhere(&m.session, data.FoundIn, r.account(), err))
		return
	case api.NotFound(err) && m.DeletionProtection.ValueBool():
		resp.Diagnostics.Append(protectedGone(&m.session, err))
		return
	case api.NotFound(err):
		resp.State.RemoveResource(ctx)
		resp.Diagnostics.Append(gone(&m.session, err))
		return
	case err != nil:
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Reading the live session", err))
		return
	}
	data.FoundIn = r.account()
	before := m.session
	m.refresh(s, paged, importing, &data)
	required, missing := m.missing()
	if len(required)+len(missing) > 0 && data.ListedIn != m.Status.String() {
		if s, _ := fromListing(ctx, r.Data, id, time.Time{}, &resp.Diagnostics); s != nil {
			m.refresh(s, true, importing, &data)
			data.ListedIn = m.Status.String()
			required, _ = m.missing()
		}
	}
	switch {
	case !data.waitsFor(&m):
	case data.Waiting.Failed && !terminal(m.Status.ValueString()):
		m.Status = before.Status // Delete, which has no private data, leaves what was never ready to the Create of a replacement
	case m.ready(m.Status):
		data.Waiting = nil
	}
	r.refreshOthers(ctx, &m, &data)
	if importing {
		setIdentity(ctx, resp.Identity, m.ID.ValueString(), &resp.Diagnostics) // in the service's spelling
		providerdata.Shared[imports](r.Data).Store(m.Name.ValueString(), nil)
		providerdata.Shared[imports](r.Data).Store(importedID(m.ID.ValueString()), nil)
		r.imported(ctx, &m.session)
	} else {
		m.ID = types.StringValue(id) // an identity must not change
		providerdata.Shared[imports](r.Data).Delete(importedID(id))
	}
	if importing && len(required) > 0 {
		resp.Diagnostics.AddError("The live session cannot be imported",
			fmt.Sprintf("Live session %s exists, but neither the GET nor the listing returned %s, which the import needs. Report this to the service.", id, enumerate(required, "and")))
		return
	}
	if !reflect.DeepEqual(before, m.session) {
		resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	}
	resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privateDataKey, data)...)
}

// read reads a session of the state. If no GET has returned it since its creation, read retries on
// 404, as for a new session.
func (r *liveSession) read(ctx context.Context, id string, data *privateData) (s *api.Session, paged bool, err error) {
	createsOf(r.Data).own(id) // so that no lost create of this run reports it
	if !data.Unconfirmed {
		return r.Data.Sessions.Get(ctx, id)
	}
	start := time.Now()
	for interval := pollFirst; ; interval = min(interval*3/2, pollLast) {
		s, err = r.Data.API.GetSession(ctx, id)
		data.Unconfirmed = err != nil
		if !api.NotFound(err) || time.Since(start) >= appearWithin {
			return s, false, err
		}
		if retry.Sleep(ctx, interval) != nil {
			return nil, false, ctx.Err()
		}
	}
}

// refresh sets the values of a response, of the listing or of a GET. An argument keeps its value
// while the service shows this value or a spelling of it. Any other value is drift and removes the
// argument's spellings, unless it is in the first response of its kind: then it is a spelling, too.
// In an import, the listing's values replace those of the GET, because configurations are generated
// from the listing. A write-only argument stays null.
func (m *model) refresh(s *api.Session, listing, importing bool, data *privateData) {
	call, other := byGet, byListing
	if listing {
		call, other = other, call
	}
	if importing && data.NotReadBy == "" { // the first response
		data.NotReadBy = other
	}
	first := data.NotReadBy == call
	shown := m.session
	shown.fill(s, arguments)
	for _, a := range differing(&m.session, &shown) {
		was, is := a.value(&m.session), a.value(&shown)
		switch {
		case m.writeOnly(a) || data.hasSpelling(a.name, is):
		case first && importing && !was.IsNull():
			data.addSpelling(a.name, was)
			a.copy(&m.session, &shown)
		case first && !was.IsNull():
			data.addSpelling(a.name, is)
		default:
			a.copy(&m.session, &shown)
			delete(data.Spellings, a.name)
		}
	}
	m.fillComputed(s)
	if first {
		data.NotReadBy = ""
	}
}

// listedAfterAll reports whether the listing shows a session for which a GET answered 404. A
// gateway may answer so for every session. The listing is read once for all of them.
func listedAfterAll(ctx context.Context, data *providerdata.Data, id string) (bool, error) {
	s, err := data.Sessions.Listed(ctx, id, time.Time{})
	return s != nil, err
}

// listedOnly says that the listing shows a session for which the GET answered 404.
func listedOnly(id string, err error, severity diag.Severity) diag.Diagnostic {
	detail := fmt.Sprintf("Reading live session %s returned 404, but the listing of the account shows it: %s\n\n", id, providerdata.ErrorText(err))
	if severity == diag.SeverityWarning {
		return diag.NewWarningDiagnostic(fmt.Sprintf("Live session %s is listed, but was not found", id), detail+"The state was not changed. The next plan or refresh reads the session again.")
	}
	return diag.NewErrorDiagnostic("The live session is listed, but was not found", detail+"Try again. If the 404 stays, report it to the service.")
}

// unlistable is the error of a 404 that the listing neither confirms nor denies.
func unlistable(id string, err, listErr error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("It is not known whether the live session is gone",
		fmt.Sprintf("Reading live session %s returned 404, and the listing of the account, which would show whether it is gone, failed. Nothing was changed. Try again.\n\n%s\n\n%s",
			id, providerdata.ErrorText(err), providerdata.ErrorText(listErr)))
}

const forgetIt = "run `terraform state rm` with the address of the resource. The next apply then creates a new session if the resource is in the configuration."

// elsewhere is the error of a 404 in another account than the one in which the session was last
// found.
func elsewhere(m *session, found, now account, err error) diag.Diagnostic {
	last, here := fmt.Sprintf("at %s", found.Address), fmt.Sprintf("at %s", now.Address)
	switch {
	case found.Address == now.Address:
		last, here = last+" with another `access_token_id`", here+" with the configured one"
	case found.Token != now.Token:
		last += ", with another `access_token_id`"
	}
	return diag.NewErrorDiagnostic("The live session may be in another account",
		fmt.Sprintf("Live session %s (%q) was last found %s. It was not found %s: %s\n\n"+
			"The state was not changed. To go on with the session, configure the `base_url`, `access_token_id` and `secret_key` with which it was found. "+
			"If the resource is to have a session of this account, or the session is gone, %s", m.ID.ValueString(), m.Name.ValueString(), last, here, providerdata.ErrorText(err), forgetIt))
}

// protectedGone is the error of a 404 for a protected session.
func protectedGone(m *session, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The protected live session was not found",
		fmt.Sprintf("Live session %s (%q) has `deletion_protection = true` in the state, and reading it returned 404: %s\n\n"+
			"The state was not changed. Check `base_url`, `access_token_id` and `secret_key`. If the session is gone, %s",
			m.ID.ValueString(), m.Name.ValueString(), providerdata.ErrorText(err), forgetIt))
}

// gone warns of a session that is removed from the state because of a 404.
func gone(m *session, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Live session %s was not found", m.title()),
		fmt.Sprintf("Live session %s (%q) was removed from the state, because reading it returned 404 and the listing does not show it: %s\n\n"+
			"The service also returns 404 if the credentials belong to another account. If the session should still exist, check `base_url`, "+
			"`access_token_id` and `secret_key` before you apply: the next apply creates a new session.", m.ID.ValueString(), m.Name.ValueString(), providerdata.ErrorText(err)))
}
