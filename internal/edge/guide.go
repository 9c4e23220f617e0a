package edge

import (
	_ "embed"
	"regexp"
	"strings"
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

// headingLines are the headings of the troubleshooting guide, a line each: the summaries of
// diagnostics. `make docs` writes the file.
//
//go:embed headings.txt
var headingLines string

var noAnchor = regexp.MustCompile(`[^a-z0-9_ -]`)

// guideTo ends the detail of an error: where the documentation explains its summary. Without a
// heading for it, the error is about a value, such as "Duplicate List Value" of a library, and the
// page of the object explains it.
func (s *server) guideTo(page, summary string) string {
	if strings.Contains("\n"+headingLines, "\n"+summary+"\n") {
		page = "guides/troubleshooting.md#" + strings.ReplaceAll(noAnchor.ReplaceAllLiteralString(strings.ToLower(summary), ""), " ", "-")
	}
	return "\n\nMore about this error: " + s.guides + page
}
