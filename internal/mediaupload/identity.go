package mediaupload

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func (r *mediaUpload) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"key_path": identityschema.StringAttribute{RequiredForImport: true, Description: "Key path of the stored file."},
	}}
}

// setIdentity sets the identity: the key path of the stored file, or of the unfinished upload. The framework
// requires one of every object: one that has neither, because an Update failed, keeps what it has.
func (m *model) setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	keyPath := m.KeyPath
	if unfinished, ok := m.Incomplete.Attributes()["key_path"].(types.String); ok {
		keyPath = unfinished
	}
	var before types.String
	diags.Append(identity.GetAttribute(ctx, path.Root("key_path"), &before)...)
	diags.Append(identity.SetAttribute(ctx, path.Root("key_path"), firstSet(keyPath, before, types.StringValue("")))...)
}
