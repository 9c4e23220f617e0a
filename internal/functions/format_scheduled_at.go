package functions

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

// formatScheduledAt converts an RFC 3339 time to scheduled_at of a session.
var formatScheduledAt = pure{
	name: "format_scheduled_at",
	definition: function.Definition{
		Summary: "Converts an RFC 3339 time to `scheduled_at`",
		MarkdownDescription: "Returns the local time `YYYY-MM-DD HH:MM` in a time zone at the given time. " +
			"Seconds are cut, because `scheduled_at` has none. It is an error if clocks show this local time twice because of a clock change.\n\n" +
			"A time made with `plantimestamp()` changes with every plan, and another `scheduled_at` means a new session: add `scheduled_at` to `ignore_changes` in the `lifecycle` block of such a session.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "timestamp", MarkdownDescription: "RFC 3339 time, such as `2040-06-30T18:45:00Z` or `2040-06-30T20:45:00+02:00`."},
			function.StringParameter{Name: "timezone", MarkdownDescription: "Time zone, as in `timezone` of a session: a name of the tz database, such as `Europe/Berlin`."},
		},
		Return: function.StringReturn{},
	},
	run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var timestamp, zone string
		if err := arguments.Get(ctx, &timestamp, &zone); err != nil {
			return nil, err
		}
		moment, err := time.Parse(time.RFC3339, timestamp)
		if err != nil {
			return nil, argumentError(0, `the argument is not an RFC 3339 time, such as "2040-06-30T18:45:00Z"`)
		}
		loc, err := parse.Zone(zone)
		if err != nil {
			return nil, argumentError(1, "the argument "+parse.ZoneRule)
		}
		local := moment.In(loc).Format(parse.LocalTimeLayout)
		wall, err := parse.LocalTime(local)
		if err != nil {
			return nil, argumentError(0, "the time has a year that `scheduled_at` cannot express")
		}
		if len(parse.Instants(wall, loc)) > 1 {
			return nil, argumentError(0, fmt.Sprintf("the time is %q in %s, which clocks show twice because of a clock change: choose another time, or the time zone \"UTC\"", local, zone))
		}
		return local, nil
	},
}
