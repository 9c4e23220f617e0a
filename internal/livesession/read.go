package livesession

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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
	m := get(ctx, req.State, &resp.Diagnostics)
	resp.Diagnostics.Append(r.Data.NeedLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := m.text("id")
	// Set before the request: the framework requires an identity from every read, also of a session
	// that is gone, and a CLI below 1.12 has stored none.
	setIdentity(ctx, resp.Identity, id, &resp.Diagnostics)
	importing := m.str("name").IsNull() // required, so only null during an import
	if r.Data.Unknown {
		if importing {
			resp.Diagnostics.AddError("The provider configuration is not known yet",
				fmt.Sprintf("Live session %s cannot be imported while values in the provider block come from a resource that is not applied yet. "+
					"Apply that resource first with `-target`.", id))
		}
		return // the state stays as it is until the next run
	}
	data := readPrivate(ctx, req.Private, m, &resp.Diagnostics)
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
		resp.Diagnostics.Append(elsewhere(m, data.FoundIn, r.account(), err))
		return
	case api.NotFound(err) && m.flag("deletion_protection").ValueBool():
		resp.Diagnostics.Append(protectedGone(m, err))
		return
	case api.NotFound(err):
		if r.refreshOthers(ctx, m, &data); data.onItsWay(m) {
			resp.Diagnostics.Append(goneBeside(m, *data.Waiting, err))
			return
		}
		resp.State.RemoveResource(ctx)
		resp.Diagnostics.Append(gone(m, err))
		resp.Diagnostics.Append(warnOthers(data.Left, forgottenToo)...)
		return
	case err != nil:
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Reading the live session", err))
		return
	}
	data.FoundIn, data.Imported = r.account(), importing
	before := maps.Clone(m)
	m.refresh(s, paged, importing, &data)
	required, missing := m.missing()
	if len(required)+len(missing) > 0 && data.ListedIn != m.str("status").String() {
		if listed, _ := fromListing(ctx, r.Data, id, time.Time{}, &resp.Diagnostics); listed != nil {
			m.refresh(listed, true, importing, &data)
			data.ListedIn = m.str("status").String()
			required, _ = m.missing()
		}
	}
	if importing && paged && len(required) > 0 { // no GET has been sent
		if got, err := r.Data.API.GetSession(ctx, id); err == nil {
			s, paged = got, false
			m.refresh(s, paged, importing, &data)
			required, _ = m.missing()
		}
	}
	if !paged {
		data.drifted(m, s)
	}
	switch {
	case !data.waitsFor(m):
	case data.Waiting.Failed && (!terminal(m.text("status")) || m.ready(m.str("status"))):
		r.noteAwaited(m)
		m["status"] = before["status"] // Delete, which has no private data, leaves what was never ready to the Create of a replacement
	case m.ready(m.str("status")):
		data.Waiting = nil
	}
	r.refreshOthers(ctx, m, &data)
	if importing {
		setIdentity(ctx, resp.Identity, m.text("id"), &resp.Diagnostics) // in the service's spelling
		providerdata.Shared[imports](r.Data).Store(m.text("name"), nil)
		r.imported(ctx, m)
	} else {
		m["id"] = types.StringValue(id) // an identity must not change
	}
	if importing && len(required) > 0 {
		resp.Diagnostics.AddError("The live session cannot be imported",
			fmt.Sprintf("Live session %s exists, but neither the GET nor the listing returned %s, which the import needs. Report this to the service.", id, enumerate(required, "and")))
		return
	}
	if !maps.EqualFunc(before, m, attr.Value.Equal) {
		resp.Diagnostics.Append(resp.State.Set(ctx, m.object())...)
	}
	resp.Diagnostics.Append(providerdata.WritePrivate(ctx, resp.Private, privateDataKey, data)...)
}

// read reads a session of the state. If no GET has returned it since its creation, read retries on
// 404, as for a new session.
func (r *liveSession) read(ctx context.Context, id string, data *privateData) (s api.Session, paged bool, err error) {
	r.Data.Ledger.Own(id) // so that no lost create of this run reports it
	if !data.Unconfirmed {
		return r.Data.Sessions.Get(ctx, id)
	}
	s, err = r.readNew(ctx, id, time.Now())
	data.Unconfirmed = err != nil
	return s, false, err
}

// readNew reads a session by GETs. A 404 is repeated until appearWithin after began, because the
// session may be too new to be read.
func (r *liveSession) readNew(ctx context.Context, id string, began time.Time) (api.Session, error) {
	if now := time.Now(); began.After(now) { // the clock was set back since then
		began = now
	}
	for interval := pollFirst; ; interval = min(interval*3/2, pollLast) {
		s, err := r.Data.API.GetSession(ctx, id)
		if !api.NotFound(err) || time.Since(began) >= appearWithin {
			return s, err
		}
		if retry.Sleep(ctx, interval) != nil {
			return nil, ctx.Err()
		}
	}
}

// refresh sets the values of a response, of the listing or of a GET. Only a GET shows drift: the
// listing may spell a value differently. The first GET shows the service's spelling of what was
// configured. When a later one shows an argument with another value, the state gets it. An argument
// that the state does not have, as one that is write-only, stays null. An import takes what is
// shown, last from the listing, because configurations are generated from it.
func (m values) refresh(s api.Session, listing, importing bool, data *privateData) {
	shown := m.shown(s)
	var taken []attribute
	switch {
	case importing:
		taken = differing(m, shown)
	case !listing:
		taken = data.drifted(m, s)
	}
	for _, a := range taken {
		m[a.Name] = shown[a.Name]
	}
	m.fillComputed(s)
}

