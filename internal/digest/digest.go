// Package digest knows what a file contains: its SHA-256, the MD5 and the CRC-64/NVME of its sections,
// and whatever checksum of a section storage returns.
//
// A file is read once in order, for its SHA-256 and the CRC of each section (Content.Next). The MD5 of a
// section is of a read of its own, from the page cache, together with those of other sections
// (Section.MD5). What is sent is read again (Section.Stream). The CRC proves that all these reads saw the
// same bytes: otherwise they end with a ChangedError.
//
// Limits: regular files only. Files are not locked: a change is detected, not prevented. Memory does not
// depend on the size or the number of files.
//
// Each file uses only those that follow it here: digest.go (a Reader of files), hash.go (the SHA-256 of a file),
// content.go (a file that is sent, its sections, and the reads of them), md5.go (MD5s of several sections at once),
// checksum.go (storage's checksums), turns.go (reads in order), file.go.
package digest

import (
	"bytes"
	"context"
	"os"
)

// Reader reads files. One serves the whole process: it shares out processor time and memory to all
// files. It is safe for concurrent use.
type Reader struct {
	files   Files
	turns   turns
	md5s    *md5Queue
	digests digests
}

// NewReader returns a Reader. It starts nothing, so there is nothing to close.
func NewReader(files Files) *Reader {
	return &Reader{files: files, turns: newTurns(), md5s: &md5Queue{}, digests: digests{files: make(map[string]memo)}}
}

// Stat opens the file at path, which must be a regular file with content, and describes it. The error
// is a *FileError.
func Stat(path string) (os.FileInfo, error) {
	f, err := SystemFiles(nil).open(path)
	if err != nil {
		return nil, err
	}
	f.close()
	return f.info, nil
}

// Hash reads the file at path and returns its size, SHA-256 and modification time. A file is read once per
// process as long as its path, size and modification time stay the same, and it is the same file. Others who ask
// meanwhile wait for that read. The error is a *FileError, a *ChangedError if the file was written to meanwhile, or
// the context's.
func (r *Reader) Hash(ctx context.Context, path string) (Digest, error) {
	f, err := r.files.open(path)
	if err != nil {
		return Digest{}, err
	}
	defer f.close()
	return r.digests.of(ctx, f, r.turns)
}

// Open opens the file at path, which is planned to have a size and a SHA-256. The error is a *FileError,
// or a *ChangedError if the size is another one.
func (r *Reader) Open(path string, size int64, sum [32]byte) (*Content, error) {
	f, err := r.files.open(path)
	if err != nil {
		return nil, err
	}
	return newContent(f, size, sum, r.turns, r.md5s)
}

// Bytes is Open for a content in memory. name is for errors.
func (r *Reader) Bytes(name string, b []byte, sum [32]byte) (*Content, error) {
	c := content{bytes.NewReader(b)}
	return newContent(&file{handle: c, path: name, info: c}, int64(len(b)), sum, r.turns, r.md5s)
}
