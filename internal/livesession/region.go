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
		MarkdownDescription: "Lists the regions in which this account may create live sessions. The provider requests the list once per process " +
			"and also uses it to check `region` of `vodlive_live_session`.",
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
	regions, err := listRegions(ctx, ctx, d.Data)
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

// regions is the account's list of regions, which all resources of the process share.
type regions struct {
	made  sync.Once
	turn  chan struct{} // holds a value while a caller looks at the others or fills them
	known bool
	hasty bool // err is that of a request that had advisory only
	list  []api.Region
	err   error
}

// advisory is how long a check may take that ends as a warning if it cannot be made.
const advisory = 15 * time.Second

// listRegions lists the regions allocated to the account (SERVICE.md, call 8). It makes one request
// per process: it keeps an error, too, unless ctx caused it. limited is ctx, or limits it further.
func listRegions(ctx, limited context.Context, data *providerdata.Data) ([]api.Region, error) {
	r := providerdata.Shared[regions](data)
	r.made.Do(func() { r.turn = make(chan struct{}, 1) })
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-limited.Done():
		return nil, limited.Err()
	}
	if !r.known || r.hasty && limited == ctx {
		r.list, r.err = data.API.Regions(limited)
		r.known = r.err == nil || ctx.Err() == nil
		r.hasty = r.err != nil && limited != ctx
	}
	return r.list, r.err
}

// checkRegion describes what is wrong with a region. It is "" for an allocated region.
func (r *liveSession) checkRegion(ctx context.Context, region string) (problem string, err error) {
	limited, cancel := context.WithTimeout(ctx, advisory) // it must not hold the plan
	defer cancel()
	regions, err := listRegions(ctx, limited, r.Data)
	if err != nil {
		return "", err
	}
	var names []string
	for _, region := range regions {
		names = append(names, region.Name)
	}
	return regionProblem(region, names), nil
}

// regionProblem describes what is wrong with a region. It is "" for an allocated region.
func regionProblem(region string, allocated []string) string {
	if slices.Contains(allocated, region) {
		return ""
	}
	if len(allocated) == 0 {
		return fmt.Sprintf("%q was given, but no region is allocated to this account.", region)
	}
	names := slices.Sorted(slices.Values(allocated))
	problem := fmt.Sprintf("%q was given; the regions allocated to this account are %s.", region, enumerate(names, "and"))
	if near, respelled := providerdata.Nearest(region, names...); respelled {
		problem += fmt.Sprintf(" Did you mean %q?", near)
	}
	return problem
}