// shown returns the session with the arguments that a response shows.
func (m values) shown(s api.Session) values {
	shown := maps.Clone(m)
	shown.fill(s, arguments)
	return shown
}

// drifted notes how a GET shows the arguments. It returns those that an earlier GET has shown with
// another value and that differ from the state. A GET that lacks an argument says nothing of it:
// the session has it, and may show it again.
func (d *privateData) drifted(m values, s api.Session) []attribute {
	shown, was := m.shown(s), d.Renditions
	d.Renditions = map[string]string{}
	return selected(arguments, func(a attribute) bool {
		before, known := was[a.Name]
		now := ""
		switch {
		case a.Needs != nil && s[a.Name] == "":
			if known {
				d.Renditions[a.Name] = before
			}
			return false
		case !m[a.Name].IsNull() && !a.equal(m[a.Name], shown[a.Name]):
			now = salted(d.salt()+a.Name, shown[a.Name])
		}
		d.Renditions[a.Name] = now
		return known && now != "" && before != now
	})
}

// listedAfterAll reports whether the listing shows a session for which a GET answered 404. A
// gateway may answer so for every session. The listing is read once for all of them.
func listedAfterAll(ctx context.Context, data *providerdata.Data, id string) (bool, error) {
	s, err := data.Sessions.Listed(ctx, id, time.Time{})
	return s != nil, err
}

// listedOnly says that the listing shows a session for which the GET answered 404.
func listedOnly(id string, err error, severity diag.Severity) diag.Diagnostic {
	detail := fmt.Sprintf("Reading live session %s returned 404, but the listing of the account shows it: %s\n\n", id, providerdata.Reason(err))
	if severity == diag.SeverityWarning {
		return diag.NewWarningDiagnostic(fmt.Sprintf("Live session %s is listed, but was not found", id), detail+"The state was not changed. The next plan or refresh reads the session again.")
	}
	return diag.NewErrorDiagnostic("The live session is listed, but was not found", detail+"Try again. If the 404 stays, report it to the service.")
}

// unlistable is the error of a 404 that the listing neither confirms nor denies.
func unlistable(id string, err, listErr error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("It is not known whether the live session is gone",
		fmt.Sprintf("A GET of live session %s returned 404, and the listing of the account, which would show whether it is gone, could not be read. Nothing was changed. Try again.\n\n%s\n\n%s",
			id, providerdata.ErrorText(err), providerdata.ErrorText(listErr)))
}

const forgetIt = "run `terraform state rm` with the address of the resource. The next apply then creates a new session if the resource is in the configuration."

// elsewhere is the error of a 404 in another account than the one in which the session was last
// found.
func elsewhere(m values, found, now account, err error) diag.Diagnostic {
	last, here, rotated := fmt.Sprintf("at %s", found.Address), fmt.Sprintf("at %s", now.Address), ""
	switch {
	case found.Address == now.Address:
		last, here = last+" with another `access_token_id`", here+" with the configured one"
		rotated = "If `access_token_id` is a new one of the same account, the session is gone. "
	case found.Token != now.Token:
		last += ", with another `access_token_id`"
	}
	return diag.NewErrorDiagnostic("The live session may be in another account",
		fmt.Sprintf("Live session %s (%q) was last found %s. It was not found %s: %s\n\n"+
			"The state was not changed. To go on with the session, configure the `base_url`, `access_token_id` and `secret_key` with which it was found. "+rotated+
			"If the resource is to have a session of this account, or the session is gone, %s", m.text("id"), m.text("name"), last, here, providerdata.Reason(err), forgetIt))
}

// protectedGone is the error of a 404 for a protected session.
func protectedGone(m values, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The protected live session was not found",
		fmt.Sprintf("Live session %s (%q) has `deletion_protection = true` in the state, and reading it returned 404: %s\n\n"+
			"The state was not changed. Check `base_url`, `access_token_id` and `secret_key`. If the session is gone, %s",
			m.text("id"), m.text("name"), providerdata.Reason(err), forgetIt))
}

// gone warns of a session that is removed from the state because of a 404.
func gone(m values, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Live session %s was not found", m.title()),
		fmt.Sprintf("Live session %s (%q) was removed from the state, because reading it returned 404 and the listing does not show it: %s\n\n"+
			"The service also returns 404 if the credentials belong to another account. If the session should still exist, check `base_url`, "+
			"`access_token_id` and `secret_key` before you apply: the next apply creates a new session.", m.text("id"), m.text("name"), providerdata.Reason(err)))
}

// goneBeside is the error of a 404 for a session in whose place an earlier update made another one,
// which nothing would name once the resource has left the state.
func goneBeside(m values, other made, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The live session was not found, and another one is on its way",
		fmt.Sprintf("Live session %s (%q) is in the state. Reading it returned 404, and the listing does not show it: %s\n\n"+
			"An earlier apply created live session %s in its place, and did not see it ready. The state was not changed, because the next apply would create a further session. "+
			"If the credentials are right, run `terraform state rm` with the address of the resource. To go on with the session that is on its way, then add its block, and apply:\n\n%s",
			m.text("id"), m.text("name"), providerdata.Reason(err), other.label(), importBlock(other.ID)))
}
