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
	// enough is how many public parts an index has room for: those of about 20,000 sessions. A
	// quarter of it is for stream keys with all their parts: for 2,000 keys of 128 bytes.
	enough = 1 << 20
)

// owner is whose a secret is. The texts shown of a session make no secret of a higher owner public.
type owner uint8

const (
	account       owner = iota // a stream key that is not the configuration's
	configuration              // a stream key
	provider                   // a credential
)

// part is a part of a secret, or a shorter secret and zeros.
type part [partLength]byte

type knownPart struct {
	owner owner
	first bool // no other part of the secret is known, so what follows this one in a word is masked, too
}

// index finds secrets in folded layers: longer ones by their parts, shorter ones as a whole.
type index struct {
	room   int
	parts  map[part]knownPart
	public map[part]owner // parts that are not secret, at most room
	allOf  int            // parts of stream keys whose parts are all known
	whole  [][]byte       // secrets that are found as a whole only
	// begins[beginOf(text)] has a bit for each length of the parts that begin like the text. Few
	// places in a text begin like a part.
	begins [1 << 16]uint16
}

func newIndex(room int) *index {
	return &index{room: room, parts: map[part]knownPart{}, public: map[part]owner{}}
}

// beginOf hashes the first 4 bytes.
func beginOf(text []byte) uint16 {
	return uint16(binary.LittleEndian.Uint32(text) * 0x9e3779b1 >> 16) // #nosec G115 -- a hash
}

// add makes a secret known, but no part of it that is public or among names. Of a stream key of the
// account, and of the configuration's once there are many, only the first part is added.
func (x *index) add(secret string, of owner, names map[part]bool) {
	all := of == provider || of == configuration && x.allOf < x.room/4
	for _, form := range formsOf(secret) {
		for p, n := range partsOf(form) {
			public, shown := x.public[p]
			if names[p] || shown && public >= of || len(bytes.TrimSpace(p[:n])) < shortestSecret {
				continue
			}
			known, added := x.parts[p]
			x.parts[p] = knownPart{max(known.owner, of), known.first || !all && n < len(form)}
			x.begins[beginOf(p[:])] |= 1 << n
			if !all {
				break
			}
			if !added {
				x.allOf++
			}
		}
	}
	// The part of a credential behind "Basic " or "Bearer ".
	if _, bare, found := strings.Cut(secret, " "); found {
		x.add(bare, of, names)
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

// publish makes texts known that are not secret, and returns the parts that have no room.
func (x *index) publish(texts []string, of owner) (names map[part]bool) {
	names = map[part]bool{}
	for _, text := range texts {
		for p := range partsOf(string(plainLayer(text).folded().bytes)) {
			if known, added := x.parts[p]; added && known.owner <= of {
				delete(x.parts, p)
			}
			if public, shown := x.public[p]; shown || len(x.public) < x.room {
				x.public[p] = max(public, of)
			} else {
				names[p] = true
			}
		}
	}
	return names
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
	for i := 0; i+shortestSecret <= len(f.bytes); i++ {
		lengths := x.begins[beginOf(f.bytes[i:])]
		for n := shortestSecret; lengths>>n != 0 && i+n <= len(f.bytes); n++ {
			if lengths>>n&1 == 0 {
				continue
			}
			known, found := x.parts[partOf(f.bytes[i:i+n])]
			if !found || !f.standsOut(i, i+n) {
				continue
			}
			end := i + n
			if known.first {
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
