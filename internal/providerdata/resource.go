package providerdata

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Resource is embedded by resources and list resources. Data is nil while Terraform validates.
type Resource struct {
	TypeName string
	Data     *Data
}

// Metadata returns the type name.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.TypeName
}

// Configure sets Data.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.Data = From(req.ProviderData)
}

// DataSource is embedded by data sources. Data is nil while Terraform validates.
type DataSource struct {
	TypeName string
	Data     *Data
}

// Metadata returns the type name.
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.TypeName
}

// Configure sets Data.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.Data = From(req.ProviderData)
}

// EphemeralResource is embedded by ephemeral resources. Data is nil while Terraform validates.
type EphemeralResource struct {
	TypeName string
	Data     *Data
}

// Metadata returns the type name.
func (e *EphemeralResource) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = e.TypeName
}

// Configure sets Data.
func (e *EphemeralResource) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	e.Data = From(req.ProviderData)
}

// Action is embedded by actions. Data is nil while Terraform validates.
type Action struct {
	TypeName string
	Data     *Data
}

// Metadata returns the type name.
func (a *Action) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = a.TypeName
}

// Configure sets Data.
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.Data = From(req.ProviderData)
}

// TextOrNull is null for "", which stands for what the service did not return or does not apply.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}
