package simulator

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const (
	minPartSize = 5 << 20
	maxPart     = 10_000
)

// upload is an unfinished multipart upload of the simulator's own storage.
type upload struct {
	id, key  string
	sequence int
	content  *content

	// completing is held while the upload is completed, so that the second of two concurrent
	// complete requests is a repetition.
	completing sync.Mutex
	// folding is held while fold runs.
	folding sync.Mutex

	mu    sync.Mutex
	ended bool
	parts map[int]*receipt
	etags map[int]string
	// states[i] is the SHA-256 over parts 1 to i+1. Entries are cloned, never written to. Replacing
	// a part cuts the list. A goroutine that continues from an entry checks afterwards that this
	// entry is still the last one.
	states []hash.Hash
}

func newUpload(id, key string, sequence int, c *content) *upload {
	return &upload{id: id, key: key, sequence: sequence, content: c, parts: map[int]*receipt{}, etags: map[int]string{}}
}

// start returns how to receive a part: whole, unless nil, continues the hash base, and kept is set
// if a file is needed.
func (u *upload) start(number int, size int64) (whole, base hash.Hash, kept bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.content.discard {
		return nil, nil, false
	}
	if len(u.states) == number-1 {
		base = u.last()
		whole = clone(base)
	}
	return whole, base, whole == nil || u.content.room(size)
}

// last is the hash over the parts hashed so far, nil for none.
func (u *upload) last() hash.Hash {
	if len(u.states) == 0 {
		return nil
	}
	return u.states[len(u.states)-1]
}

func clone(h hash.Hash) hash.Hash {
	if h == nil {
		return sha256.New()
	}
	cloner, ok := h.(hash.Cloner)
	if !ok {
		panic("simulator: SHA-256 cannot be cloned")
	}
	return must(cloner.Clone())
}

// store adds a received part. whole and base are from start.
func (u *upload) store(number int, part *receipt, etag string, whole, base hash.Hash) error {
	u.mu.Lock()
	if u.ended {
		u.content.remove(part)
		u.mu.Unlock()
		return errNoSuchUpload
	}
	old := u.parts[number]
	folded := len(u.states) >= number
	if old != nil && old.size == part.size && old.md5 == part.md5 && (folded || old.file != "") {
		u.content.remove(part)
		u.etags[number] = etag
		u.mu.Unlock()
		return nil
	}
	if old != nil {
		u.content.remove(old)
	}
	if folded {
		u.states = u.states[:number-1]
	}
	u.parts[number], u.etags[number] = part, etag
	if whole != nil && u.last() == base && len(u.states) == number-1 {
		u.states = append(u.states, whole)
	}
	u.mu.Unlock()
	if u.folding.TryLock() {
		u.fold()
		u.folding.Unlock()
	}
	return nil
}

// fold adds kept parts to the hash of the whole object, as far as they follow without a gap. The
// caller holds folding.
func (u *upload) fold() {
	for {
		u.mu.Lock()
		number, base := len(u.states)+1, u.last()
		part := u.parts[number]
		if part == nil || part.file == "" || u.ended {
			u.mu.Unlock()
			return
		}
		name, whole := part.file, clone(base)
		u.mu.Unlock()
		err := u.content.read(name, part.size, whole)
		u.mu.Lock()
		current := u.parts[number] == part && u.last() == base && len(u.states) == number-1
		switch {
		case current && err == nil:
			u.states = append(u.states, whole)
			if !u.content.room(0) {
				u.content.remove(part)
			}
		case current:
			u.content.remove(part)
		}
		u.mu.Unlock()
	}
}

// complete checks the parts as S3 does and ends the upload.
func (u *upload) complete(listed []CompletedPart) (*Object, error) {
	u.folding.Lock()
	u.fold()
	u.folding.Unlock()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return nil, errNoSuchUpload
	}
	if err := u.check(listed); err != nil {
		return nil, err
	}
	sums := md5.New()
	object := &Object{KeyPath: u.key, FileName: baseName(u.key), Parts: len(listed), SHA256: u.whole(listed)}
	for _, p := range listed {
		part := u.parts[p.Number]
		object.Size += part.size
		sums.Write(part.md5[:])
	}
	object.ETag = fmt.Sprintf(`"%x-%d"`, sums.Sum(nil), len(listed))
	u.end()
	return object, nil
}

func (u *upload) check(listed []CompletedPart) error {
	if len(listed) == 0 {
		return &StorageError{http.StatusBadRequest, "MalformedXML", "You must specify at least one part"}
	}
	for i, p := range listed {
		if p.Number < 1 {
			return &StorageError{http.StatusBadRequest, "InvalidArgument", "PartNumber must be >= 1"}
		}
		if i > 0 && p.Number <= listed[i-1].Number {
			return &StorageError{http.StatusBadRequest, "InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by part number."}
		}
		if part := u.parts[p.Number]; part == nil || unquoted(p.ETag) != unquoted(u.etags[p.Number]) {
			return &StorageError{http.StatusBadRequest, "InvalidPart", fmt.Sprintf("One or more of the specified parts could not be found. "+
				"The part may not have been uploaded, or the specified entity tag may not match the part's entity tag. (part %d)", p.Number)}
		}
	}
	for _, p := range listed[:len(listed)-1] {
		if part := u.parts[p.Number]; part.size < u.content.minPart {
			return &StorageError{
				http.StatusBadRequest, "EntityTooSmall",
				fmt.Sprintf("Your proposed upload is smaller than the minimum allowed size (part %d has %d bytes)", p.Number, part.size),
			}
		}
	}
	return nil
}

// whole is the SHA-256 over the listed parts, "" if their bytes are gone.
func (u *upload) whole(listed []CompletedPart) string {
	if u.content.discard {
		return ""
	}
	last := listed[len(listed)-1].Number
	if last == len(listed) && last <= len(u.states) {
		return hex.EncodeToString(clone(u.states[last-1]).Sum(nil))
	}
	whole := sha256.New()
	for _, p := range listed {
		part := u.parts[p.Number]
		if part.file == "" || u.content.read(part.file, part.size, whole) != nil {
			return ""
		}
	}
	return hex.EncodeToString(whole.Sum(nil))
}

// end removes the files of the parts. The caller holds mu.
func (u *upload) end() {
	u.ended = true
	for _, part := range u.parts {
		u.content.remove(part)
	}
	u.states = nil
}

func (u *upload) drop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.end()
}

func (u *upload) record() Upload {
	u.mu.Lock()
	defer u.mu.Unlock()
	rec := Upload{UploadID: u.id, KeyPath: u.key}
	for _, number := range slices.Sorted(maps.Keys(u.parts)) {
		part := u.parts[number]
		rec.Parts = append(rec.Parts, Part{number, part.size, u.etags[number], part.shaHex(u.content.discard)})
	}
	return rec
}

func unquoted(etag string) string { return strings.Trim(etag, `"`) }

func baseName(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }
