package region_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestRegions reads the list in either shape, sorted.
func TestRegions(t *testing.T) {
	t.Parallel()
	for shape, json := range map[string]string{"strings": `"a-1"`, "objects": `{"enabled":true,"region":"a-1"}`} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			server := acctest.Start(t, simulator.Options{Regions: []string{"c-3", "a-1", "b-2"}, RegionShape: shape})
			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: server.Factories(t),
				Steps: []resource.TestStep{{
					Config: `
data "vodlive_regions" "one" {}
data "vodlive_regions" "two" {}
output "names" { value = join(" ", data.vodlive_regions.one.names) }
output "sorted" { value = join(" ", data.vodlive_regions.two.regions[*].name) }
output "json" { value = data.vodlive_regions.two.regions[0].json }
`,
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckOutput("names", "a-1 b-2 c-3"),
						resource.TestCheckOutput("sorted", "a-1 b-2 c-3"),
						resource.TestCheckOutput("json", json),
					),
				}},
			})
		})
	}
}

// TestUnavailableRegions lists a region that cannot be used now, but not among the names for a session.
func TestUnavailableRegions(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	server.Fail(simulator.Fault{Call: simulator.CallRegions, Body: `{"data":[{"region":{"name":"b-2"},"available":true},{"region":{"name":"a-1"},"available":false}]}`})
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: server.Factories(t),
		Steps: []resource.TestStep{{
			Config: `
data "vodlive_regions" "all" {}
output "names" { value = join(" ", data.vodlive_regions.all.names) }
output "all" { value = join(" ", data.vodlive_regions.all.regions[*].name) }
output "json" { value = data.vodlive_regions.all.regions[0].json }
`,
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckOutput("names", "b-2"),
				resource.TestCheckOutput("all", "a-1 b-2"),
				resource.TestCheckOutput("json", `{"region":{"name":"a-1"},"available":false}`),
			),
		}},
	})
}

// TestOneCallServesARun asks for the list twice in one provider process.
func TestOneCallServesARun(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	cli.Config("data \"vodlive_regions\" \"one\" {}\ndata \"vodlive_regions\" \"two\" {}\n")
	cli.Must("plan")
	server.AssertCalls(t, simulator.CallRegions, 1)
}

func TestRegionsNeedTheLiveHalf(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	cli.Setenv("VODLIVE_BASE_URL", "")
	cli.Config("data \"vodlive_regions\" \"one\" {}\n")
	r := cli.Run("plan")
	if r.Code != 1 || !strings.Contains(r.Flat(), "`base_url` (or VODLIVE_BASE_URL, which is set but empty) is needed by vodlive_regions") {
		t.Errorf("exit code %d\n%s", r.Code, r.Output)
	}
	server.AssertCalls(t, simulator.CallRegions, 0)
}
