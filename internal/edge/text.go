package edge

import (
	"fmt"
	"strings"
	"unicode/utf8"

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
	// longestEscape is the length, in bytes, of the longest escape that redact writes: two of
	// \u0000.
	longestEscape = 12
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
// not within a character or an escape.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	note := fmt.Sprintf("\n\n(The provider cut this text, which has %d bytes.)", len(text))
	text = text[:limit-len(note)]
	if end := strings.LastIndexAny(text, " \n\t"); end > len(text)-longestWord {
		return strings.TrimRight(text[:end], " \n\t") + note
	}
	for range utf8.UTFMax - 1 {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size > 1 {
			break
		}
		text = text[:len(text)-1]
	}
	if start := strings.LastIndexAny(text, `\%&`); start >= len(text)-longestEscape {
		text = strings.TrimRight(text[:start], `\%&`)
	}
	return text + note
}
