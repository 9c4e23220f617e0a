package livesession_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

type attrs = acctest.Attrs

func read(t *testing.T, w *acctest.World) attrs {
	t.Helper()
	regions, diags := w.Provider(nil).DataSource("vodlive_regions", nil)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return regions
}

// column is one attribute of all regions.
func column(regions attrs, name string) (values []any) {
	for _, r := range regions["regions"].([]any) {
		values = append(values, r.(attrs)[name])
	}
	return values
}

// TestRegions reads the list in either shape, sorted.
func TestRegions(t *testing.T) {
	t.Parallel()
	for shape, json := range map[string]string{"strings": `"a-1"`, "objects": `{"enabled":true,"region":"a-1"}`} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			regions := read(t, acctest.NewWorld(t, simulator.Options{Regions: []string{"c-3", "a-1", "b-2"}, RegionShape: shape}))
			sorted := []any{"a-1", "b-2", "c-3"}
			if names := regions["names"].([]any); !slices.Equal(names, sorted) {
				t.Errorf("names are %v", names)
			}
			if names := column(regions, "name"); !slices.Equal(names, sorted) {
				t.Errorf("the regions are %v", names)
			}
			if got := column(regions, "json")[0]; got != json {
				t.Errorf("the first is %s, want %s", got, json)
			}
		})
	}
}

// TestOneCallServesARun asks for the list twice in one provider process.
func TestOneCallServesARun(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(nil)
	for range 2 {
		if _, diags := p.DataSource("vodlive_regions", nil); len(diags) > 0 {
			t.Fatal(diags)
		}
	}
	w.AssertCalls(t, simulator.CallRegions, 1)
}

func TestRegionsNeedTheLiveHalf(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	w.Env["VODLIVE_BASE_URL"] = ""
	_, diags := w.Provider(nil).DataSource("vodlive_regions", nil)
	if !diags.Failed() || !strings.Contains(diags.String(), "`base_url` (or VODLIVE_BASE_URL, which is set but empty) is needed by vodlive_regions") {
		t.Error(diags)
	}
	w.AssertCalls(t, simulator.CallRegions, 0)
}
