package livesession

import (
	"context"
	"fmt"
	"slices"
)

// checkRegion describes what is wrong with a region. It is "" for an allocated region.
func (r *liveSession) checkRegion(ctx context.Context, region string) (problem string, err error) {
	regions, err := r.Data.RegionsSoon(ctx)
	if err != nil {
		return "", err
	}
	var names []string
	for _, region := range regions {
		if !region.Unavailable {
			names = append(names, region.Name)
		}
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
	if near := alike(region, names); near != "" {
		problem += fmt.Sprintf(" Did you mean %q?", near)
	}
	return problem
}
