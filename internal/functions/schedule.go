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
	MarkdownDescription: "Name of the tz database, such as `Europe/Berlin`: what `timezone` of a session takes.",
}

// schedule makes the scheduled_at of a session from a moment.
type schedule struct{}

func (schedule) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "schedule"
}

func (schedule) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Makes `scheduled_at` from an RFC 3339 time",
		MarkdownDescription: "Returns the local time `YYYY-MM-DD HH:MM` that clocks in a time zone show at a moment. " +
			"A local time that a clock change brings twice would not name one moment, so it is an error, and so are seconds, which a schedule does not have.",
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
		resp.Error = argumentError(0, fmt.Sprintf("%q is a year that a schedule cannot hold.", timestamp))
		return
	}
	if all := localtime.Instants(wall, loc); len(all) > 1 {
		resp.Error = argumentError(0, fmt.Sprintf("%q is %q in %s, which a clock change brings twice (%s and %s): the service could take it for the other one. "+
			"Choose another time, or another zone, such as \"UTC\".", timestamp, local, zone, all[0].UTC().Format(time.RFC3339), all[1].UTC().Format(time.RFC3339)))
		return
	}
	resp.Error = resp.Result.Set(ctx, local)
}

// scheduleUTC finds the moment that a session's schedule names.
type scheduleUTC struct{}

func (scheduleUTC) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "schedule_utc"
}

func (scheduleUTC) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Finds the RFC 3339 time of a schedule",
		MarkdownDescription: "Returns the moment, in UTC, at which clocks in a time zone show a local time. " +
			"A local time that a clock change skips or brings twice is an error.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "scheduled_at", MarkdownDescription: "Local time `YYYY-MM-DD HH:MM`: what `scheduled_at` of a session takes."},
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
		resp.Error = argumentError(0, fmt.Sprintf("%q comes twice in %s, at %s and at %s, because of a clock change. Choose another time.",
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

// parseDetail says where a time could not be read.
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
