package livesession

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

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

// Metadata returns the type name.
func (r *liveSession) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.Resource.Metadata(ctx, req, resp)
	resp.ResourceBehavior.MutableIdentity = true // it is the id, and an update may create another session
}

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
		resp.Diagnostics.AddError("The live session cannot be imported", "The id to import is not that of a session: "+problem+" The data source `vodlive_live_sessions` lists the ids of an account.")
		return
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}
