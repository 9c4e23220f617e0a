package mediafolder

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/noun"
)

// pattern accepts what a glob can be made of.
var pattern = noun.StringRule{Kind: "pattern", Allowed: "must be a pattern such as **/*.mp4", Problem: func(given string) string {
	if problem := globProblem(given); problem != "" {
		return fmt.Sprintf("has %q, which %s", given, problem)
	}
	return ""
}}

// eachExtensionOnce refuses two keys of `content_types` for one extension: which one applies would
// be a matter of chance.
type eachExtensionOnce struct{}

func (eachExtensionOnce) Description(context.Context) string {
	return "must have one key for each extension"
}

func (v eachExtensionOnce) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v eachExtensionOnce) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	first := map[string]string{}
	for _, given := range slices.Sorted(maps.Keys(req.ConfigValue.Elements())) {
		extension := fileExtension(given)
		if other, twice := first[extension]; twice {
			resp.Diagnostics.AddAttributeError(req.Path, noun.InvalidValue,
				fmt.Sprintf("`%s` %s, and %q and %q are both the extension %q. Remove one of them.", req.Path, v.Description(ctx), other, given, extension))
			continue
		}
		first[extension] = given
	}
}
