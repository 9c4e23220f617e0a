package digest

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

// Digest is what a file contained when it was read.
type Digest struct {
	Size    int64 // bytes
	SHA256  [32]byte
	ModTime time.Time
	Sums    Sums // of its parts; zero: not computed
}

// known is the digest of a file as it was when it was opened; info is nil if there is none.
type known struct {
	Digest

	info fs.FileInfo
}

// Hash reads the file at path and returns what it contains: with the sums of its parts of partSize
// bytes, or without them if that is 0. Terraform plans an object twice, but the file is read once:
// another call returns the first result as long as size and modification time stay the same, and it
// is the same file. Whoever asks meanwhile waits for that read. The error is a *FileError, a
// *ChangedError if the file was written to meanwhile, or the context's.
func (r *Reader) Hash(ctx context.Context, path string, partSize int64) (Digest, error) {
	f, err := openFile(r.open, path)
	if err != nil {
		return Digest{}, err
	}
	defer f.close()
	digests := r.digestsOf(path)
	var k known
	select {
	case k = <-digests:
	case <-ctx.Done():
		return Digest{}, context.Cause(ctx)
	}
	defer func() { digests <- k }()
	if k.info != nil && os.SameFile(k.info, f.info) && k.Size == f.info.Size() && k.ModTime.Equal(f.info.ModTime()) {
		return k.Digest, nil
	}
	digest, err := r.hash(ctx, f, partSize)
	if err != nil {
		return Digest{}, err
	}
	k = known{digest, f.info}
	return digest, nil
}

// digestsOf returns a channel that holds the digest of a file, unless somebody computes it.
func (r *Reader) digestsOf(path string) chan known {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.digests[path] == nil {
		r.digests[path] = make(chan known, 1)
		r.digests[path] <- known{}
	}
	return r.digests[path]
}

// hash reads a file in order. The MD5s follow at a short distance, at which the parts are still in
// the page cache.
func (r *Reader) hash(ctx context.Context, f *file, partSize int64) (Digest, error) {
	d := Digest{Size: f.info.Size(), ModTime: f.info.ModTime()}
	c := r.content(f, Plan{Size: d.Size, PartSize: partSize})
	sums, inner := errgroup.WithContext(ctx)
	sums.SetLimit(cap(r.turns))
	parts := make([]PartSum, c.count())
	var readErr error
	for i := range parts {
		section, err := c.Next(inner)
		if err != nil {
			readErr = err
			break
		}
		if partSize > 0 {
			sums.Go(func() error {
				sum, err := section.MD5(inner)
				parts[i] = PartSum{sum, section.crc}
				return err
			})
		}
	}
	if err := sums.Wait(); err != nil {
		return Digest{}, err
	}
	if readErr != nil {
		return Digest{}, readErr
	}
	d.SHA256 = [32]byte(c.whole.Sum(nil))
	if partSize > 0 {
		d.Sums = Sums{PartSize: partSize, Parts: parts, CRC: c.crc}
	}
	return d, f.checkUntouched()
}
