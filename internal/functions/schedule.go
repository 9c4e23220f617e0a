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
type schedule struct{}

func (schedule) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "schedule"
}

func (schedule) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Converts an RFC 3339 time to `scheduled_at`",
		MarkdownDescription: "Returns the local time `YYYY-MM-DD HH:MM` in a time zone at the given time. " +
			"It is an error if clocks show this local time twice because of a clock change, or if the time has seconds, which `scheduled_at` has not.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "timestamp", MarkdownDescription: "RFC 3339 time, such as `2040-06-30T18:45:00Z` or `2040-06-30T20:45:00+02:00`."},
			timezoneParameter,
		},
		Return: function.StringReturn{},
	}
}

func (schedule) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var timestamp, zone string
	if resp.Error = req.Arguments.Get(ctx, &timestamp, &zone); resp.Error != nil {
		return
	}
	moment, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		resp.Error = argumentError(0, fmt.Sprintf("%q is not an RFC 3339 time, such as \"2040-06-30T18:45:00Z\"%s.", timestamp, parseDetail(err)))
		return
	}
	if moment.Second() != 0 || moment.Nanosecond() != 0 {
		resp.Error = argumentError(0, fmt.Sprintf("%q has seconds; a session starts on a full minute, such as %q.",
			timestamp, moment.Truncate(time.Minute).Format(time.RFC3339)))
		return
	}
	loc, problem := zoneArgument(zone)
	if problem != nil {
		resp.Error = problem
		return
	}
	local := moment.In(loc).Format(localtime.Layout)
	wall, err := localtime.Parse(local)
	if err != nil {
		resp.Error = argumentError(0, fmt.Sprintf("%q has a year that `scheduled_at` cannot express.", timestamp))
		return
	}
	if all := localtime.Instants(wall, loc); len(all) > 1 {
		resp.Error = argumentError(0, fmt.Sprintf("%q is %q in %s, a time that clocks show twice because of a clock change (at %s and at %s): the service could take the other one. "+
			"Choose another time, or another time zone, such as \"UTC\".", timestamp, local, zone, all[0].UTC().Format(time.RFC3339), all[1].UTC().Format(time.RFC3339)))
		return
	}
	resp.Error = resp.Result.Set(ctx, local)
}

// scheduleUTC converts scheduled_at of a session to an RFC 3339 time.
type scheduleUTC struct{}

func (scheduleUTC) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "schedule_utc"
}

func (scheduleUTC) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Converts `scheduled_at` to an RFC 3339 time",
		MarkdownDescription: "Returns the time, in UTC, at which clocks in a time zone show a local time. " +
			"It is an error if a clock change skips this local time, or makes clocks show it twice.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "scheduled_at", MarkdownDescription: "Local time `YYYY-MM-DD HH:MM`, as in `scheduled_at` of a session."},
			timezoneParameter,
		},
		Return: function.StringReturn{},
	}
}

func (scheduleUTC) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var at, zone string
	if resp.Error = req.Arguments.Get(ctx, &at, &zone); resp.Error != nil {
		return
	}
	wall, err := localtime.Parse(at)
	if err != nil {
		resp.Error = argumentError(0, err.Error()+"; a schedule looks like \"2040-06-30 20:45\".")
		return
	}
	loc, problem := zoneArgument(zone)
	if problem != nil {
		resp.Error = problem
		return
	}
	switch all := localtime.Instants(wall, loc); len(all) {
	case 1:
		resp.Error = resp.Result.Set(ctx, all[0].UTC().Format(time.RFC3339))
	case 0:
		before, after := localtime.Around(wall, loc)
		resp.Error = argumentError(0, fmt.Sprintf("%q does not exist in %s: a clock change skips it. The nearest times are %q and %q.", at, zone, before, after))
	default:
		resp.Error = argumentError(0, fmt.Sprintf("clocks in %[2]s show %[1]q twice because of a clock change: at %[3]s and at %[4]s. Choose another time.",
			at, zone, all[0].UTC().Format(time.RFC3339), all[1].UTC().Format(time.RFC3339)))
	}
}

func zoneArgument(name string) (*time.Location, *function.FuncError) {
	loc, err := localtime.Zone(name)
	if err != nil {
		return nil, argumentError(1, localtime.ZoneProblem(name))
	}
	return loc, nil
}

// parseDetail says where the time is invalid.
func parseDetail(err error) string {
	e, ok := err.(*time.ParseError) //nolint:errorlint // time.Parse returns it unwrapped
	switch {
	case !ok:
		return ""
	case e.Message != "":
		return e.Message // ": day out of range"
	case e.ValueElem == "":
		return fmt.Sprintf(": it ends where %q was expected", e.LayoutElem)
	}
	return fmt.Sprintf(": at character %d, %q was found", len(e.Value)-len(e.ValueElem)+1, e.ValueElem)
}
