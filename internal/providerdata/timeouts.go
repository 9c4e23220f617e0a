package providerdata

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Timeouts returns the attribute `timeouts` of a resource. Its validator, unlike the library's,
// names the attribute and rejects a duration of 0 or less, with which every operation
// would fail.
func Timeouts(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, opts).(schema.SingleNestedAttribute) //nolint:forcetypeassert // as documented
	attribute.MarkdownDescription = "Time limits for operations."
	for name, nested := range attribute.Attributes {
		limit := nested.(schema.StringAttribute) //nolint:forcetypeassert // a duration
		limit.Validators = []validator.String{positiveDuration}
		attribute.Attributes[name] = limit
	}
	return attribute
}

// WithLimit limits ctx to the duration of an operation in `timeouts`.
func WithLimit(ctx context.Context, limit time.Duration, operation string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("the time limit of %s (timeouts.%s) was reached", limit, operation))
}

var positiveDuration = Rule(`must be a duration longer than 0, such as "90s", "20m" or "1h30m"`, func(value string) (ok bool, hint string) {
	d, err := time.ParseDuration(value)
	switch {
	case err == nil:
		return d > 0, ""
	case plainDuration.MatchString(value):
		return false, " The longest is 2562047h."
	case days.MatchString(value):
		return false, " A day is 24h."
	}
	return false, ""
})

var (
	plainDuration = regexp.MustCompile(`^\d+(\.\d+)?[hms]$`)
	days          = regexp.MustCompile(`^\d+ ?d(ays?)?$`)
)
