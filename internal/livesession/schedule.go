package livesession

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// instants returns the moments at which a clock in loc shows the time that wall
// shows in UTC: none when a clock change skips it, two when a change brings it
// twice, in order.
func instants(wall time.Time, loc *time.Location) []time.Time {
	near := inZone(wall, loc)
	zones := []time.Time{near} // a moment of each zone that may have shown it
	begin, end := near.ZoneBounds()
	if !begin.IsZero() {
		zones = append(zones, begin.Add(-time.Second))
	}
	if !end.IsZero() {
		zones = append(zones, end)
	}
	var found []time.Time
	for _, t := range zones {
		_, seconds := t.In(loc).Zone()
		candidate := wall.Add(-time.Duration(seconds) * time.Second).In(loc)
		if sameClock(candidate, wall) && !slices.ContainsFunc(found, candidate.Equal) {
			found = append(found, candidate)
		}
	}
	slices.SortFunc(found, time.Time.Compare)
	return found
}

func inZone(wall time.Time, loc *time.Location) time.Time {
	return time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, loc)
}

func sameClock(t, wall time.Time) bool { return t.Format(layoutLocal) == wall.Format(layoutLocal) }

// around returns the last local time before and the first after the clock
// change that skips wall.
func around(wall time.Time, loc *time.Location) (before, after string) {
	near := inZone(wall, loc)
	begin, end := near.ZoneBounds()
	change := begin
	if begin.IsZero() || (!end.IsZero() && end.Sub(near).Abs() < near.Sub(begin).Abs()) {
		change = end
	}
	first := change.In(loc)
	if first.Second() != 0 {
		first = first.Add(time.Minute)
	}
	return change.Add(-time.Second).In(loc).Format(layoutLocal), first.Format(layoutLocal)
}

// realLocalTime holds scheduled_at against the clock changes of timezone.
type realLocalTime struct{}

func (realLocalTime) Description(context.Context) string {
	return "scheduled_at is a time that the clocks of timezone show, once"
}

func (v realLocalTime) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (realLocalTime) ValidateResource(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	zone, _ := text(ctx, req.Config, "timezone")
	at, _ := text(ctx, req.Config, "scheduled_at")
	if zone == nil || at == nil {
		return
	}
	resp.Diagnostics.Append(checkLocalTime(*at, *zone)...)
}

func checkLocalTime(at, zone string) (diags diag.Diagnostics) {
	loc, err := loadZone(zone)
	if err != nil {
		return nil // the attribute's own validator says so
	}
	wall, err := parseLocal(at)
	if err != nil {
		return nil
	}
	switch found := instants(wall, loc); len(found) {
	case 0:
		before, after := around(wall, loc)
		diags.AddAttributeError(path.Root("scheduled_at"), "scheduled_at does not exist",
			fmt.Sprintf("%q was given, but in %s a clock change skips this time. The nearest valid times are %q and %q.", at, zone, before, after))
	case 1:
	default:
		first, second := found[0], found[len(found)-1]
		diags.AddAttributeWarning(path.Root("scheduled_at"), "scheduled_at comes twice",
			fmt.Sprintf("In %s a clock change brings %q twice: at %s and again at %s. The service decides which of the two it means.",
				zone, at, first.UTC().Format(time.RFC3339), second.UTC().Format(time.RFC3339)))
	}
	return diags
}

// checkFuture refuses a start that has passed. It is for sessions about to be
// created: one that exists keeps the start it had.
func (m *session) checkFuture(now time.Time) (diags diag.Diagnostics) {
	if !m.IsScheduled.ValueBool() || m.Timezone.ValueString() == "" {
		return nil
	}
	loc, err := loadZone(m.Timezone.ValueString())
	if err != nil {
		return nil
	}
	wall, err := parseLocal(m.ScheduledAt.ValueString())
	if err != nil {
		return nil
	}
	found := instants(wall, loc)
	if len(found) == 0 || found[len(found)-1].After(now) {
		return nil
	}
	diags.AddAttributeError(path.Root("scheduled_at"), "scheduled_at is in the past",
		fmt.Sprintf("%q in %s was %s ago; it is now %q there. A session that is about to be created needs a start in the future.",
			m.ScheduledAt.ValueString(), m.Timezone.ValueString(), ago(now.Sub(found[len(found)-1])), now.In(loc).Format(layoutLocal)))
	return diags
}

// ago is a duration in the coarsest unit that says enough.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return "less than two minutes"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	default:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
}
