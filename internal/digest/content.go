package digest

import (
	"context"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/minio/crc64nvme"
)

// Plan is what a file is expected to contain, and in what parts it is read.
type Plan struct {
	Size     int64 // bytes
	SHA256   [32]byte
	PartSize int64 // bytes; 0: one part, without its MD5
	Sums     Sums  // of the content with that SHA-256; used if they are of such parts
}

// Sums are those of the parts of a file, in order.
type Sums struct {
	PartSize int64 // bytes
	Parts    []PartSum
}

// PartSum is what is known of one part.
type PartSum struct {
	MD5 [md5.Size]byte
	CRC uint64 // CRC-64/NVME
}

// of returns the sums of each part of a plan, nil if these are of other parts.
func (s Sums) of(p Plan) []PartSum {
	if s.PartSize != p.PartSize || s.PartSize < 1 || int64(len(s.Parts)) != (p.Size-1)/s.PartSize+1 {
		return nil
	}
	return s.Parts
}

// Content is the content of one file that is read in parts.
type Content struct {
	file  *file
	turns turns
	md5s  *md5Queue
	plan  Plan

	sums  []PartSum // known before; nil: Next computes them
	whole hash.Hash // of what Next has read
	next  int64     // offset
	crc   uint64    // of all before
}

func (r *Reader) content(f *file, plan Plan) *Content {
	r.md5s.open()
	return &Content{file: f, turns: r.turns, md5s: r.md5s, plan: plan, sums: plan.Sums.of(plan), whole: sha256.New()}
}

// Close must not be called before all sections are dropped or their reads have ended.
func (c *Content) Close() {
	c.release()
	c.file.close()
}

// release is Close for a file that stays open.
func (c *Content) release() { c.md5s.close() }

// Planned returns a *ChangedError unless the file has the planned size.
func (c *Content) Planned() error { return c.file.planned(c.plan.Size) }

// Next returns the next part in order. If its sums are not known, it reads the part, and the MD5 is
// then being computed: the caller must call Drop unless MD5 has returned it.
func (c *Content) Next(ctx context.Context) (*Section, error) {
	s := &Section{of: c, off: c.next, Size: c.plan.Size}
	if c.plan.PartSize > 0 {
		s.Size = min(c.plan.PartSize, c.plan.Size-c.next)
	}
	if c.sums != nil {
		known := c.sums[s.off/c.plan.PartSize]
		s.md5, s.crc = known.MD5, known.CRC
	} else if err := c.read(ctx, s); err != nil {
		return nil, err
	}
	c.next += s.Size
	c.crc = appendCRC(crc64nvme.NVME, c.crc, s.crc, s.Size)
	return s, nil
}

func (c *Content) read(ctx context.Context, s *Section) error {
	alone := s.Size == c.plan.Size
	if alone && c.plan.PartSize > 0 { // no other part of this file shares the lanes, so there is nothing to wait for
		s.sum = c.md5s.add(c.file, s.off, s.Size, true)
	}
	err := c.turns.read(ctx, c.file, s.off, s.Size, func(chunk []byte) {
		c.whole.Write(chunk)
		s.crc = crc64nvme.Update(s.crc, chunk)
	})
	if err != nil {
		s.Drop()
		return err
	}
	if !alone {
		s.sum = c.md5s.add(c.file, s.off, s.Size, false)
	}
	return nil
}

// Finish returns the CRC-64/NVME of the whole after Next has returned all parts, and a
// *ChangedError if what it has read is not what was planned.
func (c *Content) Finish() (crc uint64, err error) {
	if err := c.Planned(); err != nil || c.sums != nil {
		return c.crc, err
	}
	if got := [32]byte(c.whole.Sum(nil)); got != c.plan.SHA256 {
		return 0, &ChangedError{
			Path: c.file.path, SHA256: hex.EncodeToString(got[:]), Detail: fmt.Sprintf("its SHA-256 is %x, but %x was planned", got, c.plan.SHA256),
		}
	}
	return c.crc, nil
}

// Section is one part of a file.
type Section struct {
	of   *Content
	off  int64
	Size int64 // bytes
	crc  uint64
	sum  *md5Sum // nil: md5 is known
	md5  [md5.Size]byte
}

// MD5 returns the known MD5, or waits until the MD5 of the bytes that Next has read is computed. It
// returns a *ChangedError if the file has other bytes by now. If ctx ends first, the MD5 is not
// computed any more.
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

// Checksum computes a checksum of the bytes that were hashed, in base64, "" for an unknown
// algorithm. But for CRC-64/NVME that needs another read of the file. Storage rarely returns other
// checksums, so they are computed only on demand.
func (s *Section) Checksum(ctx context.Context, name string) (string, error) {
	if name == crc64NVME {
		return encode64(s.crc), nil
	}
	a, ok := algorithm(name)
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
	name, value, _ := strings.Cut(checksum, ":")
	want, err := s.Checksum(ctx, name)
	return want != "" && value == want, err
}

func (s *Section) same(crc uint64) error {
	if crc != s.crc {
		return &ChangedError{Path: s.of.file.path, Detail: fmt.Sprintf("its bytes %d to %d are not those that were hashed before", s.off, s.off+s.Size-1)}
	}
	return nil
}

// Stream is one read of a section, for a request.
type Stream struct {
	section *Section
	file    *file
	read    int64
	crc     uint64
}

// Stream begins a read of the section. The caller must call Close.
func (s *Section) Stream() (*Stream, error) {
	f, err := s.of.file.reader()
	if err != nil {
		return nil, err
	}
	return &Stream{section: s, file: f}, nil
}

// Left is how many bytes are not read yet.
func (st *Stream) Left() int64 { return st.section.Size - st.read }

// Read reads len(p) bytes, or all that are left. It does not return the last ones if the section
// has other content than was hashed: that is a *ChangedError.
func (st *Stream) Read(p []byte) (int, error) {
	if st.Left() == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), st.Left())]
	if err := st.file.readAt(p, st.section.off+st.read); err != nil {
		return 0, err
	}
	st.crc = crc64nvme.Update(st.crc, p)
	if int64(len(p)) == st.Left() {
		if err := st.section.same(st.crc); err != nil {
			return 0, err
		}
	}
	st.read += int64(len(p))
	return len(p), nil
}

// Close ends the read.
func (st *Stream) Close() { st.file.close() }
