package simulator

import (
	"crypto/md5"
	"fmt"
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

	mu    sync.Mutex
	ended bool
	parts map[int]*receipt
	etags map[int]string
}

func newUpload(id, key string, sequence int, c *content) *upload {
	return &upload{id: id, key: key, sequence: sequence, content: c, parts: map[int]*receipt{}, etags: map[int]string{}}
}

// store adds a received part. The last PUT of a part counts.
func (u *upload) store(number int, part *receipt, etag string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		part.remove()
		return errNoSuchUpload
	}
	if old := u.parts[number]; old != nil {
		old.remove()
	}
	u.parts[number], u.etags[number] = part, etag
	return nil
}

// complete checks the parts as S3 does and ends the upload.
func (u *upload) complete(listed []CompletedPart) (*Object, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return nil, errNoSuchUpload
	}
	if err := u.check(listed); err != nil {
		return nil, err
	}
	sums := md5.New()
	object := &Object{KeyPath: u.key, FileName: baseName(u.key), Parts: len(listed)}
	var parts []*receipt
	for _, p := range listed {
		part := u.parts[p.Number]
		parts = append(parts, part)
		object.Size += part.size
		sums.Write(part.md5[:])
	}
	if !u.content.discard {
		var err error
		if object.SHA256, err = u.content.whole(parts); err != nil {
			return nil, err
		}
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

// end removes the files of the parts. The caller holds mu.
func (u *upload) end() {
	u.ended = true
	for _, part := range u.parts {
		part.remove()
	}
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
		rec.Parts = append(rec.Parts, Part{number, part.size, u.etags[number], part.sha256})
	}
	return rec
}

func unquoted(etag string) string { return strings.Trim(etag, `"`) }

func baseName(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }
