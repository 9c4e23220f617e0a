package mediafolder

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/keypath"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// pattern accepts what walk can match.
type pattern struct{}

func (pattern) Description(context.Context) string               { return "must be a pattern such as **/*.mp4" }
func (v pattern) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v pattern) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	given := req.ConfigValue.ValueString()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || given != "" && doublestar.ValidatePattern(given) {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid pattern", fmt.Sprintf("`%s` is %q, which %s.", req.Path, given, v.Description(ctx)))
}

const keyPathRule = "must be a key path, " + keypath.Form

var storedKeyPath = providerdata.StringRule{Kind: "key path", Allowed: keyPathRule, Problem: func(given string) string {
	if _, err := keypath.Parse(given); err == nil {
		return ""
	}
	return fmt.Sprintf("is %q, which %s.", given, keyPathRule)
}}

// eachExtensionOnce refuses two keys of `content_types` for one extension: which one applies would be a
// matter of chance.
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
			resp.Diagnostics.AddAttributeError(req.Path, "Invalid content_types",
				fmt.Sprintf("`%s` %s, and %q and %q are both the extension %q. Remove one of them.", req.Path, v.Description(ctx), other, given, extension))
			continue
		}
		first[extension] = given
	}
}
