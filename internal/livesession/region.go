package livesession

import (
	"context"
	"fmt"
	"slices"
)

// checkRegion describes what is wrong with a region. It is "" for an allocated region.
func (r *liveSession) checkRegion(ctx context.Context, region string) (problem string, err error) {
	regions, err := r.Data.Regions(ctx)
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
	near := alike(region, names)
	for edits := 1; near == "" && edits <= min(2, len(region)/3); edits++ {
		if i := slices.IndexFunc(names, func(name string) bool { return within(region, name, edits) }); i >= 0 {
			near = names[i]
		}
	}
	if near != "" {
		problem += fmt.Sprintf(" Did you mean %q?", near)
	}
	return problem
}

// within reports whether at most so many edits make b of a. An edit adds, removes or replaces a byte.
func within(a, b string, edits int) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if a == "" || b == "" || edits == 0 {
		return len(a)+len(b) <= edits
	}
	return within(a[1:], b, edits-1) || within(a, b[1:], edits-1) || within(a[1:], b[1:], edits-1)
}
