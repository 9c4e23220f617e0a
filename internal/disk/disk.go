// Package disk opens files. At a path that the user gives, a pipe, a device or a folder may stand,
// and take its place at any moment: opening a pipe waits for its other end, and opening some
// devices changes their state (Open). A Private is a folder of the provider's own, in which files
// are written in one step and locked. Tests make a disk fail with a Hook.
package disk

import (
	"errors"
	"io/fs"
	"os"
)

// IrregularError says that what stands at a path is no regular file.
type IrregularError struct{ Mode fs.FileMode }

func (e *IrregularError) Error() string {
	if e.Mode.IsDir() {
		return "it is a folder"
	}
	return "it is not a regular file"
}

// Open opens a regular file for reading and returns what it is. The error is an *IrregularError, or
// the cause of a *fs.PathError: without the path.
func Open(path string) (*File, fs.FileInfo, error) { return Hook(nil).Open(path) }

// Open is the function Open, with a hook.
func (h Hook) Open(path string) (*File, fs.FileInfo, error) {
	// Before it is opened: opening a tape rewinds it.
	info, err := os.Stat(path)
	if err := check(info, err); err != nil {
		return nil, nil, err
	}
	if err := h.Before(OpOpen, path); err != nil {
		return nil, nil, Cause(err)
	}
	file, info, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	return h.File(file), info, nil
}

// open opens what stands at the path by now.
func open(path string) (*os.File, fs.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|NonBlock, 0) // #nosec G304 -- the user names it
	if err != nil {
		return nil, nil, Cause(err)
	}
	info, err := file.Stat()
	if err := check(info, err); err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

func check(info fs.FileInfo, err error) error {
	if err != nil {
		return Cause(err)
	}
	if !info.Mode().IsRegular() {
		return &IrregularError{info.Mode()}
	}
	return nil
}

// Cause is the error below a *fs.PathError or an *os.LinkError, which repeat paths.
func Cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
