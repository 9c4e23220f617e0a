package providerdata

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Timeouts returns the attribute `timeouts` of a resource. Its validator, unlike that of the
// library, names the attribute and rejects a duration of 0 or less, with which every operation
// would fail.
func Timeouts(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	attribute, ok := timeouts.Attributes(ctx, opts).(schema.SingleNestedAttribute)
	if !ok {
		panic("timeouts.Attributes is not a nested attribute")
	}
	attribute.MarkdownDescription = "Time limits for operations."
	for name, nested := range attribute.Attributes {
		limit, ok := nested.(schema.StringAttribute)
		if !ok {
			panic(fmt.Sprintf("timeouts.%s is not a string", name))
		}
		limit.Validators = []validator.String{positiveDuration{}}
		attribute.Attributes[name] = limit
	}
	return attribute
}

// positiveDuration allows durations longer than 0.
type positiveDuration struct{}

func (positiveDuration) Description(context.Context) string {
	return `must be a duration longer than 0, such as "90s", "20m" or "1h30m"`
}

func (v positiveDuration) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v positiveDuration) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	given := req.ConfigValue.ValueString()
	if d, err := time.ParseDuration(given); err != nil || d <= 0 {
		resp.Diagnostics.AddAttributeError(req.Path, fmt.Sprintf("Invalid %s", req.Path),
			fmt.Sprintf("%q was given; it %s.", given, v.Description(ctx)))
	}
}
