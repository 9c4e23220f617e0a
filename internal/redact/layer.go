package redact

import (
	"bytes"
	"encoding/hex"
	"html"
	"unicode"
	"unicode/utf8"
)

// layer is a rendition of a text. Byte i of it stands for the bytes from[i] to to[i] of the text.
type layer struct {
	bytes    []byte
	from, to []int32
}

// add adds bytes that stand for the same bytes of the text.
func (l *layer) add(from, to int32, bytes ...byte) {
	for _, c := range bytes {
		l.bytes, l.from, l.to = append(l.bytes, c), append(l.from, from), append(l.to, to)
	}
}

func newLayer(capacity int) *layer {
	return &layer{make([]byte, 0, capacity), make([]int32, 0, capacity), make([]int32, 0, capacity)}
}

func plainLayer(s string) *layer {
	l := newLayer(len(s))
	for i := range len(s) {
		l.add(int32(i), int32(i+1), s[i])
	}
	return l
}

// unescaped returns the layer with one level of percent, JSON (also Go) and HTML escapes replaced,
// nil if it has none.
func (l *layer) unescaped() *layer {
	if !bytes.ContainsAny(l.bytes, `%\&`) {
		return nil
	}
	u, changed := newLayer(len(l.bytes)), false
	for i := 0; i < len(l.bytes); {
		plain, n := unescape(l.bytes[i:])
		if n > 1 {
			changed = true
		}
		u.add(l.from[i], l.to[i+n-1], plain...)
		i += n
	}
	if !changed {
		return nil
	}
	return u
}

// unescape returns what the first n bytes of b stand for.
func unescape(b []byte) (plain []byte, n int) {
	switch b[0] {
	case '%':
		if plain, ok := fromHex(b, 1, 2); ok {
			return plain, 3
		}
	case '\\':
		return unescapeJSON(b)
	case '&':
		const longest = 12
		if end := bytes.IndexByte(b[:min(len(b), longest)], ';'); end > 0 {
			if text := html.UnescapeString(string(b[:end+1])); len(text) <= end {
				return []byte(text), end + 1
			}
		}
	}
	return b[:1], 1
}

func unescapeJSON(b []byte) (plain []byte, n int) {
	if len(b) < 2 {
		return b[:1], 1
	}
	switch c := b[1]; c {
	case '"', '\'', '\\', '/', '`':
		return b[1:2], 2
	case 'n', 'r', 't', 'b', 'f', 'v', 'a':
		return []byte{'\n'}, 2
	case 'x':
		if plain, ok := fromHex(b, 2, 2); ok {
			return plain, 4
		}
	case 'u':
		if plain, ok := fromHex(b, 2, 4); ok {
			return utf8.AppendRune(nil, rune(plain[0])<<8|rune(plain[1])), 6
		}
	}
	return b[:1], 1
}

// fromHex reads hexadecimal digits.
func fromHex(b []byte, at, digits int) ([]byte, bool) {
	if len(b) < at+digits {
		return nil, false
	}
	plain := make([]byte, digits/2)
	_, err := hex.Decode(plain, b[at:at+digits])
	return plain, err == nil
}

// folded returns the layer in lower case, without control and format characters, and with white
// space and plus signs, which stand for it in a query, as single spaces.
func (l *layer) folded() *layer {
	f := newLayer(len(l.bytes))
	for i := 0; i < len(l.bytes); {
		c, n := rune(l.bytes[i]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRune(l.bytes[i:])
		}
		switch {
		case c == '+' || unicode.IsSpace(c):
			if last := len(f.bytes) - 1; last >= 0 && f.bytes[last] == ' ' {
				f.to[last] = l.to[i+n-1]
			} else {
				f.add(l.from[i], l.to[i+n-1], ' ')
			}
		case c == utf8.RuneError && n == 1:
			f.add(l.from[i], l.to[i], l.bytes[i])
		case c < utf8.RuneSelf && c >= ' ' && c != 0x7f:
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			f.add(l.from[i], l.to[i], byte(c))
		case !unicode.IsControl(c) && !unicode.Is(unicode.Cf, c):
			f.add(l.from[i], l.to[i+n-1], utf8.AppendRune(nil, unicode.ToLower(c))...)
		}
		i += n
	}
	return f
}

// shortestBase64, in characters, is the shortest text that is decoded: a secret of 4 bytes.
const shortestBase64 = 6

// decoded returns what the words in base64 say, standard or for URLs, if the first byte of a secret
// begins at character offset of a group of four. A line break does not end a word.
func (l *layer) decoded(offset int) *layer {
	d := newLayer(len(l.bytes))
	for i := 0; i < len(l.bytes); i++ {
		if sextets[l.bytes[i]] < 0 {
			continue
		}
		begin, n := i, 0
		for ; i < len(l.bytes) && (sextets[l.bytes[i]] >= 0 || l.bytes[i] == '\n' || l.bytes[i] == '\r'); i++ {
			if sextets[l.bytes[i]] >= 0 {
				n++
			}
		}
		if n >= shortestBase64 {
			l.decodeWord(d, begin, i, offset)
			d.add(l.from[i-1], l.to[i-1], ' ')
		}
	}
	return d
}

func (l *layer) decodeWord(d *layer, begin, end, skip int) {
	var bits, n uint
	var before int32
	for i := begin; i < end; i++ {
		six := sextets[l.bytes[i]]
		switch {
		case six < 0:
			continue
		case skip > 0:
			skip--
			continue
		}
		bits, n = bits<<6|uint(six), n+6
		if n >= 8 {
			n -= 8
			d.add(before, l.to[i], byte(bits>>n&0xff))
		}
		before = l.from[i]
		bits &= 1<<n - 1
	}
}

// sextets maps the characters of base64 to their values, all others to -1.
var sextets = func() (table [256]int8) {
	for i := range table {
		table[i] = -1
	}
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i, c := range []byte(plain) {
		table[c] = int8(i)
	}
	table['-'], table['_'] = table['+'], table['/']
	return table
}()

// hide hides the bytes of the text that the bytes from begin to end of the layer stand for.
func (l *layer) hide(begin, end int, hidden []bool) {
	if begin == end {
		return
	}
	for i := int(l.to[end-1]) - 1; i >= int(l.from[begin]); i-- {
		hidden[i] = true
	}
}
