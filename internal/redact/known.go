package redact

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
	"strings"
)

const (
	// shortestSecret, in bytes, is the shortest secret that is searched for.
	shortestSecret = 4
	// partLength, in bytes, is the length of the parts by which longer secrets are found, so that
	// half of a secret is masked, too.
	partLength = 12
	// encodingsAtMost is how many encodings around a secret are undone.
	encodingsAtMost = 3
	// streamLength, in bytes, is how much of a secret of a stream is searched for.
	streamLength = 128
	// partsAtMost is how many parts an index has.
	partsAtMost = 1 << 20
)

// index finds secrets in folded layers: longer ones by their parts, shorter ones as a whole. The
// zero value finds none.
type index struct {
	limit   int             // bytes of a secret that are searched for; 0: all
	public  map[uint64]bool // hashes of parts that are not secret
	secrets map[string]bool
	parts   map[uint64]bool // by hash: whether the secret goes on behind the part
	// begins[beginOf(part)] has a bit for each length of such parts. Few places in a text begin like
	// a part.
	begins []uint16
}

// partSeed is for the hashes of parts, which take less memory than the parts of a large account.
var partSeed = maphash.MakeSeed()

// beginOf hashes the first 4 bytes.
func beginOf(part []byte) uint16 {
	return uint16(binary.LittleEndian.Uint32(part) * 0x9e3779b1 >> 16) // #nosec G115 -- a hash
}

// add makes a secret known, but no part of it that is public.
func (x *index) add(secret string) {
	known := secret
	if x.limit > 0 {
		known = secret[:min(len(secret), x.limit)]
	}
	if len(known) < shortestSecret || x.secrets[known] || len(x.parts) >= partsAtMost {
		return
	}
	if x.secrets == nil {
		x.secrets, x.parts, x.begins = map[string]bool{}, map[uint64]bool{}, make([]uint16, 1<<16)
	}
	x.secrets[strings.Clone(known)] = true
	// The secret itself may look escaped: then it is found in the text's last layer.
	form := plainLayer(known)
	for n := 0; form != nil && n <= encodingsAtMost; form, n = form.unescaped(), n+1 {
		folded := strings.TrimSpace(string(form.folded().bytes))
		if len(folded) < shortestSecret {
			continue
		}
		for part := range partsOf(folded) {
			if hash := maphash.String(partSeed, part); !x.public[hash] {
				x.parts[hash] = x.parts[hash] || len(known) < len(secret) && strings.HasSuffix(folded, part)
				x.begins[beginOf([]byte(part))] |= 1 << len(part)
			}
		}
	}
	// The part of a credential behind "Basic " or "Bearer ".
	if _, bare, found := strings.Cut(secret, " "); found {
		x.add(bare)
	}
}

// publish makes a text known that is not secret.
func (x *index) publish(text string) {
	for part := range partsOf(string(plainLayer(text).folded().bytes)) {
		if len(x.public) < partsAtMost {
			hash := maphash.String(partSeed, part)
			x.public[hash] = true
			delete(x.parts, hash)
		}
	}
}

// partsOf yields the parts of a text that have the length of a part, or a shorter text itself.
func partsOf(text string) iter.Seq[string] {
	length := min(len(text), partLength)
	return func(yield func(string) bool) {
		for i := 0; i+length <= len(text) && yield(text[i:i+length]); i++ {
		}
	}
}

// mark hides the secrets in a folded layer.
func (x *index) mark(f *layer, hidden []bool) {
	if len(x.parts) == 0 {
		return
	}
	for i := 0; i+shortestSecret <= len(f.bytes); i++ {
		lengths := x.begins[beginOf(f.bytes[i:])]
		for n := shortestSecret; lengths>>n != 0 && i+n <= len(f.bytes); n++ {
			if lengths>>n&1 == 0 {
				continue
			}
			goesOn, found := x.parts[maphash.Bytes(partSeed, f.bytes[i:i+n])]
			if !found {
				continue
			}
			end := i + n
			if goesOn {
				end += lengthOf(f.bytes[end:], " \"'`<>", false)
			}
			f.hide(i, end, hidden)
			if goesOn {
				i = end - 1
				break
			}
		}
	}
}
