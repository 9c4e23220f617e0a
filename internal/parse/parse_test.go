package parse_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

// zones have clock changes of every kind: whole and half hours, across midnight, a whole day, in
// either half of the year, none.
var zones = []string{
	"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Beirut", "Africa/Casablanca",
	"America/Sao_Paulo", "Pacific/Chatham", "Asia/Kathmandu", "America/St_Johns", "UTC", "Asia/Pyongyang", "Europe/Dublin",
}

// TestInstants holds Instants against its definition, minute by minute: an instant is one at which
// the clock shows the time. Of a time that is skipped, the two times around it exist, and none
// between them.
func TestInstants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loc, err := parse.Zone(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		anchor := time.Unix(rapid.Int64Range(0, 2_500_000_000).Draw(t, "moment"), 0).In(loc)
		if _, end := anchor.ZoneBounds(); rapid.Bool().Draw(t, "near a change") && !end.IsZero() {
			anchor = end
		}
		wall := clock(anchor.Add(time.Duration(rapid.IntRange(-200, 200).Draw(t, "minutes")) * time.Minute))
		var want []time.Time
		for m := -27 * 60; m <= 27*60; m++ {
			if u := wall.Add(time.Duration(m) * time.Minute).In(loc); clock(u).Equal(wall) {
				want = append(want, u)
			}
		}
		got := parse.Instants(wall, loc)
		if len(got) != len(want) {
			t.Fatalf("%s in %s: got %v, want %v", wall, loc, got, want)
		}
		for i := range got {
			if !got[i].Equal(want[i]) {
				t.Fatalf("%s in %s: got %v, want %v", wall, loc, got, want)
			}
		}
	})
}

// clock returns the local time that a clock shows.
func clock(t time.Time) time.Time {
	wall, _ := parse.LocalTime(t.Format(parse.LocalTimeLayout))
	return wall
}

func TestLocalTime(t *testing.T) {
	t.Parallel()
	for value, missing := range map[string]bool{
		"2031-02-29 20:00": true, "2031-01-01 24:00": true, "2031-1-1 20:00": false, "2031-01-01 9:00": false, "2031-01-01T20:00": false, "": false,
	} {
		if _, err := parse.LocalTime(value); err == nil || errors.Is(err, parse.ErrNoSuchTime) != missing {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestZoneProblem(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"Europe/Berlin": true, "UTC": true, "Asia/Calcutta": true, "": false, "Local": false, "+02:00": false, "../etc/passwd": false, "Mars/Olympus": false,
	} {
		if got := parse.ZoneProblem(name); (got == "") != valid {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestPortProblem(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"rtmp://host/app":           "",
		"rtmp://[::1]:1935/app":     "",
		"rtmps://rtmp://host/app":   "a second scheme",
		"rtmp://host:/app":          "without a port",
		"rtmp://a,b/app":            "a comma",
		"rtmp://host:1935:1935/app": "two ports",
		"rtmp://host:0/app":         "not between",
		"rtmp://host:65535/app":     "",
		"rtmp://host:65536/app":     "not between",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := parse.PortProblem(u); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func TestSameStreamURL(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"RTMP://Host:1935/App", "rtmp://host/App", "rtmp://HOST/App"} {
		if !parse.SameStreamURL("rtmp://host/App", other) {
			t.Errorf("%s is another URL", other)
		}
	}
	for _, other := range []string{"rtmps://host/App", "rtmp://host/app", "rtmp://host:1936/App"} {
		if parse.SameStreamURL("rtmp://host/App", other) {
			t.Errorf("%s is the same URL", other)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a"b\c`:                    `"a\"b\\c"`,
		"${file(\"/etc/passwd\")}": `"$${file(\"/etc/passwd\")}"`,
		"%{ if true }":             `"%%{ if true }"`,
		"a\n}\x1b\u202e":           `"a\u000a}\u001b\u202e"`,
		"Ünï 😀\u200d":              "\"Ünï 😀\u200d\"",
	} {
		if got := parse.HCL(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	for path, valid := range map[string]bool{"vod/input/c-1/u-2/a b.mp4": true, "promo.mp4": false, "vod/input//u/f": false, "vod/input/c/u/f/g": false} {
		if got, err := parse.SplitKeyPath(path); (err == nil) != valid || valid && got != (parse.KeyPath{CustomerID: "c-1", UploadID: "u-2", FileName: "a b.mp4"}) {
			t.Errorf("%q: %+v, %v", path, got, err)
		}
	}
	for etag, valid := range map[string]bool{`"abc-2"`: true, "": true, "a\nb": false, strings.Repeat("x", 1025): false} {
		if parse.ValidETag(etag) != valid {
			t.Errorf("%q: %t", etag, !valid)
		}
	}
}
