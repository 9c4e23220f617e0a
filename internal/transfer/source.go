package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/vodlive/terraform-provider-vodlive/internal/regularfile"
)

// handle is an open file.
type handle interface {
	io.ReaderAt
	io.Closer
	Stat() (os.FileInfo, error)
}

// files opens files.
type files struct {
	open      func(path string) (handle, error)
	perReader bool // each goroutine that reads gets a handle of its own
}

// systemFiles opens files of the operating system. On Windows, reads through one handle wait for each
// other.
func systemFiles() files {
	return files{
		open: func(path string) (handle, error) {
			file, _, err := regularfile.Open(path)
			return file, err
		},
		perReader: runtime.GOOS == "windows",
	}
}

// source is an open regular file that is not empty.
type source struct {
	files files
	file  handle
	path  string
	info  os.FileInfo // as it was when opened
}

// section is a range of bytes of a file.
type section struct {
	src       *source
	off, size int64
}

func (s section) changed() error {
	return &ChangedError{Path: s.src.path, Detail: fmt.Sprintf("its bytes %d to %d were written to while it was sent", s.off, s.off+s.size-1)}
}

// Stat opens the file at path, which must be a regular file with content, and describes it. The error
// is a *FileError.
func Stat(path string) (os.FileInfo, error) {
	s, err := systemFiles().source(path)
	if err != nil {
		return nil, err
	}
	s.close()
	return s.info, nil
}

func (f files) source(path string) (*source, error) {
	file, err := f.open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	info, err := file.Stat()
	if err == nil && info.Size() == 0 {
		err = &FileError{Path: path, Problem: FileEmpty}
	}
	if err != nil {
		_ = file.Close()
		return nil, fileError(path, err)
	}
	return &source{files: f, file: file, path: path, info: info}, nil
}

func (s *source) close() { _ = s.file.Close() }

// reader returns the file for the reads of one more goroutine. The caller must call done.
func (s *source) reader() (r *source, done func(), err error) {
	if !s.files.perReader {
		return s, func() {}, nil
	}
	r, err = s.files.source(s.path)
	if err != nil {
		return nil, func() {}, err
	}
	if !os.SameFile(r.info, s.info) || r.size() != s.size() {
		r.close()
		return nil, func() {}, &ChangedError{Path: s.path, Detail: "another file took its place while it was sent"}
	}
	return r, r.close, nil
}

func (s *source) size() int64 { return s.info.Size() }

// planned compares the file's size now with the planned one.
func (s *source) planned(size int64) error {
	info, err := s.file.Stat()
	if err != nil {
		return fileError(s.path, err)
	}
	if info.Size() != size {
		return &ChangedError{Path: s.path, Detail: fmt.Sprintf("it has %d bytes, %d were planned", info.Size(), size)}
	}
	return nil
}

// untouched reports whether size and modification time are still those at opening.
func (s *source) untouched() error {
	info, err := s.file.Stat()
	if err != nil {
		return fileError(s.path, err)
	}
	if info.Size() != s.info.Size() || !info.ModTime().Equal(s.info.ModTime()) {
		return &ChangedError{Path: s.path, Detail: "it was written to while it was read"}
	}
	return nil
}

// readAt fills p from an offset. It is a ChangedError if the file ends before.
func (s *source) readAt(p []byte, off int64) error {
	n, err := s.file.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return &ChangedError{Path: s.path, Detail: fmt.Sprintf("it ends at byte %d, %d were there before", off+int64(n), s.size())}
	default:
		return fileError(s.path, err)
	}
}

// chunks reads a section in order and calls use with each bufferful.
func (s section) chunks(ctx context.Context, buf []byte, use func(chunk []byte) error) error {
	for off, end := s.off, s.off+s.size; off < end; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunk := buf[:min(end-off, int64(len(buf)))]
		if err := s.src.readAt(chunk, off); err != nil {
			return err
		}
		if err := use(chunk); err != nil {
			return err
		}
		off += int64(len(chunk))
	}
	return nil
}

func fileError(path string, err error) error {
	if e, ok := errors.AsType[*FileError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*regularfile.IrregularError](err); ok {
		return &FileError{Path: path, Problem: irregular(e.Mode)}
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	problem := FileUnreadable
	if errors.Is(err, fs.ErrNotExist) {
		problem = FileMissing
	}
	return &FileError{Path: path, Problem: problem, Err: err}
}

func irregular(mode fs.FileMode) FileProblem {
	switch {
	case mode.IsDir():
		return FileIsFolder
	case mode&fs.ModeDevice != 0:
		return FileIsDevice
	case mode&fs.ModeSocket != 0:
		return FileIsSocket
	case mode&fs.ModeNamedPipe != 0:
		return FileIsPipe
	}
	return FileIrregular
}
