package parse_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
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
		loc, err := parse.Zone(rapid.SampledFrom(zones).Draw(t, "zone"))
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
		wall, err := parse.LocalTime(anchor.Add(time.Duration(rapid.IntRange(-200, 200).Draw(t, "minutes")) * time.Minute).UTC().
			Add(offsetAt(anchor)).Format(parse.LocalTimeLayout))
		if err != nil {
			t.Fatal(err)
		}
		var want []time.Time
		for m := -27 * 60; m <= 27*60; m++ {
			if u := wall.Add(time.Duration(m) * time.Minute).In(loc); u.Format(parse.LocalTimeLayout) == wall.Format(parse.LocalTimeLayout) {
				want = append(want, u)
			}
		}
		got := parse.Instants(wall, loc)
		if len(got) != len(want) {
			t.Fatalf("%s in %s: got %v, want %v", wall.Format(parse.LocalTimeLayout), loc, got, want)
		}
		for i := range got {
			if !got[i].Equal(want[i]) {
				t.Fatalf("%s in %s: got %v, want %v", wall.Format(parse.LocalTimeLayout), loc, got, want)
			}
		}
		if len(got) > 0 {
			return
		}
		// The two times named instead exist, and no time between them does.
		before, after := parse.Around(wall, loc)
		first, last := mustParse(t, before), mustParse(t, after)
		if !first.Before(wall) || !last.After(wall) || len(parse.Instants(first, loc)) == 0 || len(parse.Instants(last, loc)) == 0 {
			t.Fatalf("%s in %s: between %s and %s", wall.Format(parse.LocalTimeLayout), loc, before, after)
		}
		for m := first.Add(time.Minute); m.Before(last); m = m.Add(time.Minute) {
			if len(parse.Instants(m, loc)) > 0 {
				t.Fatalf("%s in %s exists, and is nearer than %s and %s", m.Format(parse.LocalTimeLayout), loc, before, after)
			}
		}
	})
}

func offsetAt(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

func mustParse(t *rapid.T, value string) time.Time {
	parsed, err := parse.LocalTime(value)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestZoneProblem(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Europe/Berlin":          "",
		"UTC":                    "",
		"europe/berlin":          ` Write "Europe/Berlin".`,
		"america/new york":       ` Write "America/New_York".`,
		"EUROPE/BERLIN":          ` Write "Europe/Berlin".`,
		"africa/dar_es_salaam":   ` Write "Africa/Dar_es_Salaam".`,
		"america/port-au-prince": ` Write "America/Port-au-Prince".`,
		" Europe/Berlin ":        ` Write "Europe/Berlin".`,
		"utc":                    ` Write "UTC".`,
		"+02:00":                 "An offset is not enough",
		"UTC+2":                  "An offset is not enough",
		"Local":                  `is "Local"`,
		"":                       `is ""`,
		"localtime":              `is "localtime"`,
		"Factory":                `is "Factory"`,
		"posix/UTC":              "must be a name of the tz database",
		"../etc/passwd":          "must be a name of the tz database",
	} {
		got := parse.ZoneProblem(given)
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// fiveHoursBehind is a file of the tz database (RFC 9636, version 1): no clock changes, always five
// hours behind UTC.
var fiveHoursBehind = []byte("TZif" + strings.Repeat("\x00", 16) +
	"\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x01" + "\x00\x00\x00\x04" +
	"\xff\xff\xb9\xb0" + "\x00" + "\x00" + "EST\x00")

// TestZoneIgnoresTheMachine gives this process a tz database in which Europe/Berlin is five hours
// behind UTC.
func TestZoneIgnoresTheMachine(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"Europe/Berlin", "Mars/Olympus", "europe/berlin"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, fiveHoursBehind, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("ZONEINFO", dir)

	berlin, err := parse.Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if _, seconds := time.Date(2031, 1, 15, 12, 0, 0, 0, time.UTC).In(berlin).Zone(); seconds != 3600 {
		t.Errorf("Europe/Berlin is %d s ahead of UTC in winter, want 3600: the database of the machine was used", seconds)
	}
	if _, err := parse.Zone("Mars/Olympus"); err == nil {
		t.Error("a zone that only the machine has is accepted")
	}
	if got := parse.ZoneProblem("europe/berlin"); !strings.Contains(got, `Write "Europe/Berlin".`) {
		t.Errorf("europe/berlin: %q", got)
	}
}

func TestSameZone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"Asia/Kolkata", "Asia/Calcutta", true},
		{"UTC", "Etc/UTC", true},
		{"europe/berlin", "Europe/Berlin", true},
		{"asia/calcutta", "Asia/Kolkata", true},
		{"Europe/Berlin", "Europe/Paris", false},
		{"Europe/Berlin", "America/New_York", false},
		{"Mars/Olympus", "Mars/Olympus", true},
		{"Mars/Olympus", "Mars/Elysium", false},
		{"", "UTC", false},
	} {
		if got := parse.SameZone(tt.a, tt.b); got != tt.same {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.same)
		}
	}
}

// TestNoonInEveryZone: no zone changes its clocks at noon in this year, so each noon is there once,
// also in zones without a clock change before or after.
func TestNoonInEveryZone(t *testing.T) {
	t.Parallel()
	z, err := zip.OpenReader("zoneinfo.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	zones := 0
	for _, f := range z.File {
		loc, err := parse.Zone(f.Name)
		if err != nil {
			continue
		}
		zones++
		for month := range 12 {
			wall := time.Date(2027, time.Month(month+1), 15, 12, 0, 0, 0, time.UTC)
			if got := parse.Instants(wall, loc); len(got) != 1 {
				t.Errorf("%s %s: %v", f.Name, wall.Format(parse.LocalTimeLayout), got)
				break
			}
		}
	}
	if zones < 500 {
		t.Errorf("only %d zones were tried", zones)
	}
}
