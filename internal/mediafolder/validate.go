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
type pattern struct{}

func (pattern) Description(context.Context) string               { return "must be a pattern such as **/*.mp4" }
func (v pattern) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (pattern) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	given := req.ConfigValue.ValueString()
	if problem := globProblem(given); problem != "" && !req.ConfigValue.IsNull() && !req.ConfigValue.IsUnknown() {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid pattern", fmt.Sprintf("`%s` has %q, which %s", noun.Label(req.Path), given, problem))
	}
}

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
