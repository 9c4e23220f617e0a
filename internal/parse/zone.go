package parse

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
)

// The tz database of the Go distribution. time.LoadLocation would prefer the database of the
// machine, so results could differ between machines.
//
//go:generate sh -c "cp \"$(go env GOROOT)/lib/time/zoneinfo.zip\" . && chmod 644 zoneinfo.zip"
//go:embed zoneinfo.zip
var archive []byte

// database maps the lower-case name of each zone to its file.
var database = sync.OnceValue(func() map[string]*zip.File {
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic("forms: the embedded tz database cannot be read: " + err.Error())
	}
	files := make(map[string]*zip.File, len(reader.File))
	for _, file := range reader.File {
		// The zone Factory means "not configured".
		if !strings.HasSuffix(file.Name, "/") && file.Name != "Factory" {
			files[strings.ToLower(file.Name)] = file
		}
	}
	return files
})

// Zone loads a time zone by its exact name in the embedded database.
func Zone(name string) (*time.Location, error) {
	file := database()[strings.ToLower(name)]
	if file == nil || file.Name != name {
		return nil, fmt.Errorf("%q is not a time zone", name)
	}
	data, err := contents(file)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(name, data)
}

// ZoneName returns the name of a time zone as the database writes it, or what is none as it is.
func ZoneName(name string) string {
	if file := database()[strings.ToLower(name)]; file != nil {
		return file.Name
	}
	return name
}

// SameZone reports whether two names mean the same zone: they are equal, differ in letter case
// only, or are aliases, such as Asia/Calcutta and Asia/Kolkata.
func SameZone(a, b string) bool {
	if a == b {
		return true
	}
	first, second := database()[strings.ToLower(a)], database()[strings.ToLower(b)]
	if first == nil || second == nil || first.CRC32 != second.CRC32 {
		return false
	}
	one, err := contents(first)
	other, otherErr := contents(second)
	return err == nil && otherErr == nil && bytes.Equal(one, other)
}

func contents(file *zip.File) ([]byte, error) {
	r, err := file.Open()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

var offset = regexp.MustCompile(`^(?i:utc|gmt)?[+-]\d{1,2}(:?\d{2})?$`)

// ZoneRule is what a name must be.
const ZoneRule = "must be a name of the tz database, such as \"Europe/Berlin\", \"America/New_York\" or \"UTC\""

// ZoneProblem says why a name is not a time zone and, if possible, what to write instead. It is ""
// for a valid name.
func ZoneProblem(name string) string {
	if _, err := Zone(name); err == nil {
		return ""
	}
	problem := fmt.Sprintf("is %q; it %s.", name, ZoneRule)
	meant := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(name), " ", "_"))
	if offset.MatchString(meant) {
		problem += " An offset is not enough: it does not say when clocks change."
	}
	if file := database()[meant]; file != nil {
		problem += fmt.Sprintf(" Write %q.", file.Name)
	}
	return problem
}
