package edge

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const (
	// textLimit is the length, in bytes, of the longest text that the provider shows. A terminal
	// shows about as much, and what the service or a state says may be megabytes.
	textLimit    = 16 << 10
	summaryLimit = 1 << 10
	// longestWord, in bytes, is how far back a text is cut to keep its last word whole.
	longestWord = 1 << 10
)

// finish masks and shortens the diagnostics of a request, and adds to errors where the
// documentation explains them.
func (s *server) finish(of object, diagnostics []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		guide := ""
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			guide = s.guideTo(of.page, d.Summary) // before a word of it is masked
		}
		d.Attribute = located(d.Attribute)
		d.Summary = s.text(d.Summary, summaryLimit)
		d.Detail = strings.TrimRight(s.text(d.Detail, textLimit-len(d.Summary)-len(guide)), "\n") + guide
	}
}

// located is the part of a path for which Terraform shows the line in the configuration: not one
// below an object. The texts have the whole path.
func located(path *tftypes.AttributePath) *tftypes.AttributePath {
	for i, step := range path.Steps() {
		if _, below := step.(tftypes.AttributeName); below && i > 0 {
			return tftypes.NewAttributePathWithSteps(path.Steps()[:i])
		}
	}
	return path
}

// text masks and escapes a text before it is cut: half of a secret would not be recognised.
func (s *server) text(text string, limit int) string {
	return shorten(s.config.Redactor.Lines(text), limit)
}

// shorten cuts what is longer than limit bytes, and says so. It cuts between words, else at least
// not within a character.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	note := fmt.Sprintf("\n\n(The provider cut this text, which has %d bytes.)", len(text))
	text = text[:limit-len(note)]
	if end := strings.LastIndexAny(text, " \n\t"); end > len(text)-longestWord {
		return strings.TrimRight(text[:end], " \n\t") + note
	}
	text = strings.ToValidUTF8(text, "")
	return text + note
}
