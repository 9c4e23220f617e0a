package redact

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strings"
	"unicode"
)

const (
	// shortestSecret, in bytes, is the shortest secret that is searched for.
	shortestSecret = 4
	// shortestInWord, in bytes, is the shortest secret that is found within a word: "live" is not
	// found in "delivery".
	shortestInWord = 8
	// partLength, in bytes, is the length of the parts by which longer secrets are found, so that
	// half of a secret is masked, too.
	partLength = 12
	// encodingsAtMost is how many encodings around a secret are undone.
	encodingsAtMost = 3
	// enough, in parts, is how much of stream keys an index knows with all parts: 2,000 keys of 128
	// bytes.
	enough = 1 << 18
)

// part is a part of a secret, or a shorter secret and zeros.
type part [partLength]byte

// index finds secrets in folded layers: longer ones by their parts, shorter ones as a whole.
type index struct {
	// parts has whether no other part of a secret is known, so that what follows this one in a word
	// is masked, too.
	parts  map[part]bool
	public map[part]bool // parts that are not secret, at most enough
	whole  [][]byte      // secrets that are found as a whole only
	// begins[beginOf(text)] has a bit for each length of the parts that begin like the text. Few
	// places in a text begin like a part. nil: there are no parts.
	begins *[1 << 16]uint16
}

func newIndex() *index { return &index{parts: map[part]bool{}, public: map[part]bool{}} }

// beginOf hashes the first 4 bytes.
func beginOf(text []byte) uint16 {
	return uint16(binary.LittleEndian.Uint32(text) * 0x9e3779b1 >> 16) // #nosec G115 -- a hash
}

// add makes a secret known: all of its parts that are not public, or only the first one.
func (x *index) add(secret string, all bool) {
	if x.begins == nil {
		x.begins = new([1 << 16]uint16)
	}
	for _, form := range formsOf(secret) {
		for p, n := range partsOf(form) {
			if x.public[p] || len(bytes.TrimSpace(p[:n])) < shortestSecret {
				continue
			}
			x.parts[p] = x.parts[p] || !all && n < len(form)
			x.begins[beginOf(p[:])] |= 1 << n
			if !all {
				break
			}
		}
	}
	// The part of a credential behind "Basic " or "Bearer ".
	if _, bare, found := strings.Cut(secret, " "); found {
		x.add(bare, all)
	}
}

// addWhole makes a secret known whose parts are not secret.
func (x *index) addWhole(secret string) {
	for _, form := range formsOf(secret) {
		if len(form) >= shortestSecret {
			x.whole = append(x.whole, []byte(form))
		}
	}
}

// formsOf returns a secret as it is in folded layers: with all its white space, and with single
// spaces. The secret itself may look escaped, and is found in a text's last layer then.
func formsOf(secret string) (forms []string) {
	for l, escaped := plainLayer(secret), true; escaped && len(forms) <= 2*encodingsAtMost; l, escaped = l.unescaped() {
		form := string(l.folded().bytes)
		forms = append(forms, form)
		if single := strings.Join(strings.Fields(form), " "); single != form {
			forms = append(forms, single)
		}
	}
	return forms
}

// publish makes a text known that is not secret.
func (x *index) publish(text string) {
	for p := range partsOf(string(plainLayer(text).folded().bytes)) {
		delete(x.parts, p)
		if len(x.public) < enough {
			x.public[p] = true
		}
	}
}

// partsOf yields the parts of a text, or a shorter text itself, and their length.
func partsOf(text string) iter.Seq2[part, int] {
	return func(yield func(part, int) bool) {
		n := min(len(text), partLength)
		for i := 0; i+n <= len(text) && yield(partOf([]byte(text[i:i+n])), n); i++ {
		}
	}
}

func partOf(text []byte) (p part) {
	copy(p[:], text)
	return p
}

// mark hides the secrets in a folded layer.
func (x *index) mark(f *layer, hidden []bool) {
	for _, secret := range x.whole {
		for i := bytes.Index(f.bytes, secret); i >= 0 && i+len(secret) <= len(f.bytes); i++ {
			if bytes.HasPrefix(f.bytes[i:], secret) && f.standsOut(i, i+len(secret)) {
				f.hide(i, i+len(secret), hidden)
			}
		}
	}
	for i := 0; x.begins != nil && i+shortestSecret <= len(f.bytes); i++ {
		lengths := x.begins[beginOf(f.bytes[i:])]
		for n := shortestSecret; lengths>>n != 0 && i+n <= len(f.bytes); n++ {
			if lengths>>n&1 == 0 {
				continue
			}
			first, found := x.parts[partOf(f.bytes[i:i+n])]
			if !found || !f.standsOut(i, i+n) {
				continue
			}
			end := i + n
			if first {
				end += lengthOf(f.bytes[end:], " \"'`<>", false)
			}
			f.hide(i, end, hidden)
		}
	}
}

// standsOut reports whether a part of a layer is long, or not within a word.
func (l *layer) standsOut(begin, end int) bool {
	word := func(i int) bool {
		return i >= 0 && i < len(l.bytes) && (l.bytes[i] == '_' || l.bytes[i] >= 0x80 || unicode.IsLetter(rune(l.bytes[i])) || unicode.IsDigit(rune(l.bytes[i])))
	}
	return end-begin >= shortestInWord || !word(begin-1) && !word(end)
}
