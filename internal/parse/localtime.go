package parse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // for machines without the tz database
)

// LocalTimeLayout is the layout of scheduled_at, for time.Format.
const LocalTimeLayout = "2006-01-02 15:04"

// ErrNoSuchTime is the error of LocalTime for a day or hour that no calendar or clock has.
var ErrNoSuchTime = errors.New("this day or hour does not exist")

// LocalTime parses a local time. The result has the location UTC.
func LocalTime(value string) (time.Time, error) {
	t, err := time.Parse(LocalTimeLayout, value)
	switch {
	case err != nil && strings.HasSuffix(err.Error(), "out of range"):
		return time.Time{}, fmt.Errorf("%q: %w", value, ErrNoSuchTime)
	case err != nil || t.Format(LocalTimeLayout) != value:
		return time.Time{}, fmt.Errorf("%q is not of the form YYYY-MM-DD HH:MM", value)
	}
	return t, nil
}

// ZoneRule is what a name must be.
const ZoneRule = "must be a name of the tz database, such as \"Europe/Berlin\", \"America/New_York\" or \"UTC\""

// Zone loads a time zone of the tz database.
func Zone(name string) (*time.Location, error) {
	if name == "" || name == "Local" { // which depend on the machine
		return nil, fmt.Errorf("%q is not a time zone", name)
	}
	return time.LoadLocation(name)
}

// ZoneProblem says why a name is not a time zone. It is "" for a valid name.
func ZoneProblem(name string) string {
	if _, err := Zone(name); err != nil {
		return fmt.Sprintf("is %q; it %s.", name, ZoneRule)
	}
	return ""
}

// Instants returns the instants, in order, at which a clock in loc shows the local time wall: none
// if a clock change skips it, two if it occurs twice.
func Instants(wall time.Time, loc *time.Location) []time.Time {
	near := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, loc)
	begin, end := near.ZoneBounds() // a zero time is harmless: it only adds a candidate
	var found []time.Time
	// Compared to the second: before the first clock change, offsets have seconds.
	for _, t := range []time.Time{near, begin.Add(-time.Second), end} { // an instant of each UTC offset that may apply
		_, seconds := t.In(loc).Zone()
		candidate := wall.Add(-time.Duration(seconds) * time.Second).In(loc)
		if candidate.Format(time.DateTime) == wall.Format(time.DateTime) && !slices.ContainsFunc(found, candidate.Equal) {
			found = append(found, candidate)
		}
	}
	slices.SortFunc(found, time.Time.Compare)
	return found
}
