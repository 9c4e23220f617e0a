package livesession

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const typeName = "vodlive_live_session"

// NewResource makes the resource vodlive_live_session.
func NewResource() resource.Resource { return &liveSession{now: time.Now} }

// liveSession is the resource.
type liveSession struct {
	data *providerdata.Data // nil while Terraform validates
	now  func() time.Time
}

var (
	_ resource.ResourceWithConfigure        = (*liveSession)(nil)
	_ resource.ResourceWithConfigValidators = (*liveSession)(nil)
	_ resource.ResourceWithIdentity         = (*liveSession)(nil)
	_ resource.ResourceWithImportState      = (*liveSession)(nil)
	_ resource.ResourceWithModifyPlan       = (*liveSession)(nil)
)

func (r *liveSession) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

func (r *liveSession) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema(ctx)
}

func (r *liveSession) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: descriptions["id"]},
	}}
}

func (r *liveSession) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = providerdata.From(req.ProviderData, &resp.Diagnostics)
}

func (r *liveSession) ConfigValidators(context.Context) []resource.ConfigValidator {
	return configRules()
}

func (r *liveSession) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

// Read brings the state up to date. Fields that only the listing shows are
// looked up once for each status that the session is seen in, and only while one
// is missing, so that a refresh lists nothing for sessions that are complete.
func (r *liveSession) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m model
	resp.Diagnostics.Append(providerdata.Get(ctx, req.State, &m)...)
	resp.Diagnostics.Append(r.data.NeedLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := m.ID.ValueString()
	// Also of a session that turns out to be gone: the framework wants an
	// identity from every read, and a CLI below 1.12 has stored none.
	setIdentity(ctx, resp.Identity, id, &resp.Diagnostics)
	importing := m.Name.IsNull() // a required argument that import leaves out
	if r.data.Unknown {
		if importing {
			resp.Diagnostics.AddError("The provider configuration is not known yet",
				fmt.Sprintf("Live session %s cannot be imported while values in the provider block come from a resource that is still to be applied. "+
					"Apply that resource first, with `-target`.", id))
		}
		return // the state stands until the next run
	}
	s, err := r.data.Sessions.Get(ctx, id)
	switch {
	case api.NotFound(err) && importing:
		resp.Diagnostics.Append(noSuchSession(id, r.data.LiveAddress, err))
		return
	case api.NotFound(err):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic(fmt.Sprintf("Reading live session %s", id), err))
		return
	}
	before := m.session
	m.fill(s)

	seen, diags := req.Private.GetKey(ctx, listedKey)
	resp.Diagnostics.Append(diags...)
	if needsListing(&m.session, string(seen)) {
		if lookUp(ctx, r.data, &m.session, time.Time{}, &resp.Diagnostics) {
			resp.Diagnostics.Append(resp.Private.SetKey(ctx, listedKey, listedMark(&m.session))...)
		}
	}
	if required, _ := m.untold(); importing && len(required) > 0 {
		resp.Diagnostics.AddError("The service does not tell enough of the live session",
			fmt.Sprintf("Live session %s exists, but neither reading nor listing it told %s, without which it cannot be imported.", id, andList(required)))
		return
	}
	if !reflect.DeepEqual(before, m.session) {
		resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, m)...)
	}
}

// noSuchSession is the error of an import by an id that the service does not know.
func noSuchSession(id, base string, err error) diag.Diagnostic {
	d := providerdata.ErrorDiagnostic(fmt.Sprintf("Reading live session %s", id), err)
	return diag.NewErrorDiagnostic("No live session has this id",
		fmt.Sprintf("No session of this account has the id %q. It was looked for at %s with the access token id that the provider is configured with. "+
			"Check the id, and that `base_url` and the credentials belong to the account that has the session; the data source "+
			"vodlive_live_sessions lists its sessions.\n\n%s", id, base, d.Detail()))
}

// Update has nothing to call: only the provider's own arguments change in place.
func (r *liveSession) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m model
	resp.Diagnostics.Append(providerdata.Get(ctx, req.Plan, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(providerdata.Set(ctx, &resp.State, m)...)
	setIdentity(ctx, resp.Identity, m.ID.ValueString(), &resp.Diagnostics)
}

// Delete calls nothing: the service has no call that ends a session.
func (r *liveSession) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m model
	resp.Diagnostics.Append(providerdata.Get(ctx, req.State, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !r.data.Unknown {
		// A create that follows in this run must not take it for its own.
		r.data.Sessions.Own(m.ID.ValueString())
	}
	resp.Diagnostics.Append(m.forgotten("was removed from the state")...)
}

// setIdentity sets the identity where the CLI knows of identities.
func setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, id string, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.SetAttribute(ctx, path.Root("id"), id)...)
	}
}

// listedKey is the private state that says at which status the session was last
// looked up in the listing.
const listedKey = "listed"

func listedMark(m *session) []byte {
	mark, _ := json.Marshal(m.Status.ValueString()) // a string always can be
	return mark
}

// needsListing tells whether the listing may know what is missing.
func needsListing(m *session, mark string) bool {
	required, listed := m.untold()
	return len(required)+len(listed) > 0 && mark != string(listedMark(m))
}

// lookUp fills in what only the listing shows, as a page shows it that is not
// older than since. It tells whether a page showed the session; a failure is a
// warning, because the session itself is there.
func lookUp(ctx context.Context, data *providerdata.Data, m *session, since time.Time, diags *diag.Diagnostics) bool {
	s, err := data.Sessions.Listed(ctx, m.ID.ValueString(), since)
	switch {
	case err != nil:
		failed := providerdata.ErrorDiagnostic("Listing the live sessions", err)
		diags.AddWarning("Some values of the live session are missing",
			fmt.Sprintf("What only the listing shows of live session %s (addresses, ports, transcoder) could not be had; the next plan or refresh tries again. %s",
				m.ID.ValueString(), failed.Detail()))
		return false
	case s == nil:
		return false
	}
	m.fill(s)
	return true
}
