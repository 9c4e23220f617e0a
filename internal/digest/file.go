package digest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/disk"
)

// ChangedError says that a file has other content than planned, or changed while it was read or
// sent.
type ChangedError struct {
	Path   string
	Detail string // "it has 3 bytes, but 5 were planned"
	SHA256 string // of the content, in lower-case hex, if the whole was read and that alone differs from the plan; else ""
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s has changed: %s", e.Path, e.Detail)
}

// FileError says why a file cannot be sent.
type FileError struct {
	Path    string
	Problem FileProblem
	Err     error // cause, nil if Problem says it all
}

// FileProblem is what is wrong with a file.
type FileProblem string

// The problems of a FileError. Each reads as the end of "PATH ".
const (
	FileMissing    FileProblem = "does not exist"
	FileIsFolder   FileProblem = "is a folder, not a file"
	FileIsDevice   FileProblem = "is a device, not a file"
	FileIsSocket   FileProblem = "is a socket, not a file"
	FileIsPipe     FileProblem = "is a pipe, not a file"
	FileIrregular  FileProblem = "is not a regular file"
	FileUnreadable FileProblem = "cannot be read"
	FileEmpty      FileProblem = "is empty"
)

func (e *FileError) Error() string {
	s := e.Path + " " + string(e.Problem)
	if e.Err != nil && e.Problem == FileUnreadable {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *FileError) Unwrap() error { return e.Err }

// Handle is an open file.
type Handle interface {
	io.ReaderAt
	io.Closer
	Stat() (os.FileInfo, error)
}

// Files opens files.
type Files struct {
	Open      func(path string) (Handle, os.FileInfo, error)
	PerReader bool // each goroutine that reads gets a handle of its own
}

// SystemFiles opens files of the operating system. On Windows, reads through one handle wait for
// each other.
func SystemFiles(hook disk.Hook) Files {
	return Files{
		Open:      func(path string) (Handle, os.FileInfo, error) { return hook.Open(path) },
		PerReader: runtime.GOOS == "windows",
	}
}

// file is an open regular file that is not empty, or a content in memory.
type file struct {
	files  Files
	handle Handle
	path   string
	info   os.FileInfo // as it was when opened
}

func (s Files) open(path string) (*file, error) {
	handle, info, err := s.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if info.Size() == 0 {
		_ = handle.Close()
		return nil, &FileError{Path: path, Problem: FileEmpty}
	}
	return &file{files: s, handle: handle, path: path, info: info}, nil
}

func (f *file) close() { _ = f.handle.Close() }

// reader returns the file for the reads of one more goroutine, which must close it.
func (f *file) reader() (*file, error) {
	if !f.files.PerReader {
		return &file{handle: shared{f.handle}, path: f.path, info: f.info}, nil
	}
	r, err := f.files.open(f.path)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(r.info, f.info) || r.info.Size() != f.info.Size() {
		r.close()
		return nil, &ChangedError{Path: f.path, Detail: "another file took its place while it was sent"}
	}
	return r, nil
}

// shared is a handle that stays open for others.
type shared struct{ Handle }

func (shared) Close() error { return nil }

// planned compares the file's size now with the planned one.
func (f *file) planned(size int64) error {
	info, err := f.handle.Stat()
	if err != nil {
		return fileError(f.path, err)
	}
	if info.Size() != size {
		return &ChangedError{Path: f.path, Detail: fmt.Sprintf("it has %d bytes, but %d were planned", info.Size(), size)}
	}
	return nil
}

// untouched reports whether size and modification time are still those at opening.
func (f *file) untouched() error {
	info, err := f.handle.Stat()
	if err != nil {
		return fileError(f.path, err)
	}
	if size := info.Size(); size != f.info.Size() {
		return &ChangedError{Path: f.path, Detail: fmt.Sprintf("it has %d bytes, but had %d before", size, f.info.Size())}
	}
	if !info.ModTime().Equal(f.info.ModTime()) {
		return f.written()
	}
	return nil
}

func (f *file) written() error {
	return &ChangedError{Path: f.path, Detail: "it was written to while it was read"}
}

// readAt fills p from an offset. It is a ChangedError if the file ends before.
func (f *file) readAt(p []byte, off int64) error {
	n, err := f.handle.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return cmp.Or(f.untouched(), f.written())
	default:
		return fileError(f.path, err)
	}
}

func fileError(path string, err error) error {
	if e, ok := errors.AsType[*disk.IrregularError](err); ok {
		return &FileError{Path: path, Problem: irregular(e.Mode)}
	}
	problem := FileUnreadable
	if errors.Is(err, fs.ErrNotExist) {
		problem = FileMissing
	}
	return &FileError{Path: path, Problem: problem, Err: disk.Cause(err)}
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

// content is a handle on bytes in memory, and their fs.FileInfo.
type content struct{ *bytes.Reader }

func (c content) Stat() (fs.FileInfo, error) { return c, nil }
func (content) Close() error                 { return nil }
func (content) Name() string                 { return "" }
func (content) Mode() fs.FileMode            { return 0 }
func (content) ModTime() time.Time           { return time.Time{} }
func (content) IsDir() bool                  { return false }
func (content) Sys() any                     { return nil }
