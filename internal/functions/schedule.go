package functions

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/vodlive/terraform-provider-vodlive/internal/localtime"
)

var timezoneParameter = function.StringParameter{
	Name:                "timezone",
	MarkdownDescription: "Time zone, as in `timezone` of a session: a name of the tz database, such as `Europe/Berlin`.",
}

// schedule converts an RFC 3339 time to scheduled_at of a session.
var schedule = pure{
	name: "schedule",
	definition: function.Definition{
		Summary: "Converts an RFC 3339 time to `scheduled_at`",
		MarkdownDescription: "Returns the local time `YYYY-MM-DD HH:MM` in a time zone at the given time. " +
			"It is an error if clocks show this local time twice because of a clock change, or if the time has seconds, which `scheduled_at` has not.",
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
			return nil, argumentError(0, fmt.Sprintf("%q is not an RFC 3339 time, such as \"2040-06-30T18:45:00Z\"%s.", timestamp, outOfRange))
		}
		if moment.Second() != 0 || moment.Nanosecond() != 0 {
			return nil, argumentError(0, fmt.Sprintf("%q has seconds; a session starts on a full minute, such as %q.",
				timestamp, moment.Truncate(time.Minute).Format(time.RFC3339)))
		}
		loc, err := localtime.Zone(zone)
		if err != nil {
			return nil, argumentError(1, localtime.ZoneProblem(zone))
		}
		local := moment.In(loc).Format(localtime.Layout)
		wall, err := localtime.Parse(local)
		if err != nil {
			return nil, argumentError(0, fmt.Sprintf("%q has a year that `scheduled_at` cannot express.", timestamp))
		}
		if all := localtime.Instants(wall, loc); len(all) > 1 {
			return nil, argumentError(0, fmt.Sprintf("%q is %q in %s, a time that clocks show twice because of a clock change (at %s and at %s): the service could take the other one. "+
				"Choose another time, or another time zone, such as \"UTC\".", timestamp, local, zone, all[0].UTC().Format(time.RFC3339), all[1].UTC().Format(time.RFC3339)))
		}
		return local, nil
	},
}

// scheduleUTC converts scheduled_at of a session to an RFC 3339 time.
var scheduleUTC = pure{
	name: "schedule_utc",
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
		wall, err := localtime.Parse(at)
		if err != nil {
			return nil, argumentError(0, err.Error()+"; a schedule looks like \"2040-06-30 20:45\".")
		}
		loc, err := localtime.Zone(zone)
		if err != nil {
			return nil, argumentError(1, localtime.ZoneProblem(zone))
		}
		switch all := localtime.Instants(wall, loc); len(all) {
		case 1:
			return all[0].UTC().Format(time.RFC3339), nil
		case 0:
			before, after := localtime.Around(wall, loc)
			return nil, argumentError(0, fmt.Sprintf("%q does not exist in %s: a clock change skips it. The nearest times are %q and %q.", at, zone, before, after))
		default:
			return nil, argumentError(0, fmt.Sprintf("clocks in %[2]s show %[1]q twice because of a clock change: at %[3]s and at %[4]s. Choose another time.",
				at, zone, all[0].UTC().Format(time.RFC3339), all[1].UTC().Format(time.RFC3339)))
		}
	},
}
