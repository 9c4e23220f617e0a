package transfer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// source is an open regular file that is not empty.
type source struct {
	file *os.File
	path string
	info os.FileInfo // as it was when opened
}

func openSource(path string) (*source, error) {
	// Before opening: opening a pipe waits for its other end.
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if problem := kindProblem(info); problem != "" {
		return nil, &FileError{Path: path, Problem: problem}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	info, err = file.Stat()
	if err == nil {
		problem := kindProblem(info)
		if problem == "" && info.Size() == 0 {
			problem = FileEmpty
		}
		if problem == "" {
			return &source{file: file, path: path, info: info}, nil
		}
		err = &FileError{Path: path, Problem: problem}
	} else {
		err = fileError(path, err)
	}
	_ = file.Close()
	return nil, err
}

func (s *source) close() { _ = s.file.Close() }

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

// readAt fills p from the offset. A file that ends before is a changed one.
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

func kindProblem(info os.FileInfo) FileProblem {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return FileIsFolder
	case mode&fs.ModeDevice != 0:
		return FileIsDevice
	case mode&fs.ModeSocket != 0:
		return FileIsSocket
	case mode&fs.ModeNamedPipe != 0:
		return FileIsPipe
	default:
		return FileIrregular
	}
}

func fileError(path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	problem := FileUnreadable
	if errors.Is(err, fs.ErrNotExist) {
		problem = FileMissing
	}
	return &FileError{Path: path, Problem: problem, Err: err}
}
