package provider

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// troubleshooting is the address of the guide that explains every error.
const troubleshooting = "https://github.com/vodlive/terraform-provider-vodlive/blob/main/docs/guides/troubleshooting.md"

// headingLines are the headings of the guide, a line each. `make docs` writes the file.
//
//go:embed headings.txt
var headingLines string

// heading is a heading of the guide. A placeholder in it stands for what differs from case to case.
type heading struct {
	matches *regexp.Regexp
	literal int // characters outside of placeholders
	anchor  string
}

var (
	placeholder = regexp.MustCompile(`\b(ACTION|COUNT|NAME|FILE|STATUS)\b`)
	noAnchor    = regexp.MustCompile(`[^a-z0-9_ -]`)
)

// headings are those of the guide, the most specific first.
var headings = sync.OnceValue(func() (all []heading) {
	for line := range strings.Lines(headingLines) {
		line = strings.TrimSpace(line)
		all = append(all, heading{
			matches: regexp.MustCompile("^" + placeholder.ReplaceAllLiteralString(regexp.QuoteMeta(line), ".+") + "$"),
			literal: len(placeholder.ReplaceAllLiteralString(line, "")),
			anchor:  strings.ReplaceAll(noAnchor.ReplaceAllLiteralString(strings.ToLower(line), ""), " ", "-"),
		})
	}
	slices.SortStableFunc(all, func(a, b heading) int { return cmp.Compare(b.literal, a.literal) })
	return all
})

// guideTo ends the detail of an error: where the guide explains it.
func guideTo(summary string) string {
	i := slices.IndexFunc(headings(), func(h heading) bool { return h.matches.MatchString(summary) })
	if i < 0 {
		return ""
	}
	return "\n\nMore about this error: " + troubleshooting + "#" + headings()[i].anchor
}
