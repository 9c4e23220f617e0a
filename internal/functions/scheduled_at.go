package functions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

var timezoneParameter = function.StringParameter{
	Name:                "timezone",
	MarkdownDescription: "Time zone, as in `timezone` of a session: a name of the tz database, such as `Europe/Berlin`.",
}

// formatScheduledAt converts an RFC 3339 time to scheduled_at of a session.
var formatScheduledAt = pure{
	name: "format_scheduled_at",
	definition: function.Definition{
		Summary: "Converts an RFC 3339 time to `scheduled_at`",
		MarkdownDescription: "Returns the local time `YYYY-MM-DD HH:MM` in a time zone at the given time. " +
			"Seconds are cut, because `scheduled_at` has none. It is an error if clocks show this local time twice because of a clock change.\n\n" +
			"A time made with `plantimestamp()` changes with every plan, and another `scheduled_at` means a new session: add `scheduled_at` to `ignore_changes` in the `lifecycle` block of such a session, and remove it from there for an apply that creates a new session after its start has passed.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "timestamp", MarkdownDescription: "RFC 3339 time, such as `2040-06-30T18:45:00Z` or `2040-06-30T20:45:00+02:00`."},
			timezoneParameter,
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
			outOfRange := err.(*time.ParseError).Message //nolint:errorlint,forcetypeassert // time.Parse returns it unwrapped
			return nil, argumentError(0, "the argument is not an RFC 3339 time, such as \"2040-06-30T18:45:00Z\""+outOfRange)
		}
		loc, err := parse.Zone(zone)
		if err != nil {
			return nil, zoneError(zone)
		}
		local := moment.In(loc).Format(parse.LocalTimeLayout)
		wall, err := parse.LocalTime(local)
		if err != nil {
			return nil, argumentError(0, "the time has a year that `scheduled_at` cannot express.")
		}
		if all := parse.Instants(wall, loc); len(all) > 1 {
			return nil, argumentError(0, fmt.Sprintf("the time is %q in %s, which clocks show twice because of a clock change (at %s and at %s): the service could take the other one. "+
				"Choose another time, or another time zone, such as \"UTC\".", local, zone, all[0].UTC().Format(time.RFC3339), all[1].UTC().Format(time.RFC3339)))
		}
		return local, nil
	},
}

// parseScheduledAt converts scheduled_at of a session to an RFC 3339 time.
var parseScheduledAt = pure{
	name: "parse_scheduled_at",
	definition: function.Definition{
		Summary: "Converts `scheduled_at` to an RFC 3339 time",
		MarkdownDescription: "Returns the time, in UTC, at which clocks in a time zone show a local time. " +
			"It is an error if a clock change skips this local time, or makes clocks show it twice.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "scheduled_at", MarkdownDescription: "Local time `YYYY-MM-DD HH:MM`, as in `scheduled_at` of a session."},
			timezoneParameter,
		},
		Return: function.StringReturn{},
	},
	run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var at, zone string
		if err := arguments.Get(ctx, &at, &zone); err != nil {
			return nil, err
		}
		wall, err := parse.LocalTime(at)
		if err != nil {
			problem := "the argument is not of the form YYYY-MM-DD HH:MM"
			if errors.Is(err, parse.ErrNoSuchTime) {
				problem = parse.ErrNoSuchTime.Error()
			}
			return nil, argumentError(0, problem+"; a schedule looks like \"2040-06-30 20:45\".")
		}
		loc, err := parse.Zone(zone)
		if err != nil {
			return nil, zoneError(zone)
		}
		switch all := parse.Instants(wall, loc); len(all) {
		case 1:
			if year := all[0].UTC().Year(); year < 0 || year > 9999 {
				return nil, argumentError(0, "the time has a year, in UTC, that RFC 3339 cannot express.")
			}
			return all[0].UTC().Format(time.RFC3339), nil
		case 0:
			before, after := parse.Around(wall, loc)
			return nil, argumentError(0, fmt.Sprintf("the time does not exist in %s: a clock change skips it. The nearest times are %q and %q.", zone, before, after))
		default:
			return nil, argumentError(0, fmt.Sprintf("clocks in %s show the time twice because of a clock change: at %s and at %s. Choose another time.",
				zone, all[0].UTC().Format(time.RFC3339), all[1].UTC().Format(time.RFC3339)))
		}
	},
}

// zoneError is the error of a second argument that is not a time zone.
func zoneError(zone string) *function.FuncError {
	return argumentError(1, "the argument "+strings.TrimPrefix(parse.ZoneProblem(zone), fmt.Sprintf("is %q; it ", zone)))
}
