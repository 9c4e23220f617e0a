// Package digest knows what a file contains: its SHA-256, the MD5 and the CRC-64/NVME of its parts,
// and whatever checksum of a part storage returns.
//
// A file is read once in order, for the SHA-256 of the whole and the CRC of each part
// (Content.Next). The MD5 of a part is computed while the part is sent (Section.Stream), or on its
// own where it is needed earlier (Section.MD5): both read the part again, from the page cache, and
// the CRC proves that they see the same bytes. A plan computes all of this (Reader.Hash). An upload
// that is given the sums of its plan reads only what it sends.
//
// Limits: regular files only. Files are not locked: a change is detected, not prevented. Memory
// depends neither on the size nor on the number of files.
package digest

import (
	"bytes"
	"io/fs"
	"os"
	"sync"
)

// Reader reads files. One serves the whole process: it shares out the processors to all files. It
// is safe for concurrent use.
type Reader struct {
	open  func(path string) (Handle, fs.FileInfo, error)
	turns turns

	mu      sync.Mutex
	digests map[string]chan known // what Hash has found, by absolute path
}

// NewReader returns a Reader of the files that open opens. It starts nothing, so there is nothing
// to close.
func NewReader(open func(path string) (Handle, fs.FileInfo, error)) *Reader {
	return &Reader{open: open, turns: newTurns(), digests: make(map[string]chan known)}
}

// Stat opens the file at path, which must be a regular file with content, and describes it. The
// error is a *FileError.
func Stat(path string) (os.FileInfo, error) {
	f, err := openFile(OnDisk(nil), path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return f.info, nil
}

// Open opens the file at path for an upload. The error is a *FileError, or a *ChangedError if the
// file does not have the planned size. The caller must call Close.
func (r *Reader) Open(path string, plan Plan) (*Content, error) {
	f, err := openFile(r.open, path)
	if err != nil {
		return nil, err
	}
	return r.planned(f, plan)
}

// Bytes is Open for content in memory. name is for errors.
func (r *Reader) Bytes(name string, b []byte, plan Plan) (*Content, error) {
	m := memory{bytes.NewReader(b)}
	return r.planned(&file{handle: m, path: name, info: m}, plan)
}

func (r *Reader) planned(f *file, plan Plan) (*Content, error) {
	if err := f.checkSize(plan.Size); err != nil {
		f.close()
		return nil, err
	}
	return r.content(f, plan), nil
}
