package parse

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Safe reports whether a string can be shown as it is: it has no control, format or bidirectional
// characters.
func Safe(s string) bool { return !strings.ContainsFunc(s, unsafe) }

// Escape replaces control, format and bidirectional characters, with which a text can clear a
// screen, begin another line, or change the order in which it is read, by escapes of JSON such as
// \u202e.
func Escape(s string) string { return EscapeBut(s, "") }

// EscapeBut is Escape, but leaves the characters in but as they are.
func EscapeBut(s, but string) string {
	if !strings.ContainsFunc(s, unsafe) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		switch {
		case !unsafe(c) || strings.ContainsRune(but, c):
			b.WriteRune(c)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}

// unsafe: the joiners are part of words and of emoji.
func unsafe(c rune) bool {
	const nonJoiner, joiner, lineSeparator, paragraphSeparator = '\u200c', '\u200d', '\u2028', '\u2029'
	return unicode.IsControl(c) || c == lineSeparator || c == paragraphSeparator ||
		unicode.Is(unicode.Cf, c) && c != nonJoiner && c != joiner
}
