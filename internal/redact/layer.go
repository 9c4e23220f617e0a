package redact

import (
	"bytes"
	"encoding/hex"
	"html"
	"strconv"
	"strings"
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

func newLayer(capacity int) *layer {
	return &layer{make([]byte, 0, capacity), make([]span, 0, capacity)}
}

func plainLayer(s string) *layer {
	l := newLayer(len(s))
	for i := range len(s) {
		l.add(span{int32(i), int32(i + 1)}, s[i])
	}
	return l
}

func (l *layer) add(origin span, c byte) {
	l.bytes = append(l.bytes, c)
	l.origin = append(l.origin, origin)
}

// span returns the part of the text that n bytes of the layer stand for.
func (l *layer) span(begin, n int) span {
	return span{l.origin[begin].from, l.origin[begin+n-1].to}
}

// hide hides the bytes of the text that the bytes from begin to end of the layer stand for.
func (l *layer) hide(begin, end int, hidden []bool) {
	if begin == end {
		return
	}
	for i := l.origin[begin].from; i < l.origin[end-1].to; i++ {
		hidden[i] = true
	}
}

// unescaped replaces one level of percent, JSON, Go and HTML escapes. It is nil if there are none.
func (l *layer) unescaped() *layer {
	if !bytes.ContainsAny(l.bytes, `%\&`) {
		return nil
	}
	u := newLayer(len(l.bytes))
	for i := 0; i < len(l.bytes); {
		plain, n := unescape(l.bytes[i:])
		for _, c := range plain {
			u.add(l.span(i, n), c)
		}
		i += n
	}
	if len(u.bytes) == len(l.bytes) {
		return nil
	}
	return u
}

// unescape returns what the first n bytes of b stand for.
func unescape(b []byte) (plain []byte, n int) {
	const longest = 12
	switch b = b[:min(len(b), longest)]; b[0] {
	case '%':
		plain = make([]byte, 1)
		if _, err := hex.Decode(plain, b[1:min(len(b), 3)]); err == nil && len(b) > 2 {
			return plain, 3
		}
	case '\\':
		if len(b) > 1 && strings.IndexByte("\"'`/", b[1]) >= 0 {
			return b[1:2], 2
		}
		c, unicode, rest, err := strconv.UnquoteChar(string(b), 0)
		switch n = len(b) - len(rest); {
		case err != nil:
		case unicode:
			return utf8.AppendRune(nil, c), n
		default:
			return []byte{byte(c)}, n // #nosec G115 -- of one byte
		}
	case '&':
		if end := bytes.IndexByte(b, ';'); end > 0 {
			if text := html.UnescapeString(string(b[:end+1])); len(text) <= end {
				return []byte(text), end + 1
			}
		}
	}
	return b[:1], 1
}

// folded returns the layer in lower case, without control and format characters, and with white
// space and plus signs, which stand for it in a query, as single spaces.
func (l *layer) folded() *layer {
	f := newLayer(len(l.bytes))
	var lower [utf8.UTFMax]byte
	for i := 0; i < len(l.bytes); {
		c, n := utf8.DecodeRune(l.bytes[i:])
		origin := l.span(i, n)
		switch {
		case c == utf8.RuneError && n == 1:
			f.add(origin, l.bytes[i])
		case c == '+' || unicode.IsSpace(c):
			if last := len(f.bytes) - 1; last >= 0 && f.bytes[last] == ' ' {
				f.origin[last].to = origin.to
			} else {
				f.add(origin, ' ')
			}
		case !unicode.IsControl(c) && !unicode.Is(unicode.Cf, c):
			for _, b := range utf8.AppendRune(lower[:0], unicode.ToLower(c)) {
				f.add(origin, b)
			}
		}
		i += n
	}
	return f
}

const (
	alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	// noSextet stands for a byte that is not in the alphabet of base64.
	noSextet = 0xff
	// shortestBase64, in characters, is the shortest text that is decoded: a secret of 4 bytes.
	shortestBase64 = 6
)

// sextetOf maps the characters of base64, standard or for URLs, to their values.
var sextetOf = func() (table [256]byte) {
	for c := range table {
		table[c] = noSextet
	}
	for value, c := range []byte(alphabet) {
		table[c] = byte(value)
	}
	table['-'], table['_'] = table['+'], table['/']
	return table
}()

// sextets replaces characters by their values in base64, without line breaks, which end no word.
func (l *layer) sextets() *layer {
	s := newLayer(len(l.bytes))
	for i, c := range l.bytes {
		if c != '\n' && c != '\r' {
			s.add(l.origin[i], sextetOf[c])
		}
	}
	return s
}

// decoded returns what words of sextets say, with spaces between them, if the first byte of a secret
// begins at the sextet offset of a group of four.
func (l *layer) decoded(offset int) *layer {
	d, begin := newLayer(len(l.bytes)*3/4), 0
	for word := range bytes.SplitSeq(l.bytes, []byte{noSextet}) {
		end := begin + len(word)
		if len(word) >= shortestBase64 {
			for n := 0; begin+offset+n+n/3+1 < end; n++ {
				i, shift := begin+offset+n+n/3, n%3*2
				d.add(l.span(i, 2), l.bytes[i]<<(2+shift)|l.bytes[i+1]>>(4-shift))
			}
			d.add(l.origin[end-1], ' ')
		}
		begin = end + 1
	}
	return d
}
