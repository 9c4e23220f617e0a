package providerdata

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Timeouts returns the attribute `timeouts` of a resource. Its validator, unlike the library's,
// rejects a duration of 0 or less, with which every operation would fail.
func Timeouts(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, opts).(schema.SingleNestedAttribute) //nolint:forcetypeassert // as documented
	attribute.MarkdownDescription = "Time limits for operations."
	for name, nested := range attribute.Attributes {
		limit := nested.(schema.StringAttribute) //nolint:forcetypeassert // a duration
		limit.Validators = []validator.String{PositiveDuration}
		attribute.Attributes[name] = limit
	}
	return attribute
}

// WithLimit limits ctx to the duration of an operation in `timeouts`.
func WithLimit(ctx context.Context, limit time.Duration, operation string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("the time limit of %s (timeouts.%s) was reached", limit, operation))
}

// PositiveDuration allows durations longer than 0.
var PositiveDuration = Rule(`must be a duration longer than 0, such as "90s", "20m" or "24h"`, func(value string) (ok bool, hint string) {
	d, err := time.ParseDuration(value)
	return err == nil && d > 0, ""
})
