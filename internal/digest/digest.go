// Package digest knows what a file contains: its SHA-256, the MD5 and the CRC-64/NVME of its sections,
// and whatever checksum of a section storage returns.
//
// A file is read once in order, for its SHA-256 and the CRC of each section (Content.Next). The MD5 of a
// section is of a read of its own, from the page cache, together with those of other sections
// (Section.MD5). What is sent is read again (Section.Reader). The CRC proves that all these reads saw the
// same bytes: otherwise they end with a ChangedError.
//
// Limits: regular files only. Files are not locked: a change is detected, not prevented. Memory does not
// depend on the size or the number of files.
package digest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"runtime"
	"time"

	"github.com/minio/crc64nvme"
)

const (
	// turnBytes is how much of one file is read before another file gets its turn.
	turnBytes = 16 << 20
	// orderBuffer is the buffer in bytes of a goroutine that reads a file in order.
	orderBuffer = 256 << 10
)

// Digest is what a file contained when it was read.
type Digest struct {
	Size    int64 // bytes
	SHA256  [32]byte
	ModTime time.Time
}

// Reader reads files. One serves the whole process: it shares out processor time and memory to all
// files. It is safe for concurrent use.
type Reader struct {
	files   Files
	turns   chan struct{} // holds one for each file that is being read in order; those who wait are served in turn
	buffers *buffers
	md5     *md5Queue
	digests digests
}

// NewReader returns a Reader. It starts nothing, so there is nothing to close.
func NewReader(files Files) *Reader {
	pool := &buffers{}
	// Each file that is read in order keeps a core busy with SHA-256.
	return &Reader{files: files, turns: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))), buffers: pool, md5: &md5Queue{buffers: pool}}
}

// Memory returns the bytes of file content in the Reader's buffers, now and at most since it was made,
// and what they never exceed. Sections that are sent are read into buffers of the caller.
func (r *Reader) Memory() (now, peak, limit int64) {
	r.buffers.mu.Lock()
	defer r.buffers.mu.Unlock()
	return r.buffers.held, r.buffers.peak, int64(cap(r.turns))*orderBuffer + laneCount*laneBuffer + laneServerBytes
}

// Content is the content of one file that is to be sent, with the plan for it.
type Content struct {
	reader *Reader
	file   *file
	size   int64
	sha256 [32]byte
	free   func()

	whole hash.Hash // of what Next has read
	next  int64     // offset
	crc   uint64
}

// Open opens the file at path, which is planned to have a size and a SHA-256. The error is a *FileError,
// or a *ChangedError if the size is another one.
func (r *Reader) Open(path string, size int64, sum [32]byte) (*Content, error) {
	f, err := r.files.open(path)
	if err != nil {
		return nil, err
	}
	return r.content(f, size, sum)
}

// Bytes is Open for a content in memory. name is for errors.
func (r *Reader) Bytes(name string, b []byte, sum [32]byte) (*Content, error) {
	c := content{bytes.NewReader(b)}
	return r.content(&file{handle: c, path: name, info: c}, int64(len(b)), sum)
}

func (r *Reader) content(f *file, size int64, sum [32]byte) (*Content, error) {
	if err := f.planned(size); err != nil {
		f.close()
		return nil, err
	}
	return &Content{reader: r, file: f, size: size, sha256: sum, free: r.md5.keepServer(), whole: sha256.New()}, nil
}

// Close must not be called before all sections are dropped or their reads have ended.
func (c *Content) Close() {
	c.free()
	c.file.close()
}

// Planned returns a *ChangedError unless the file has the planned size.
func (c *Content) Planned() error { return c.file.planned(c.size) }

// Next reads the next size bytes in order. Their MD5 is then being computed: the caller must call Drop.
func (c *Content) Next(ctx context.Context, size int64) (*Section, error) {
	s := c.section(c.next, size)
	err := s.readInOrder(ctx, func(chunk []byte) {
		c.whole.Write(chunk)
		s.crc = crc64nvme.Update(s.crc, chunk)
	})
	if err != nil {
		return nil, err
	}
	c.next += size
	c.crc = appendCRC(crc64nvme.NVME, c.crc, s.crc, size)
	s.sum = c.reader.md5.add(ctx, &partSum{section: s})
	return s, nil
}

// Finish returns the CRC-64/NVME of the whole after Next has read it, and a *ChangedError unless the
// SHA-256 is the planned one.
func (c *Content) Finish() (crc uint64, err error) {
	if err := c.Planned(); err != nil {
		return 0, err
	}
	return c.crc, c.samePlan(c.whole)
}

func (c *Content) samePlan(whole hash.Hash) error {
	if got := [32]byte(whole.Sum(nil)); got != c.sha256 {
		return &ChangedError{Path: c.file.path, Detail: fmt.Sprintf("its SHA-256 is %x, %x was planned", got, c.sha256)}
	}
	return nil
}

// Whole returns the whole content as one section, whose SHA-256 is computed while it is sent. The caller must
// call Drop.
func (c *Content) Whole(ctx context.Context) *Section {
	s := c.section(0, c.size)
	s.whole = true
	if s.Size <= laneFile {
		s.sum = c.reader.md5.add(ctx, &partSum{section: s, wanted: true})
	}
	return s
}

func (c *Content) section(off, size int64) *Section {
	return &Section{of: c, off: off, Size: size}
}
