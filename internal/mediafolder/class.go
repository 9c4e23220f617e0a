package mediafolder

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// classes are the characters of the classes that a bracket expression may name, as ranges.
var classes = map[string][]string{
	"alnum": {"09", "AZ", "az"}, "alpha": {"AZ", "az"}, "blank": {"  ", "\t\t"}, "cntrl": {"\x00\x1f", "\x7f\x7f"}, "digit": {"09"},
	"graph": {"!~"}, "lower": {"az"}, "print": {" ~"}, "punct": {"!/", ":@", "[`", "{~"}, "space": {"\t\r", "  "},
	"upper": {"AZ"}, "xdigit": {"09", "AF", "af"},
}

// expandClasses writes the bracket expressions of a pattern as doublestar reads them: without names
// of classes, which it does not know, and with a backslash before what it would take for a
// delimiter. It returns why a pattern has no meaning, "" if it has one.
func expandClasses(pattern string) (expanded, problem string) {
	var b strings.Builder
	star := false // the last one was a star: several in a row are like one
	for pattern != "" {
		if pattern[0] != '[' {
			if pattern[0] != '*' || !star {
				b.WriteByte(pattern[0])
			}
			star = pattern[0] == '*'
			pattern = pattern[1:]
			continue
		}
		ranges, length, problem := bracket(pattern)
		if problem != "" {
			return "", problem
		}
		b.WriteByte('[')
		if strings.IndexByte("!^", pattern[1]) >= 0 {
			b.WriteByte('^')
		}
		for _, r := range ranges {
			fmt.Fprintf(&b, `%s-%s`, quoted(r[0]), quoted(r[1]))
		}
		b.WriteByte(']')
		star = false
		pattern = pattern[length:]
	}
	return b.String(), ""
}

// bracket reads the bracket expression at the beginning of a pattern as git does: a bracket that
// closes is a character if it comes first, and so is a hyphen that comes first, comes last or
// follows a range.
func bracket(pattern string) (ranges [][2]rune, length int, problem string) {
	rest := pattern[1:]
	if rest != "" && strings.IndexByte("!^", rest[0]) >= 0 {
		rest = rest[1:]
	}
	for first := true; ; first = false {
		switch name, _, isClass := strings.Cut(strings.TrimPrefix(rest, "[:"), "]"); {
		case rest == "":
			return nil, 0, "has a bracket that is not closed: it must be a pattern such as [a-z]*.mp4."
		case rest[0] == ']' && !first:
			return ranges, len(pattern) - len(rest) + 1, ""
		case isClass && strings.HasPrefix(rest, "[:") && strings.HasSuffix(name, ":"):
			known := classes[strings.TrimSuffix(name, ":")]
			if known == nil {
				return nil, 0, fmt.Sprintf("names the character class %q, which does not exist.", "[:"+name+"]")
			}
			for _, r := range known {
				ranges = append(ranges, [2]rune{rune(r[0]), rune(r[1])})
			}
			rest = rest[len("[:")+len(name)+1:]
			continue
		}
		from, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		to := from
		if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			to, size = utf8.DecodeRuneInString(rest[1:])
			rest = rest[1+size:]
		}
		ranges = append(ranges, [2]rune{from, to})
	}
}

// quoted is a character inside of brackets.
func quoted(r rune) string {
	if r >= utf8.RuneSelf || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
		return string(r)
	}
	return `\` + string(r)
}
