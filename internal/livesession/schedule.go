package livesession

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/vodlive/terraform-provider-vodlive/internal/forms"
)

// checkLocalTime checks that scheduled_at exists in timezone, and warns if it exists twice.
func checkLocalTime(at, zone string) (diags diag.Diagnostics) {
	loc, zoneErr := forms.Zone(zone)
	wall, err := forms.ParseLocalTime(at)
	if zoneErr != nil || err != nil {
		return nil // unknown, not set, or reported by the validator of the attribute
	}
	switch found := forms.Instants(wall, loc); len(found) {
	case 0:
		before, after := forms.Around(wall, loc)
		diags.AddAttributeError(path.Root("scheduled_at"), "scheduled_at does not exist",
			fmt.Sprintf("%q was given, but in %s a clock change skips this time. The nearest valid times are %q and %q.", at, zone, before, after))
	case 1:
	default:
		first, second := found[0], found[len(found)-1]
		diags.AddAttributeWarning(path.Root("scheduled_at"), "scheduled_at is ambiguous",
			fmt.Sprintf("In %s clocks show %q twice because of a clock change: at %s and at %s. The service decides which of the two applies.",
				zone, at, first.UTC().Format(time.RFC3339), second.UTC().Format(time.RFC3339)))
	}
	return diags
}

// checkFuture rejects a start in the past. It applies to new sessions only: an existing session
// keeps its start.
func (m values) checkFuture(now time.Time) (diags diag.Diagnostics) {
	loc, zoneErr := forms.Zone(m.text("timezone"))
	wall, err := forms.ParseLocalTime(m.text("scheduled_at"))
	if !m.flag("is_scheduled").ValueBool() || zoneErr != nil || err != nil {
		return nil
	}
	found := forms.Instants(wall, loc)
	if len(found) == 0 || found[len(found)-1].After(now) {
		return nil
	}
	diags.AddAttributeError(path.Root("scheduled_at"), "scheduled_at is in the past",
		fmt.Sprintf("`scheduled_at` is %q; in %s it is now %q. A new session needs a start in the future.",
			m.text("scheduled_at"), m.text("timezone"), now.In(loc).Format(forms.LocalTimeLayout)))
	return diags
}
