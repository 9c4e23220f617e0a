package livesession

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const typeName = "vodlive_live_session"

// NewResource returns the resource vodlive_live_session.
func NewResource() resource.Resource {
	return &liveSession{providerdata.Resource{TypeName: typeName}}
}

type liveSession struct{ providerdata.Resource }

var (
	_ resource.ResourceWithIdentity       = (*liveSession)(nil)
	_ resource.ResourceWithImportState    = (*liveSession)(nil)
	_ resource.ResourceWithModifyPlan     = (*liveSession)(nil)
	_ resource.ResourceWithValidateConfig = (*liveSession)(nil)
)

func (r *liveSession) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema(ctx)
}

func (r *liveSession) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: computed[0].description},
	}}
}

func (r *liveSession) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

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
	mem, diags := recall(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	s, paged, err := r.read(ctx, id, &mem)
	switch {
	case api.NotFound(err) && importing:
		resp.Diagnostics.Append(noSuchSession(id, r.Data.LiveAddress, err))
		return
	case api.NotFound(err):
		resp.State.RemoveResource(ctx)
		resp.Diagnostics.Append(gone(&m.session, err))
		return
	case err != nil:
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic(fmt.Sprintf("Reading live session %s", id), err))
		return
	}
	before := m.session
	m.refresh(s, paged, importing, &mem)
	required, fromList := m.untold()
	if len(required)+len(fromList) > 0 && mem.Listed != m.Status.String() {
		if s, _ := listed(ctx, r.Data, id, time.Time{}, &resp.Diagnostics); s != nil {
			m.refresh(s, true, importing, &mem)
			mem.Listed = m.Status.String()
			required, _ = m.untold()
		}
	}
	if importing {
		setIdentity(ctx, resp.Identity, m.ID.ValueString(), &resp.Diagnostics) // in the service's spelling
	} else {
		m.ID = types.StringValue(id) // an identity must not change
	}
	if importing && len(required) > 0 {
		resp.Diagnostics.AddError("The live session cannot be imported",
			fmt.Sprintf("Live session %s exists, but neither the GET nor the listing returned %s, which the import needs. Report this to the service.", id, enumerate(required, "and")))
		return
	}
	if !reflect.DeepEqual(before, m.session) {
		resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	}
	resp.Diagnostics.Append(mem.keep(ctx, resp.Private)...)
}

// read reads a session of the state. If no GET has returned it since its creation, read retries on
// 404, as for a new session.
func (r *liveSession) read(ctx context.Context, id string, mem *memory) (s *api.Session, paged bool, err error) {
	createsOf(r.Data).own(id) // so that no lost create of this run claims it
	if !mem.Unconfirmed {
		return r.Data.Sessions.Get(ctx, id)
	}
	start := time.Now()
	for interval := pollFirst; ; interval = min(interval*3/2, pollLast) {
		s, err = r.Data.API.GetSession(ctx, id)
		mem.Unconfirmed = err != nil
		if !api.NotFound(err) || time.Since(start) >= appearWithin {
			return s, false, err
		}
		if !pause(ctx, interval) {
			return nil, false, ctx.Err()
		}
	}
}

// gone warns of a session that is removed from the state because of a 404.
func gone(m *session, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The live session was not found",
		fmt.Sprintf("Live session %s (%q) was removed from the state, because reading it returned 404: %s\n\n"+
			"The service also returns 404 if the credentials belong to another account. If the session should still exist, check `base_url`, "+
			"`access_token_id` and `secret_key` before you apply: the next apply creates a new session.", m.ID.ValueString(), m.Name.ValueString(), providerdata.ErrorText(err)))
}

// noSuchSession is the error for an id that the account does not have.
func noSuchSession(id, base string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("No live session has this id",
		fmt.Sprintf("No session of this account has the id %q. The provider looked for it at %s with the configured access token id. "+
			"Check the id, and that `base_url` and the credentials belong to the account that has the session. "+
			"The data source `vodlive_live_sessions` lists the sessions of an account.\n\n%s", id, base, providerdata.ErrorText(err)))
}

// Update makes no request: only the provider's own arguments change in place.
func (r *liveSession) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, intentKey, nil)...)
	setIdentity(ctx, resp.Identity, m.ID.ValueString(), &resp.Diagnostics)
}

// Delete stops nothing: the service has no call that stops or deletes a session. It makes a request
// only for a replacement, to find out whether Create would be refused.
func (r *liveSession) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m model
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	note, diags := recallIntent(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	createsOf(r.Data).own(m.ID.ValueString()) // it keeps running, so no lost create of this run may claim it
	var refused diag.Diagnostic
	switch {
	case m.DeletionProtection.ValueBool(): // of a tainted session, whose plan does not see the state, or of a client that plans no deletion
		refused = protected(m.label(), providerdata.ReplaceOrRemove)
	case note.Action != "":
		refused = r.checkReplacement(ctx, &m.session, note)
	}
	if refused != nil {
		providerdata.RefuseDelete(ctx, resp, refused)
		return
	}
	if note.Action == "" {
		resp.Diagnostics.Append(m.forgotten("was removed from the state")...)
		return
	}
	old := &replaced{intent: note, model: m}
	old.memory, diags = recall(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	r.Data.ReplacedSessions.Offer(old)
	if note.Action == actionDecide {
		resp.Diagnostics.Append(m.mayBeKept())
	} else {
		resp.Diagnostics.Append(m.forgotten("was removed from the state")...)
	}
}

// setIdentity sets the identity if the CLI supports identities.
func setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, id string, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.SetAttribute(ctx, path.Root("id"), id)...)
	}
}

// listed returns a session from a page of the listing that was requested after since. It is nil if
// no page shows the session. A failure (ok is false) is only a warning, because the session exists.
func listed(ctx context.Context, data *providerdata.Data, id string, since time.Time, diags *diag.Diagnostics) (s *api.Session, ok bool) {
	s, err := data.Sessions.Listed(ctx, id, since)
	if err != nil {
		diags.AddWarning("Some values of the live session are missing",
			fmt.Sprintf("Only the listing shows the addresses, ports and transcoder of live session %s, and the listing failed. "+
				"The next plan or refresh tries again. %s", id, providerdata.ErrorText(err)))
	}
	return s, err == nil
}
