package livesession

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

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
