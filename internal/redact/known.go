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
	// beginningLength, in bytes, is how much of a secret is read for its first part that is not public.
	beginningLength = 64
	// streamLength, in bytes, is how much of a secret of a stream is searched for.
	streamLength = 128
)

// room is how many parts an index has. Public parts have as much room again.
type room struct {
	// whole is up to which number of parts a secret is added with all its parts. Of later ones only
	// the first part is added, and what follows it in a word is masked, too.
	whole int
	most  int
}

// enough is for 2,200 stream keys of 128 bytes with all their parts, and about 800,000 further ones.
var enough = room{whole: 1 << 18, most: 1 << 20}

// index finds secrets in folded layers: longer ones by their parts, shorter ones as a whole. The
// zero value finds none and has no room.
type index struct {
	limit   int // bytes of a secret that are searched for; 0: all
	room    room
	public  map[uint64]struct{} // hashes of parts that are not secret
	secrets map[uint64]struct{} // hashes of what was added
	parts   map[uint64]bool     // by hash: whether the secret goes on behind the part
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

// add makes a secret known, but no part of it that is public or among names. It is false if there is
// no room.
func (x *index) add(secret string, names map[uint64]bool) bool {
	known := secret
	if x.limit > 0 {
		known = secret[:min(len(secret), x.limit)]
	}
	id := maphash.String(partSeed, known)
	if _, added := x.secrets[id]; added || len(known) < shortestSecret {
		return true
	}
	if len(x.parts) >= x.room.most {
		return false
	}
	if x.secrets == nil {
		x.secrets, x.parts, x.begins = map[uint64]struct{}{}, map[uint64]bool{}, make([]uint16, 1<<16)
	}
	x.secrets[id] = struct{}{}
	whole := len(x.parts) < x.room.whole
	if !whole {
		known = known[:min(len(known), beginningLength)]
	}
	// The secret itself may look escaped: then it is found in the text's last layer.
	form := plainLayer(known)
	for n := 0; form != nil && n <= encodingsAtMost; form, n = form.unescaped(), n+1 {
		folded := strings.TrimSpace(string(form.folded().bytes))
		if len(folded) < shortestSecret {
			continue
		}
		for part := range partsOf(folded) {
			hash := maphash.String(partSeed, part)
			if _, public := x.public[hash]; public || names[hash] {
				continue
			}
			cut := len(known) < len(secret) && strings.HasSuffix(folded, part)
			x.parts[hash] = x.parts[hash] || cut || !whole && len(part) < len(folded)
			x.begins[beginOf([]byte(part))] |= 1 << len(part)
			if !whole {
				break
			}
		}
	}
	// The part of a credential behind "Basic " or "Bearer ".
	if _, bare, found := strings.Cut(secret, " "); found {
		return x.add(bare, names)
	}
	return true
}

// publish makes texts known that are not secret, and returns the hashes of the parts that have no room.
func (x *index) publish(texts []string) (names map[uint64]bool) {
	if x.public == nil {
		x.public = map[uint64]struct{}{}
	}
	names = map[uint64]bool{}
	for _, text := range texts {
		for part := range partsOf(string(plainLayer(text).folded().bytes)) {
			hash := maphash.String(partSeed, part)
			delete(x.parts, hash)
			if len(x.public) < x.room.most {
				x.public[hash] = struct{}{}
			} else {
				names[hash] = true
			}
		}
	}
	return names
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
