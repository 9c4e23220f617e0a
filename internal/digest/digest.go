// Package digest knows what a file contains: its SHA-256, the MD5 and the CRC-64/NVME of its parts,
// and whatever checksum of a part storage returns.
//
// A file is read once in order, for its SHA-256 and the CRC of each part (Content.Next). The MD5 of
// a part is of a read of its own, from the page cache, together with those of other parts
// (Section.MD5). A plan does this (Reader.Hash), or else the upload. An upload that is given the
// sums of its plan reads only what it sends. The CRC proves that a read saw the bytes that were
// hashed (Section.Stream): otherwise it ends with a ChangedError.
//
// Limits: regular files only. Files are not locked: a change is detected, not prevented. Memory
// does not depend on the size or the number of files.
//
// Each file uses only those that follow it here: digest.go (a Reader of files), hash.go (what a
// plan asks of a file), content.go (a file that is read in parts, and the reads of them), md5.go
// (MD5s of several parts at once), checksum.go (storage's checksums), exempt.go (hashes in FIPS
// 140-3 mode), turns.go (reads in order), file.go.
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

// Stat opens the file at path, which must be a regular file with content, and describes it. The
// error is a *FileError.
func Stat(path string) (os.FileInfo, error) {
	f, err := SystemFiles(nil).open(path)
	if err != nil {
		return nil, err
	}
	f.close()
	return f.info, nil
}

// Hash reads the file at path and returns what it contains: with the sums of its parts of partSize
// bytes, or without them if that is 0. A file is read once per process as long as its path, size
// and modification time stay the same, and it is the same file; the sums are those of the part size
// that was asked for first. Others who ask meanwhile wait for that read. The error is a *FileError,
// a *ChangedError if the file was written to meanwhile, or the context's.
func (r *Reader) Hash(ctx context.Context, path string, partSize int64) (Digest, error) {
	f, err := r.files.open(path)
	if err != nil {
		return Digest{}, err
	}
	defer f.close()
	return r.digests.of(ctx, f, func() (Digest, error) { return r.hash(ctx, f, partSize) })
}

// Open opens the file at path for an upload. The error is a *FileError, or a *ChangedError if it
// does not have the planned size.
func (r *Reader) Open(path string, plan Plan) (*Content, error) {
	f, err := r.files.open(path)
	if err != nil {
		return nil, err
	}
	return r.planned(f, plan)
}

// Bytes is Open for a content in memory. name is for errors.
func (r *Reader) Bytes(name string, b []byte, plan Plan) (*Content, error) {
	c := content{bytes.NewReader(b)}
	return r.planned(&file{handle: c, path: name, info: c}, plan)
}

func (r *Reader) planned(f *file, plan Plan) (*Content, error) {
	if err := f.planned(plan.Size); err != nil {
		f.close()
		return nil, err
	}
	return r.content(f, plan), nil
}
