package server

import (
	"cmp"
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// released is the form of the version of a release, which has a tag.
var released = regexp.MustCompile(`^\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$`)

// guides returns the address of the documentation of a version, which may end in "+" and a commit.
func guides(version string) string {
	ref := "main"
	version, _, _ = strings.Cut(version, "+")
	if released.MatchString(version) {
		ref = "v" + version
	}
	return "https://github.com/vodlive/terraform-provider-vodlive/blob/" + ref + "/docs/"
}

// headingLines are the headings of the guide, a line each, with their marks: `###` for the summary
// of a diagnostic, `####` for a cause, which is a part of the detail. `make docs` writes the file.
//
//go:embed headings.txt
var headingLines string

// heading is a heading of the guide. A placeholder in it stands for what differs from case to case.
type heading struct {
	text    string
	summary *regexp.Regexp // nil for a cause
	literal int            // characters outside of placeholders
}

var (
	placeholder = regexp.MustCompile(`\b(ACTION|COUNT|NAME|FILE|STATUS)\b`)
	noAnchor    = regexp.MustCompile(`[^a-z0-9_ -]`)
)

// headings are those of the guide: the causes first, then the summaries, the most specific first.
var headings = sync.OnceValue(func() (all []heading) {
	for line := range strings.Lines(headingLines) {
		marks, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		h := heading{text: text, literal: math.MaxInt}
		if marks != "####" {
			h.summary = regexp.MustCompile("^" + placeholder.ReplaceAllLiteralString(regexp.QuoteMeta(text), ".+") + "$")
			h.literal = len(placeholder.ReplaceAllLiteralString(text, ""))
		}
		all = append(all, h)
	}
	slices.SortStableFunc(all, func(a, b heading) int { return cmp.Compare(b.literal, a.literal) })
	return all
})

// Headings are the headings of the troubleshooting guide, with their placeholders.
func Headings() (all []string) {
	for _, h := range headings() {
		all = append(all, h.text)
	}
	return all
}

// Heading is the heading of the troubleshooting guide that explains the cause in the detail of a
// diagnostic, else its summary. It is "" if there is none.
func Heading(summary, detail string) string {
	i := slices.IndexFunc(headings(), func(h heading) bool {
		if h.summary == nil {
			return strings.Contains(detail, h.text)
		}
		return h.summary.MatchString(summary)
	})
	if i < 0 {
		return ""
	}
	return headings()[i].text
}

// guideTo ends the detail of an error: where the documentation explains it.
func (s *server) guideTo(req any, summary, detail string) string {
	text, page := Heading(summary, detail), pageOf(req)
	address := s.guides + "guides/troubleshooting.md"
	switch {
	case page != "" && (text == "" || slices.Contains(aboutValues, text)): // "": of a library, about a value, such as "Duplicate List Value"
		address = s.guides + page + "#schema"
	case text != "":
		address += "#" + strings.ReplaceAll(noAnchor.ReplaceAllLiteralString(strings.ToLower(text), ""), " ", "-")
	}
	return "\n\nMore about this error: " + address
}

// aboutValues are the headings of errors that the descriptions of the attributes explain.
var aboutValues = []string{"Invalid NAME", "NAME is missing", "NAME does not apply"}
