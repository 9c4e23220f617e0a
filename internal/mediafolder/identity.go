package mediafolder

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

func (r *mediaFolder) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id that the provider made for the folder. A folder cannot be imported by it."},
	}}
}

// setIdentity sets the identity: the id, or "" while the creation has not succeeded, because the
// framework requires one of every object.
func (m *model) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	diags.Append(identity.SetAttribute(ctx, path.Root("id"), m.ID.ValueString())...)
}
