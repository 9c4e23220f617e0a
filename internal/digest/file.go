package digest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// ChangedError says that a file has other content than planned, or changed while it was read or
// sent.
type ChangedError struct {
	Path   string
	Detail string // "it has 3 bytes, but 5 were planned"
	SHA256 string // of the content, in lower-case hex, if the whole was read and that alone differs from the plan; else ""
}

func (e *ChangedError) Error() string { return fmt.Sprintf("%s has changed: %s", e.Path, e.Detail) }

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
	FileIrregular  FileProblem = "is not a regular file"
	FileUnreadable FileProblem = "cannot be read"
	FileEmpty      FileProblem = "is empty"
)

func (e *FileError) Error() string {
	text := e.Path + " " + string(e.Problem)
	if e.Err != nil && e.Problem == FileUnreadable {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *FileError) Unwrap() error { return e.Err }

func fileError(path string, err error) error {
	problem, cause := FileUnreadable, withoutPath(err)
	irregular, ok := errors.AsType[*irregularError](err)
	switch {
	case ok && irregular.mode.IsDir():
		problem, cause = FileIsFolder, nil
	case ok && irregular.mode&fs.ModeDevice != 0:
		problem, cause = FileIsDevice, nil
	case ok:
		problem, cause = FileIrregular, nil
	case errors.Is(err, fs.ErrNotExist):
		problem = FileMissing
	}
	return &FileError{Path: path, Problem: problem, Err: cause}
}

// Handle is an open file.
type Handle interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// file is an open regular file that is not empty, or content in memory.
type file struct {
	handle Handle
	path   string
	info   fs.FileInfo // as it was when opened
}

func openFile(open func(path string) (Handle, fs.FileInfo, error), path string) (*file, error) {
	handle, info, err := open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if info.Size() == 0 {
		_ = handle.Close()
		return nil, &FileError{Path: path, Problem: FileEmpty}
	}
	return &file{handle, path, info}, nil
}

func (f *file) close() { _ = f.handle.Close() }

// checkSize compares the size of the file now with the planned one.
func (f *file) checkSize(planned int64) error {
	info, err := f.handle.Stat()
	if err != nil {
		return fileError(f.path, err)
	}
	if info.Size() != planned {
		return &ChangedError{Path: f.path, Detail: fmt.Sprintf("it has %d bytes, but %d were planned", info.Size(), planned)}
	}
	return nil
}

// checkUntouched compares size and modification time with those when the file was opened.
func (f *file) checkUntouched() error {
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

// readAt fills p from an offset. The error is a *ChangedError if the file ends before.
func (f *file) readAt(p []byte, off int64) error {
	n, err := f.handle.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return cmp.Or(f.checkUntouched(), f.written())
	}
	return fileError(f.path, err)
}

// memory is a handle on bytes in memory, and their fs.FileInfo.
type memory struct{ *bytes.Reader }

func (m memory) Stat() (fs.FileInfo, error) { return m, nil }
func (memory) Close() error                 { return nil }
func (memory) Name() string                 { return "" }
func (memory) Mode() fs.FileMode            { return 0 }
func (memory) ModTime() time.Time           { return time.Time{} }
func (memory) IsDir() bool                  { return false }
func (memory) Sys() any                     { return nil }
