package livesession

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const regionsTypeName = "vodlive_regions"

// NewRegionsDataSource returns the data source vodlive_regions.
func NewRegionsDataSource() datasource.DataSource {
	return &regionsDataSource{providerdata.DataSource{TypeName: regionsTypeName}}
}

type regionsDataSource struct{ providerdata.DataSource }

type regionsModel struct {
	Names   []types.String `tfsdk:"names"`
	Regions []regionEntry  `tfsdk:"regions"`
}

type regionEntry struct {
	Name types.String `tfsdk:"name"`
	JSON types.String `tfsdk:"json"`
}

func (d *regionsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the regions in which this account may create live sessions. " +
			"The plan of a `vodlive_live_session` checks its `region` against them.",
		Attributes: map[string]schema.Attribute{
			"names": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Names of the available regions, sorted. Use one of them as `region` of a session.",
			},
			"regions": schema.ListAttribute{
				Computed: true, ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{"name": types.StringType, "json": types.StringType}},
				MarkdownDescription: "All regions, sorted by name. Each has its `name`, and `json`: " +
					"the entry as the service sent it, a string or an object, for `jsondecode`.",
			},
		},
	}
}

func (d *regionsDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(d.Data.ReadLive(regionsTypeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	regions, err := d.Data.API.Regions(ctx)
	if err != nil {
		resp.Diagnostics.Append(providerdata.ErrorDiagnostic("Listing the regions", err))
		return
	}
	sorted := slices.SortedFunc(slices.Values(regions), func(a, b api.Region) int { return cmp.Compare(a.Name, b.Name) })
	m := regionsModel{Names: []types.String{}, Regions: make([]regionEntry, len(sorted))}
	for i, r := range sorted {
		m.Names = append(m.Names, types.StringValue(r.Name))
		m.Regions[i] = regionEntry{Name: types.StringValue(r.Name), JSON: types.StringValue(r.JSON)}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// checkedRegions are the regions of the account, which the checks of all plans of the process share.
type checkedRegions struct {
	once  sync.Once
	names []string
	err   error
}

// regionProblem describes what is wrong with a region. It is "" for an allocated region.
func regionProblem(ctx context.Context, data *providerdata.Data, region string) (problem string, err error) {
	checked := providerdata.Shared[checkedRegions](data)
	checked.once.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, 15*time.Second) // it must not hold the plan
		defer cancel()
		var list []api.Region
		list, checked.err = data.API.Regions(ctx)
		for _, r := range list {
			checked.names = append(checked.names, r.Name)
		}
		slices.Sort(checked.names)
	})
	switch {
	case checked.err != nil:
		return "", checked.err
	case slices.Contains(checked.names, region):
		return "", nil
	case len(checked.names) == 0:
		return fmt.Sprintf("%q was given, but no region is allocated to this account.", region), nil
	}
	return fmt.Sprintf("%q was given; the regions allocated to this account are %s.", region, enumerate(checked.names, "and")), nil
}
