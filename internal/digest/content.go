package digest

import (
	"context"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"github.com/minio/crc64nvme"
)

// Plan is what a file is expected to contain, and in what parts it is read.
type Plan struct {
	Size     int64 // bytes
	SHA256   [32]byte
	PartSize int64 // bytes; 0: one part
	Sums     Sums  // of the content with that SHA-256; used if they are of such parts
}

// Sums are those of the parts of a file, in order.
type Sums struct {
	PartSize int64 // bytes
	Parts    []PartSum
	CRC      uint64 // CRC-64/NVME of the whole; 0: not known
}

// PartSum is what is known of one part.
type PartSum struct {
	MD5 [md5.Size]byte
	CRC uint64 // CRC-64/NVME
}

// Content is the content of one file that is read in parts.
type Content struct {
	file  *file
	turns turns
	plan  Plan
	sums  []PartSum // of the plan; nil: Next computes the CRCs

	next  int64     // offset of the next part
	whole hash.Hash // of what Next has read
	crc   uint64    // the same
}

func (r *Reader) content(f *file, plan Plan) *Content {
	c := &Content{file: f, turns: r.turns, plan: plan, whole: sha256.New()}
	if s := plan.Sums; s.PartSize == plan.PartSize && s.PartSize > 0 && len(s.Parts) == c.count() {
		c.sums, c.crc = s.Parts, s.CRC
	}
	return c
}

// count returns the number of parts.
func (c *Content) count() int {
	if c.plan.PartSize == 0 {
		return 1
	}
	return int((c.plan.Size-1)/c.plan.PartSize + 1)
}

// Close must not be called before all reads of sections have ended.
func (c *Content) Close() { c.file.close() }

// Next returns the next part in order. If its sums are not known, it reads the part.
func (c *Content) Next(ctx context.Context) (*Section, error) {
	s := &Section{of: c, off: c.next, Size: c.plan.Size}
	if c.plan.PartSize > 0 {
		s.Size = min(c.plan.PartSize, c.plan.Size-c.next)
	}
	if c.sums != nil {
		sums := c.sums[s.off/c.plan.PartSize]
		s.crc, s.md5 = sums.CRC, &sums.MD5
	} else if err := c.turns.read(ctx, c.file, s.off, s.Size, func(chunk []byte) {
		c.whole.Write(chunk)
		c.crc = crc64nvme.Update(c.crc, chunk)
		s.crc = crc64nvme.Update(s.crc, chunk)
	}); err != nil {
		return nil, err
	}
	c.next += s.Size
	return s, nil
}

// Check returns a *ChangedError if the file has another size by now than was planned, or if what
// Next has read is not what was planned. It is called after Next has returned all parts.
func (c *Content) Check() error {
	if err := c.file.checkSize(c.plan.Size); err != nil || c.sums != nil {
		return err
	}
	got := [32]byte(c.whole.Sum(nil))
	if got == c.plan.SHA256 {
		return nil
	}
	return &ChangedError{
		Path: c.file.path, SHA256: hex.EncodeToString(got[:]), Detail: fmt.Sprintf("its SHA-256 is %x, but %x was planned", got, c.plan.SHA256),
	}
}

// Section is one part of a file.
type Section struct {
	of   *Content
	off  int64
	Size int64 // bytes
	crc  uint64

	mu  sync.Mutex
	md5 *[md5.Size]byte // nil: not known yet
}

func (s *Section) knownMD5() *[md5.Size]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.md5
}

func (s *Section) setMD5(sum []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.md5 = (*[md5.Size]byte)(sum)
}

// MD5 returns the MD5 of the bytes that Next has read. Unless it is known, the section is read
// again: the error is a *ChangedError if the file has other bytes by now.
func (s *Section) MD5(ctx context.Context) ([md5.Size]byte, error) {
	if known := s.knownMD5(); known != nil {
		return *known, nil
	}
	sum := newMD5()
	if err := s.readAgain(ctx, sum); err != nil {
		return [md5.Size]byte{}, err
	}
	s.setMD5(sum.Sum(nil))
	return *s.knownMD5(), nil
}

// Checksum computes a checksum of the bytes that Next has read, in base64, "" for an unknown
// algorithm. All but CRC-64/NVME need another read of the file.
func (s *Section) Checksum(ctx context.Context, name string) (string, error) {
	if name == crc64NVME {
		return encodeCRC(s.crc), nil
	}
	for _, a := range Algorithms {
		if a.Name == name {
			sum := a.sum()
			err := s.readAgain(ctx, sum)
			return encode(sum.Sum(nil)), err
		}
	}
	return "", nil
}

// Has reports whether a checksum, as "crc64nvme:BASE64", is that of the section.
func (s *Section) Has(ctx context.Context, checksum string) (bool, error) {
	name, value, _ := strings.Cut(checksum, ":")
	want, err := s.Checksum(ctx, name)
	return want != "" && value == want, err
}

func (s *Section) readAgain(ctx context.Context, sum hash.Hash) error {
	var crc uint64
	err := s.of.turns.read(ctx, s.of.file, s.off, s.Size, func(chunk []byte) {
		sum.Write(chunk)
		crc = crc64nvme.Update(crc, chunk)
	})
	if err != nil {
		return err
	}
	return s.checkSame(crc)
}

func (s *Section) checkSame(crc uint64) error {
	if crc == s.crc {
		return nil
	}
	return &ChangedError{Path: s.of.file.path, Detail: fmt.Sprintf("its bytes %d to %d are not those that were hashed before", s.off, s.off+s.Size-1)}
}

// Stream is one read of a section, for a request.
type Stream struct {
	section *Section
	read    int64
	crc     uint64
	sum     hash.Hash // nil: the MD5 is known
}

// Stream begins a read of the section.
func (s *Section) Stream() *Stream {
	st := &Stream{section: s}
	if s.knownMD5() == nil {
		st.sum = newMD5()
	}
	return st
}

// Left is how many bytes are not read yet.
func (st *Stream) Left() int64 { return st.section.Size - st.read }

// Read reads len(p) bytes, or all that are left. It does not return the last ones if the section
// has other content than Next has read: that is a *ChangedError.
func (st *Stream) Read(p []byte) (int, error) {
	if st.Left() == 0 {
		return 0, io.EOF
	}
	s := st.section
	p = p[:min(int64(len(p)), st.Left())]
	if err := s.of.file.readAt(p, s.off+st.read); err != nil {
		return 0, err
	}
	st.crc = crc64nvme.Update(st.crc, p)
	if st.sum != nil {
		st.sum.Write(p)
	}
	if int64(len(p)) == st.Left() {
		if err := s.checkSame(st.crc); err != nil {
			return 0, err
		}
		if st.sum != nil {
			s.setMD5(st.sum.Sum(nil))
		}
	}
	st.read += int64(len(p))
	return len(p), nil
}
