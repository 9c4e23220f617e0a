package redact

import (
	"bytes"
	"html"
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// layer is a rendition of a text. Byte i of it stands for the span origin[i] of the text.
type layer struct {
	bytes  []byte
	origin []span
}

// span is the part of a text from one byte to another.
type span struct{ from, to int32 }

func plainLayer(s string) *layer {
	l := &layer{[]byte(s), make([]span, len(s))}
	for i := range l.origin {
		l.origin[i] = span{int32(i), int32(i + 1)} // #nosec G115 -- texts are shorter than 2 GiB
	}
	return l
}

func (l *layer) add(origin span, bytes ...byte) {
	for _, c := range bytes {
		l.bytes, l.origin = append(l.bytes, c), append(l.origin, origin)
	}
}

// span returns the part of the text that the bytes from begin to end stand for.
func (l *layer) span(begin, end int) span { return span{l.origin[begin].from, l.origin[end-1].to} }

// cut returns the bytes from begin to end as a layer.
func (l *layer) cut(begin, end int) *layer { return &layer{l.bytes[begin:end], l.origin[begin:end]} }

// join adds the bytes of another layer.
func (l *layer) join(other *layer) {
	l.bytes, l.origin = append(l.bytes, other.bytes...), append(l.origin, other.origin...)
}

// hide hides the bytes of the text that the bytes from begin to end of the layer stand for.
func (l *layer) hide(begin, end int, hidden []bool) {
	if begin == end {
		return
	}
	for i, to := l.origin[begin].from, l.origin[end-1].to; i < to; i++ {
		hidden[i] = true
	}
}

// escapes are those of percent, JSON, Go and HTML encoding. The groups are the digits of a byte, of
// a character (twice), of a character in decimal and of a byte in octal.
var escapes = regexp.MustCompile(`(?:%|\\x)([0-9A-Fa-f]{2})|[%\\]u([0-9A-Fa-f]{4})|(?:\\u\{|\\U|&#[xX])0*([0-9A-Fa-f]{1,6})[};]?|` +
	`&#0*([0-9]{1,7});|\\([0-7]{3})|\\[abfnrtv"'/\\` + "`" + `]|&[A-Za-z][A-Za-z0-9]{1,31};`)

var escapeBases = []int{16, 16, 16, 10, 8}

// unescaped replaces one level of escapes. changed is false if there are none.
func (l *layer) unescaped() (u *layer, changed bool) {
	if !bytes.ContainsAny(l.bytes, `%\&`) {
		return l, false
	}
	u = &layer{}
	rest := 0
	for _, m := range escapes.FindAllSubmatchIndex(l.bytes, -1) {
		u.join(l.cut(rest, m[0]))
		u.add(l.span(m[0], m[1]), unescape(l.bytes, m)...)
		rest, changed = m[1], true
	}
	u.join(l.cut(rest, len(l.bytes)))
	return u, changed
}

// unescape returns what a match of escapes stands for.
func unescape(text []byte, match []int) []byte {
	for i, base := range escapeBases {
		from, to := match[2*i+2], match[2*i+3]
		if from < 0 {
			continue
		}
		n, _ := strconv.ParseUint(string(text[from:to]), base, 32)
		if i == 0 || base == 8 {
			return []byte{byte(n)} // #nosec G115 -- of two or three digits
		}
		return utf8.AppendRune(nil, rune(n)) // #nosec G115 -- of at most seven digits
	}
	escape := string(text[match[0]:match[1]])
	if escape[0] == '&' {
		return []byte(html.UnescapeString(escape))
	}
	if c, _, _, err := strconv.UnquoteChar(escape, 0); err == nil {
		return []byte{byte(c)} // #nosec G115 -- a control character
	}
	return []byte(escape[1:])
}

// folded returns the layer in lower case, without control and format characters, and with white
// space and plus signs, which stand for it in a query, as spaces.
func (l *layer) folded() *layer {
	f := &layer{make([]byte, 0, len(l.bytes)), make([]span, 0, len(l.bytes))}
	var lower [utf8.UTFMax]byte
	for i := 0; i < len(l.bytes); {
		c, n := utf8.DecodeRune(l.bytes[i:])
		switch {
		case c == utf8.RuneError && n == 1:
			f.add(l.origin[i], l.bytes[i])
		case c == '+' || unicode.IsSpace(c):
			f.add(l.span(i, i+n), ' ')
		case !unicode.IsControl(c) && !unicode.Is(unicode.Cf, c):
			f.add(l.span(i, i+n), utf8.AppendRune(lower[:0], unicode.ToLower(c))...)
		}
		i += n
	}
	return f
}

// encoding is base64 or hexadecimal.
type encoding struct {
	bits   int       // of a digit
	phases int       // a byte begins at one of so many digits
	values [256]int8 // of digits; -1: the byte is none
}

var encodings = []encoding{
	newEncoding(6, 4, base64Digits+"+/", base64Digits+"-_"), // the second one is for URLs
	newEncoding(4, 2, "0123456789abcdef", "0123456789ABCDEF"),
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func newEncoding(bits, phases int, alphabets ...string) encoding {
	e := encoding{bits: bits, phases: phases}
	for c := range e.values {
		e.values[c] = -1
	}
	for _, digits := range alphabets {
		for value, c := range digits {
			e.values[c] = int8(value) // #nosec G115 -- below 64
		}
	}
	return e
}

// decoded returns the texts that digits stand for, with spaces between them, if the first byte
// begins at the digit phase. Other characters between digits, such as line breaks, do not matter,
// but a quote, behind which base64 begins anew.
func (l *layer) decoded(e *encoding, phase int) *layer {
	size := len(l.bytes) * e.bits / 8
	raw, texts := &layer{make([]byte, 0, size), make([]span, 0, size)}, &layer{}
	skip, value, have, first := phase, 0, 0, 0
	for i, c := range l.bytes {
		digit := int(e.values[c])
		switch {
		case c == '"' && e.bits == 6:
			raw.add(l.origin[i], ' ')
			skip, value, have = phase, 0, 0
			continue
		case digit < 0, e.bits == 4 && c == '0' && i+1 < len(l.bytes) && l.bytes[i+1]|0x20 == 'x':
			continue
		case skip > 0:
			skip--
			continue
		}
		if have == 0 {
			first = i
		}
		value, have = value<<e.bits|digit, have+e.bits
		if have >= 8 {
			have -= 8
			raw.add(l.span(first, i+1), byte(value>>have)) // #nosec G115 -- the bits above are of earlier bytes
			first, value = i, value&(1<<have-1)
		}
	}
	begin := 0 // of the text
	for i := 0; i <= len(raw.bytes); {
		c, n := utf8.DecodeRune(raw.bytes[i:])
		if c != utf8.RuneError && !unicode.IsControl(c) {
			i += n
			continue
		}
		if i-begin >= shortestSecret { // otherwise any digits stand for it
			texts.join(raw.cut(begin, i))
			texts.add(raw.origin[i-1], ' ')
		}
		i++
		begin = i
	}
	return texts
}
