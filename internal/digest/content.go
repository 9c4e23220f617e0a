package digest

import (
	"context"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/minio/crc64nvme"
)

// laneFile is the largest content in bytes whose MD5 is computed with those of others while all of it is
// sent. Larger ones are limited by the network, so their MD5 is computed on the way.
const laneFile = 64 << 20

// Content is the content of one file that is to be sent, with the plan for it.
type Content struct {
	file   *file
	turns  turns
	md5s   *md5Queue
	size   int64
	sha256 [32]byte

	whole hash.Hash // of what Next has read
	next  int64     // offset
	crc   uint64
}

func newContent(f *file, size int64, sum [32]byte, t turns, q *md5Queue) (*Content, error) {
	if err := f.planned(size); err != nil {
		f.close()
		return nil, err
	}
	q.open()
	return &Content{file: f, turns: t, md5s: q, size: size, sha256: sum, whole: sha256.New()}, nil
}

// Close must not be called before all sections are dropped or their reads have ended.
func (c *Content) Close() {
	c.md5s.close()
	c.file.close()
}

// Planned returns a *ChangedError unless the file has the planned size.
func (c *Content) Planned() error { return c.file.planned(c.size) }

// Next reads the next size bytes in order. Their MD5 is then being computed: the caller must call Drop.
func (c *Content) Next(ctx context.Context, size int64) (*Section, error) {
	s := &Section{of: c, off: c.next, Size: size}
	err := c.turns.read(ctx, c.file, s.off, size, func(chunk []byte) {
		c.whole.Write(chunk)
		s.crc = crc64nvme.Update(s.crc, chunk)
	})
	if err != nil {
		return nil, err
	}
	c.next += size
	c.crc = appendCRC(crc64nvme.NVME, c.crc, s.crc, size)
	s.sum = c.md5s.add(c.file, s.off, size, false)
	return s, nil
}

// Finish returns the CRC-64/NVME of the whole after Next has read it, and a *ChangedError unless the
// SHA-256 is the planned one.
func (c *Content) Finish() (crc uint64, err error) { return c.crc, c.samePlan(c.whole) }

func (c *Content) samePlan(whole hash.Hash) error {
	if err := c.Planned(); err != nil {
		return err
	}
	if got := [32]byte(whole.Sum(nil)); got != c.sha256 {
		return &ChangedError{Path: c.file.path, Detail: fmt.Sprintf("its SHA-256 is %x, %x was planned", got, c.sha256)}
	}
	return nil
}

// Whole returns the whole content as one section, whose SHA-256 is computed while it is sent. The caller must
// call Drop.
func (c *Content) Whole() *Section {
	s := &Section{of: c, Size: c.size, whole: true}
	if s.Size <= laneFile {
		s.sum = c.md5s.add(c.file, 0, s.Size, true)
	}
	return s
}

// Section is a range of bytes of a file.
type Section struct {
	of    *Content
	off   int64
	Size  int64 // bytes
	whole bool  // all of the content: its CRC and SHA-256 are those of the latest Stream
	crc   uint64
	sum   *md5Sum        // nil: the MD5 is computed while the section is sent, too
	md5   [md5.Size]byte // if sum is nil
}

// MD5 waits for the MD5 of the bytes that were first read, and returns a *ChangedError if the file has others
// by now. When ctx ends first, the MD5 is not computed any more.
func (s *Section) MD5(ctx context.Context) ([md5.Size]byte, error) {
	if s.sum == nil {
		return s.md5, nil
	}
	if err := s.of.md5s.wait(ctx, s.sum); err != nil {
		return s.md5, err
	}
	return s.sum.md5, s.same(s.sum.crc)
}

// Drop ends the computation of the MD5. When it returns, nothing reads the file for it any more.
func (s *Section) Drop() {
	if s.sum != nil {
		s.of.md5s.drop(s.sum)
	}
}

// Checksum computes a checksum of the bytes that were first read, in base64, "" for an unknown algorithm. But for
// CRC-64/NVME that needs a further read. Storage rarely returns other checksums, so they are computed only on
// demand.
func (s *Section) Checksum(ctx context.Context, algorithm string) (string, error) {
	if algorithm == crc64NVME {
		return encode64(s.crc), nil
	}
	a, ok := algorithms[algorithm]
	if !ok {
		return "", nil
	}
	sum, again := a.sum(), uint64(0)
	err := s.of.turns.read(ctx, s.of.file, s.off, s.Size, func(chunk []byte) {
		sum.Write(chunk)
		again = crc64nvme.Update(again, chunk)
	})
	if err == nil {
		err = s.same(again)
	}
	return base64.StdEncoding.EncodeToString(sum.Sum(nil)), err
}

// Has reports whether a checksum, as "crc64nvme:BASE64", is that of the section.
func (s *Section) Has(ctx context.Context, checksum string) (bool, error) {
	algorithm, value, _ := strings.Cut(checksum, ":")
	want, err := s.Checksum(ctx, algorithm)
	return want != "" && value == want, err
}

func (s *Section) same(crc uint64) error {
	if crc != s.crc {
		return &ChangedError{Path: s.of.file.path, Detail: fmt.Sprintf("its bytes %d to %d were written to while it was sent", s.off, s.off+s.Size-1)}
	}
	return nil
}

// Stream is one read of a section, for a request.
type Stream struct {
	section *Section
	file    *file
	read    int64
	crc     uint64
	sha256  hash.Hash // of a whole content
	md5     hash.Hash // of a section without sum
}

// Stream begins a read of the section. The caller must call Close.
func (s *Section) Stream() (*Stream, error) {
	f, err := s.of.file.reader()
	if err != nil {
		return nil, err
	}
	st := &Stream{section: s, file: f}
	if s.whole {
		st.sha256 = sha256.New()
	}
	if s.sum == nil {
		st.md5 = md5.New() //nolint:gosec // see above
	}
	return st, nil
}

// Left is how many bytes are not read yet.
func (st *Stream) Left() int64 { return st.section.Size - st.read }

// Read reads len(p) bytes, or all that are left. It does not return the last ones if the section has other
// content than planned, or than it had when it was first read: that is a *ChangedError.
func (st *Stream) Read(p []byte) (int, error) {
	if st.Left() == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), st.Left())]
	if err := st.file.readAt(p, st.section.off+st.read); err != nil {
		return 0, err
	}
	st.crc = crc64nvme.Update(st.crc, p)
	if st.sha256 != nil {
		st.sha256.Write(p)
	}
	if st.md5 != nil {
		st.md5.Write(p)
	}
	if int64(len(p)) == st.Left() {
		if err := st.verify(); err != nil {
			return 0, err
		}
	}
	st.read += int64(len(p))
	return len(p), nil
}

func (st *Stream) verify() error {
	s := st.section
	if !s.whole {
		return s.same(st.crc)
	}
	s.crc = st.crc
	if st.md5 != nil {
		st.md5.Sum(s.md5[:0])
	}
	return s.of.samePlan(st.sha256)
}

// Close ends the read.
func (st *Stream) Close() { st.file.close() }
