package livesession

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const typeName = "vodlive_live_session" // of the resource, the data source, the list and the ephemeral resource

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
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: computed[0].Description},
	}}
}

// ImportState imports by id or by identity, whose request has no ID.
func (r *liveSession) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := types.StringValue(req.ID)
	if req.Identity != nil && req.ID == "" {
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("id"), &id)...)
	}
	if problem := sessionID.Problem(id.ValueString()); problem != "" && !id.IsUnknown() && !resp.Diagnostics.HasError() {
		resp.Diagnostics.AddError("The live session cannot be imported", "The id to import is not that of a session: "+problem)
		return
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

// Create finds or creates a session and waits for it. If the wait fails, Terraform taints the
// session. The next apply then removes it from the state, and its Create finds it again.
func (r *liveSession) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	m := valuesOf(ctx, req.Plan, &resp.Diagnostics)
	config := valuesOf(ctx, req.Config, &resp.Diagnostics)
	limit, diags := m.createLimit(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.Data.NeedLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	limited, cancel := providerdata.WithLimit(ctx, limit, "create")
	defer cancel()

	s := r.findOrCreate(limited, m.withWriteOnly(config), &resp.Diagnostics)
	if s == nil {
		return
	}
	m.setComputed(s)
	resp.Diagnostics.Append(r.waitUntilReady(limited, m)...)
	if resp.Diagnostics.HasError() {
		m["deletion_protection"] = types.BoolNull() // protection begins when a create has succeeded
	} else {
		resp.Diagnostics.Append(r.waitUntilListed(limited, m)...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m.object())...)
	setIdentity(ctx, resp.Identity, m.text("id"), &resp.Diagnostics)
}

// Read refreshes what the service computes. No call changes a session, so its arguments are as they
// were sent: only an import reads them.
func (r *liveSession) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	m := valuesOf(ctx, req.State, &resp.Diagnostics)
	resp.Diagnostics.Append(r.Data.NeedLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := m.text("id")
	setIdentity(ctx, resp.Identity, id, &resp.Diagnostics)
	importing := m.str("name").IsNull() // required, so only null during an import
	switch {
	case r.Data.Unknown && importing:
		resp.Diagnostics.AddError("The provider configuration is not known yet",
			fmt.Sprintf("Live session %s cannot be imported while values in the provider block come from a resource that is not applied yet. "+
				"Apply that resource first with `-target`.", id))
		return
	case r.Data.Unknown:
		return // the state stays as it is until the next run
	}
	fields := computed
	if importing {
		fields = attributes
	}
	err := readSession(ctx, r.Data, m, fields)
	switch {
	case api.NotFound(err) && !importing:
		r.removeIfGone(ctx, m, err, resp)
		return
	case err != nil:
		resp.Diagnostics.Append(unreadable(id, r.Data.LiveAddress, err))
		return
	}
	if importing || isAllocated(m.text("status")) {
		resp.Diagnostics.Append(addListed(ctx, r.Data, m, fields)...)
	}
	if importing {
		resp.Diagnostics.Append(m.checkImported()...)
	}
	m.dropEndpoints()
	resp.Diagnostics.Append(resp.State.Set(ctx, m.object())...)
}

// Update changes the provider's own arguments, and makes no request.
func (r *liveSession) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	m := valuesOf(ctx, req.Plan, &resp.Diagnostics)
	state := valuesOf(ctx, req.State, &resp.Diagnostics)
	for _, a := range endpoints { // unknown in the plan if `endpoints_in_state` was
		if m[a.Name].IsUnknown() {
			m[a.Name] = state[a.Name]
		}
	}
	m.dropEndpoints()
	resp.Diagnostics.Append(resp.State.Set(ctx, m.object())...)
	setIdentity(ctx, resp.Identity, m.text("id"), &resp.Diagnostics)
}

// Delete only remembers that the session has left the state, for a Create of this run: the service has
// no call to stop or delete it.
func (r *liveSession) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	m := valuesOf(ctx, req.State, &resp.Diagnostics)
	r.run().remove(m.text("id"))
}

func (m values) createLimit(ctx context.Context) (time.Duration, diag.Diagnostics) {
	given, _ := m["timeouts"].(timeouts.Value)
	return given.Create(ctx, defaultTimeout)
}

// setIdentity sets the identity if the CLI supports identities.
func setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, id string, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.SetAttribute(ctx, path.Root("id"), id)...)
	}
}
