package localtime_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/localtime"
)

// zones have clock changes of every kind: whole and half hours, across
// midnight, a whole day, in either half of the year, none.
var zones = []string{
	"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Beirut", "Africa/Casablanca",
	"America/Sao_Paulo", "Pacific/Chatham", "Asia/Kathmandu", "America/St_Johns", "UTC", "Asia/Pyongyang", "Europe/Dublin",
}

// TestInstants holds instants against its definition, minute by minute around a
// moment: an instant is one at which the clock shows the time.
func TestInstants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		anchor := time.Unix(rapid.Int64Range(0, 2_500_000_000).Draw(t, "moment"), 0).In(loc)
		if begin, end := anchor.ZoneBounds(); rapid.Bool().Draw(t, "near a change") {
			if !end.IsZero() {
				anchor = end
			} else if !begin.IsZero() {
				anchor = begin
			}
		}
		wall, err := localtime.Parse(anchor.Add(time.Duration(rapid.IntRange(-200, 200).Draw(t, "minutes")) * time.Minute).UTC().
			Add(offsetAt(anchor)).Format(localtime.Layout))
		if err != nil {
			t.Fatal(err)
		}
		var want []time.Time
		for m := -27 * 60; m <= 27*60; m++ {
			if u := wall.Add(time.Duration(m) * time.Minute).In(loc); u.Format(localtime.Layout) == wall.Format(localtime.Layout) {
				want = append(want, u)
			}
		}
		got := localtime.Instants(wall, loc)
		if len(got) != len(want) {
			t.Fatalf("%s in %s: got %v, want %v", wall.Format(localtime.Layout), loc, got, want)
		}
		for i := range got {
			if !got[i].Equal(want[i]) {
				t.Fatalf("%s in %s: got %v, want %v", wall.Format(localtime.Layout), loc, got, want)
			}
		}
		if len(got) > 0 {
			return
		}
		// The two times named instead exist, and no time between them does.
		before, after := localtime.Around(wall, loc)
		first, last := mustParse(t, before), mustParse(t, after)
		if !first.Before(wall) || !last.After(wall) || len(localtime.Instants(first, loc)) == 0 || len(localtime.Instants(last, loc)) == 0 {
			t.Fatalf("%s in %s: between %s and %s", wall.Format(localtime.Layout), loc, before, after)
		}
		for m := first.Add(time.Minute); m.Before(last); m = m.Add(time.Minute) {
			if len(localtime.Instants(m, loc)) > 0 {
				t.Fatalf("%s in %s exists, and is nearer than %s and %s", m.Format(localtime.Layout), loc, before, after)
			}
		}
	})
}

func offsetAt(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

func mustParse(t *rapid.T, value string) time.Time {
	parsed, err := localtime.Parse(value)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestZoneProblem(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Europe/Berlin":    "",
		"UTC":              "",
		"europe/berlin":    ` Write "Europe/Berlin".`,
		"america/new york": ` Write "America/New_York".`,
		"utc":              ` Write "UTC".`,
		"+02:00":           "An offset is not enough",
		"UTC+2":            "An offset is not enough",
		"Local":            `"Local" was given`,
		"":                 `"" was given`,
		"posix/UTC":        "must be a name of the tz database",
		"../etc/passwd":    "must be a name of the tz database",
	} {
		got := localtime.ZoneProblem(given)
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
