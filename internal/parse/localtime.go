package parse

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// LocalTimeLayout is the layout of scheduled_at, for time.Format.
const LocalTimeLayout = "2006-01-02 15:04"

var localTime = regexp.MustCompile(`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$`)

// ErrNoSuchTime is the error of LocalTime for a day or hour that no calendar or clock has.
var ErrNoSuchTime = errors.New("this day or hour does not exist")

// LocalTime parses a local time. The result has the location UTC.
func LocalTime(value string) (time.Time, error) {
	if !localTime.MatchString(value) {
		return time.Time{}, fmt.Errorf("%q is not of the form YYYY-MM-DD HH:MM", value)
	}
	t, err := time.Parse(LocalTimeLayout, value)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q: %w", value, ErrNoSuchTime)
	}
	return t, nil
}

// ReadLocalTime reads a local time in LocalTimeLayout or in one like it.
func ReadLocalTime(value string) (wall time.Time, ok bool) {
	for _, layout := range []string{LocalTimeLayout, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006/01/02 15:04", "2006-1-2 15:04"} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// LocalTimeText returns a local time in LocalTimeLayout, or what is none as it is.
func LocalTimeText(value string) string {
	if wall, ok := ReadLocalTime(value); ok {
		return wall.Format(LocalTimeLayout)
	}
	return value
}

// Instants returns the instants, in order, at which a clock in loc shows the local time wall: none
// if a clock change skips it, two if it occurs twice.
func Instants(wall time.Time, loc *time.Location) []time.Time {
	near := inZone(wall, loc)
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

func inZone(wall time.Time, loc *time.Location) time.Time {
	return time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, loc)
}

// Around returns the last local time before and the first after the clock change that skips wall.
func Around(wall time.Time, loc *time.Location) (before, after string) {
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
	return change.Add(-time.Second).In(loc).Format(LocalTimeLayout), first.Format(LocalTimeLayout)
}
