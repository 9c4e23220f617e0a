// Package parse reads and writes texts: key paths, ETags, the URLs of streams, the local times of
// scheduled sessions, and strings that are shown on a terminal or pasted into a configuration.
package parse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// KeyPathForm is the form of a key path, for texts.
const KeyPathForm = "vod/input/<customer id>/<upload id>/<file name>"

// KeyPathOverhead is the length, in bytes, of the shortest key path without its file name: a
// customer id of one character, and a UUID.
const KeyPathOverhead = len("vod/input/c//") + len("00000000-0000-0000-0000-000000000000")

// KeyPath is what a key path tells of its file.
type KeyPath struct{ CustomerID, UploadID, FileName string }

// SplitKeyPath reads a key path. Its error goes on from what was read, and does not quote that.
func SplitKeyPath(s string) (KeyPath, error) {
	segments := strings.Split(s, "/")
	if len(segments) != 5 || segments[0] != "vod" || segments[1] != "input" || slices.Contains(segments, "") {
		return KeyPath{}, errors.New("does not have the form of a key path, " + KeyPathForm)
	}
	return KeyPath{CustomerID: segments[2], UploadID: segments[3], FileName: segments[4]}, nil
}

// ValidETag reports whether an ETag can be kept: it is at most 1 KiB of visible ASCII.
func ValidETag(etag string) bool {
	return len(etag) <= 1<<10 && !strings.ContainsFunc(etag, func(c rune) bool { return c < '!' || c > '~' })
}

// Safe reports whether a string can be shown as it is: it has no control, format or bidirectional
// characters.
func Safe(s string) bool { return !strings.ContainsFunc(s, unsafe) }

// Escape replaces control, format and bidirectional characters, with which a text can clear a
// screen, begin another line, or change the order in which it is read, by escapes of JSON such as
// \u202e.
func Escape(s string) string { return EscapeBut(s, "") }

// EscapeBut is Escape, but leaves the characters in but as they are.
func EscapeBut(s, but string) string {
	if Safe(s) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if unsafe(c) && !strings.ContainsRune(but, c) {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
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

// HCL quotes a string for a configuration, where ${ and %{ begin a template.
func HCL(s string) string {
	return `"` + Escape(strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(s)) + `"`
}
