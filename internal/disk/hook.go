package disk

import "os"

// Op is an operation on a file.
type Op string

// The operations that a Hook sees.
const (
	OpOpen   Op = "open"
	OpCreate Op = "create" // open, if need be creating it
	OpRead   Op = "read"
	OpWrite  Op = "write"
	OpSync   Op = "sync"
	OpRename Op = "rename" // path is the new name
	OpRemove Op = "remove"
	OpLock   Op = "lock"
)

// Hook is called before an operation on the file at path. The operation returns its error. n is how
// many bytes a write is about to write, and how many it writes before it fails. A nil Hook is
// the real disk; tests have one that fails as disks do.
type Hook func(op Op, path string, n int) (written int, err error)

// Before calls the hook for an operation other than a write.
func (h Hook) Before(op Op, path string) error {
	if h == nil {
		return nil
	}
	_, err := h(op, path, 0)
	return err
}

// File returns an open file whose operations call the hook first.
func (h Hook) File(f *os.File) *File { return &File{f, h} }

// File is an open file.
type File struct {
	*os.File

	hook Hook
}

func (f *File) Read(p []byte) (int, error) {
	if err := f.hook.Before(OpRead, f.Name()); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// ReadAt reads as os.File.ReadAt does.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if err := f.hook.Before(OpRead, f.Name()); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *File) Write(p []byte) (int, error) {
	if f.hook == nil {
		return f.File.Write(p)
	}
	n, failure := f.hook(OpWrite, f.Name(), len(p))
	if failure == nil {
		n = len(p)
	}
	n, err := f.File.Write(p[:n])
	if failure != nil {
		err = failure
	}
	return n, err
}

// Sync syncs as os.File.Sync does.
func (f *File) Sync() error {
	if err := f.hook.Before(OpSync, f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}
