package digest

import (
	"errors"
	"io/fs"
	"os"
)

// irregularError says that what stands at a path is no regular file.
type irregularError struct{ mode fs.FileMode }

func (e *irregularError) Error() string {
	if e.mode.IsDir() {
		return "it is a folder"
	}
	return "it is not a regular file"
}

// OnDisk opens regular files of the operating system. onRead, which may be nil, is called with the
// path before each read.
func OnDisk(onRead func(path string)) func(path string) (Handle, fs.FileInfo, error) {
	return func(path string) (Handle, fs.FileInfo, error) {
		f, info, err := openRegular(path)
		if err != nil {
			return nil, nil, err
		}
		if onRead == nil {
			return f, info, nil
		}
		return watched{f, onRead}, info, nil
	}
}

// openRegular opens a regular file. A pipe or a device may stand at the path, and take the place of
// a file at any moment: opening a pipe would wait for its other end, and opening a tape rewinds it.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err := checkRegular(info, err); err != nil {
		return nil, nil, err
	}
	return openNow(path)
}

// openNow opens what stands at the path by now.
func openNow(path string) (*os.File, fs.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0) // #nosec G304 -- the user names it
	if err != nil {
		return nil, nil, withoutPath(err)
	}
	info, err := file.Stat()
	if err := checkRegular(info, err); err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

func checkRegular(info fs.FileInfo, err error) error {
	if err != nil {
		return withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return &irregularError{info.Mode()}
	}
	return nil
}

// withoutPath returns the cause of a *fs.PathError.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// watched is a file whose reads are told.
type watched struct {
	*os.File
	onRead func(path string)
}

func (w watched) ReadAt(p []byte, off int64) (int, error) {
	w.onRead(w.Name())
	return w.File.ReadAt(p, off)
}
