package providerdata

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
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
	r.Data = From(req.ProviderData, &resp.Diagnostics)
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
	d.Data = From(req.ProviderData, &resp.Diagnostics)
}

// TextOrNull is null for "", which stands for what the service did not return or does not apply.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}
