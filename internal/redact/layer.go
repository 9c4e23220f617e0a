package redact

import (
	"bytes"
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
	const longestEntity = 40
	switch b[0] {
	case '%':
		if c, n := digits(b, "%u", 4, 4, 16, ""); n > 0 {
			return utf8.AppendRune(nil, c), n
		}
		if c, n := digits(b, "%", 2, 2, 16, ""); n > 0 {
			return []byte{byte(c)}, n // #nosec G115 -- of two digits
		}
	case '\\':
		if len(b) > 1 && strings.IndexByte("\"'`/", b[1]) >= 0 {
			return b[1:2], 2
		}
		if c, n := digits(b, `\u{`, 1, len(b), 16, "}"); n > 0 {
			return utf8.AppendRune(nil, c), n
		}
		short := b[:min(len(b), len(`\U00000000`))]
		c, unicode, rest, err := strconv.UnquoteChar(string(short), 0)
		switch n = len(short) - len(rest); {
		case err != nil:
		case unicode:
			return utf8.AppendRune(nil, c), n
		default:
			return []byte{byte(c)}, n // #nosec G115 -- of one byte
		}
	case '&':
		prefix, base := "&#", rune(10)
		if len(b) > 2 && b[2]|0x20 == 'x' {
			prefix, base = string(b[:3]), 16
		}
		if c, n := digits(b, prefix, 1, len(b), base, ";"); n > 0 {
			return utf8.AppendRune(nil, c), n
		}
		end := 1
		for end < min(len(b), longestEntity)-1 && sextetOf[b[end]] != noSextet {
			end++
		}
		if b = b[:min(len(b), end+1)]; b[len(b)-1] == ';' {
			if text := html.UnescapeString(string(b[:end+1])); len(text) <= end {
				return []byte(text), end + 1
			}
		}
	}
	return b[:1], 1
}

// digits reads the number of a character: digits between a prefix and an end. n is how many bytes of b
// that takes; 0 if b does not begin like this.
func digits(b []byte, prefix string, least, most int, base rune, end string) (c rune, n int) {
	if !bytes.HasPrefix(b, []byte(prefix)) {
		return 0, 0
	}
	n = len(prefix)
	for ; n < len(b) && n-len(prefix) < most; n++ {
		digit := rune(digitOf[b[n]])
		if digit >= base {
			break
		}
		c = min(c*base+digit, unicode.MaxRune+1)
	}
	if n-len(prefix) < least || !bytes.HasPrefix(b[n:], []byte(end)) {
		return 0, 0
	}
	return c, n + len(end)
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
	// shortestBase64 and shortestHex, in characters, are the shortest texts that are decoded: a secret
	// of 4 bytes.
	shortestBase64, shortestHex = 6, 8
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

// digitOf maps hexadecimal digits to their values.
var digitOf = func() (table [256]byte) {
	for c := range table {
		table[c] = noSextet
	}
	for value, c := range []byte("0123456789abcdef") {
		table[c], table[bytes.ToUpper([]byte{c})[0]] = byte(value), byte(value)
	}
	return table
}()

// unhexed returns what hexadecimal digits say, with spaces between words of them. Separators between
// bytes (: - , + and white space) and 0x end no word. The first byte of a secret may begin at any digit.
func (l *layer) unhexed() *layer {
	d, word := newLayer(0), []int{} // where the digits are
	for i := 0; i <= len(l.bytes); i++ {
		switch {
		case i == len(l.bytes) || digitOf[l.bytes[i]] == noSextet && strings.IndexByte(":-,+ \t\r\n", l.bytes[i]) < 0:
			for offset := range 2 {
				for n := offset; len(word) >= shortestHex && n+1 < len(word); n += 2 {
					high, low := word[n], word[n+1]
					d.add(span{l.origin[high].from, l.origin[low].to}, digitOf[l.bytes[high]]<<4|digitOf[l.bytes[low]])
				}
				if len(word) >= shortestHex {
					d.add(l.origin[word[len(word)-1]], ' ')
				}
			}
			word = word[:0]
		case l.bytes[i] == '0' && i+1 < len(l.bytes) && l.bytes[i+1]|0x20 == 'x':
			i++
		case digitOf[l.bytes[i]] != noSextet:
			word = append(word, i)
		}
	}
	return d
}

// sextets replaces characters by their values in base64, without line breaks and the indentation
// behind them, which end no word.
func (l *layer) sextets() *layer {
	s, newLine := newLayer(len(l.bytes)), false
	for i, c := range l.bytes {
		newLine = c == '\n' || c == '\r' || newLine && (c == ' ' || c == '\t')
		if !newLine {
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
