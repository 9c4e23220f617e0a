// Package region has the data source vodlive_regions: the regions in which the account may create
// live sessions (SERVICE.md, call 8). The data source and the checks of planned sessions share one
// request per run.
package region

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const typeName = "vodlive_regions"

// NewDataSource returns the data source vodlive_regions.
func NewDataSource() datasource.DataSource {
	return &dataSource{providerdata.DataSource{TypeName: typeName}}
}

type dataSource struct{ providerdata.DataSource }

type model struct {
	Names   []types.String `tfsdk:"names"`
	Regions []entry        `tfsdk:"regions"`
}

type entry struct {
	Name types.String `tfsdk:"name"`
	JSON types.String `tfsdk:"json"`
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the regions in which this account may create live sessions. The provider requests the list once per process " +
			"and also uses it to check `region` of `vodlive_live_session`.",
		Attributes: map[string]schema.Attribute{
			"names": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Names of the available regions, sorted. Use one of them as `region` of a session.",
			},
			"regions": schema.ListAttribute{
				Computed: true, ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{"name": types.StringType, "json": types.StringType}},
				MarkdownDescription: "All regions, sorted by name, including regions that are not available. Each has its `name`, and `json`: " +
					"the entry as the service sent it, a string or an object, for `jsondecode`.",
			},
		},
	}
}

func (d *dataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(d.Data.ReadLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	regions, err := d.Data.Regions(ctx)
	if err != nil {
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Listing the regions", err))
		return
	}
	sorted := slices.SortedFunc(slices.Values(regions), func(a, b api.Region) int { return cmp.Compare(a.Name, b.Name) })
	m := model{Names: []types.String{}, Regions: make([]entry, len(sorted))}
	for i, r := range sorted {
		if !r.Unavailable {
			m.Names = append(m.Names, types.StringValue(r.Name))
		}
		m.Regions[i] = entry{Name: types.StringValue(r.Name), JSON: types.StringValue(r.JSON)}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}
