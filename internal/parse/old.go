package parse

import (
	"strings"
	"time"
)

// What follows serves the earlier sessions and uploads, and goes with them.

// Shell quotes a string as one word for a POSIX shell.
func Shell(s string) string {
	return "'" + strings.ReplaceAll(Escape(s), "'", `'\''`) + "'"
}

// CanonicalStreamURL is canonicalStreamURL.
func CanonicalStreamURL(given string) string { return canonicalStreamURL(given) }

// SameZone reports whether two names mean the same zone.
func SameZone(a, b string) bool { return strings.EqualFold(a, b) }

// ReadLocalTime reads a local time in LocalTimeLayout or in one like it.
func ReadLocalTime(value string) (wall time.Time, ok bool) {
	for _, layout := range []string{LocalTimeLayout, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
