package digest

import (
	"context"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"crypto/sha256"
	"fmt"
	"hash"
	"io"

	"github.com/minio/crc64nvme"
)

// Section is a range of bytes of a file.
type Section struct {
	of   *Content
	off  int64
	Size int64 // bytes
	crc  uint64
	sum  *partSum // nil: the MD5 is computed while the section is sent

	// Of a whole content: no read has been its first one before.
	whole bool
	md5   [md5.Size]byte
}

// MD5 waits for the MD5 of the bytes that were first read, and returns a *ChangedError if the file has others
// by now. When ctx ends first, the MD5 is not computed any more.
func (s *Section) MD5(ctx context.Context) ([md5.Size]byte, error) {
	if s.sum == nil {
		return s.md5, nil
	}
	if err := s.of.reader.md5.wait(ctx, s.sum); err != nil {
		return s.md5, err
	}
	return s.sum.md5, s.same(s.sum.crc)
}

// Drop ends the computation of the MD5. When it returns, nothing reads the file for it any more.
func (s *Section) Drop() {
	if s.sum != nil {
		s.of.reader.md5.drop(s.sum)
	}
}

func (s *Section) changed() error {
	return &ChangedError{Path: s.of.file.path, Detail: fmt.Sprintf("its bytes %d to %d were written to while it was sent", s.off, s.off+s.Size-1)}
}

func (s *Section) same(crc uint64) error {
	if crc != s.crc {
		return s.changed()
	}
	return nil
}

// readInOrder calls use with the content, chunk by chunk. Other files get their turn every 16 MiB.
func (s *Section) readInOrder(ctx context.Context, use func(chunk []byte)) error {
	r := s.of.reader
	for off, end := s.off, s.off+s.Size; off < end; off += turnBytes {
		if err := r.turn(ctx, s.of.file, off, min(end, off+turnBytes), use); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) turn(ctx context.Context, f *file, off, end int64, use func(chunk []byte)) error {
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	buf := r.buffers.get(orderBuffer)
	defer r.buffers.put(buf)
	for off < end {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunk := buf[:min(end-off, orderBuffer)]
		if err := f.readAt(chunk, off); err != nil {
			return err
		}
		use(chunk)
		off += int64(len(chunk))
	}
	return nil
}

// Stream is one read of a section, for a request.
type Stream struct {
	section *Section
	file    *file
	close   func()
	read    int64
	crc     uint64
	sha256  hash.Hash // of a whole content
	md5     hash.Hash // of a whole content, unless it is computed in the queue
}

// Stream begins a read of the section. The caller must call Close.
func (s *Section) Stream() (*Stream, error) {
	f, done, err := s.of.file.reader()
	if err != nil {
		return nil, err
	}
	st := &Stream{section: s, file: f, close: done}
	if s.whole {
		st.sha256 = sha256.New()
		if s.sum == nil {
			st.md5 = md5.New() //nolint:gosec // see above
		}
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
	if err := s.of.Planned(); err != nil {
		return err
	}
	s.crc = st.crc
	if st.md5 != nil {
		st.md5.Sum(s.md5[:0])
	}
	return s.of.samePlan(st.sha256)
}

// Close ends the read.
func (st *Stream) Close() { st.close() }
