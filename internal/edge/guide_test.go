package edge

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSummariesLinkToTheirHeading of the pages of a release. What the guide does not explain is
// about a value, as the errors of libraries are.
func TestSummariesLinkToTheirHeading(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guides/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{guides: guides("1.2.3+0123abc")}
	const base = "\n\nMore about this error: https://github.com/vodlive/terraform-provider-vodlive/blob/v1.2.3/docs/"
	explained := 0
	for _, match := range regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(string(page), -1) {
		explained++
		slug := strings.ReplaceAll(strings.ToLower(strings.NewReplacer(",", "", "'", "").Replace(match[1])), " ", "-")
		if got := s.guideTo("resources/live_session.md#schema", match[1]); got != base+"guides/troubleshooting.md#"+slug {
			t.Errorf("%s: %s", match[1], got)
		}
	}
	if explained < 60 {
		t.Errorf("the guide explains %d diagnostics", explained)
	}
	for _, summary := range []string{"Invalid value", "Duplicate List Value", "Null List Value", "Missing Attribute Configuration"} {
		if got := s.guideTo("resources/live_session.md#schema", summary); got != base+"resources/live_session.md#schema" {
			t.Errorf("%s: %s", summary, got)
		}
	}
}
