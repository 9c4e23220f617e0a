package digest

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Digest is what a file contained when it was read.
type Digest struct {
	Size    int64 // bytes
	SHA256  [32]byte
	ModTime time.Time
}

// digests has the digests of the files that this process has read, by absolute path. Failed reads are not kept.
type digests struct {
	mu    sync.Mutex
	files map[string]memo
}

// memo holds one value: the latest digest, or nil. Who has taken it reads the file, if need be, and puts it back.
type memo chan *known

type known struct {
	Digest
	of os.FileInfo // as it was when the file was opened
}

// of returns the digest of a file.
func (d *digests) of(ctx context.Context, f *file, t turns) (Digest, error) {
	if ctx.Err() != nil {
		return Digest{}, context.Cause(ctx)
	}
	m := d.memo(f.path)
	select {
	case k := <-m:
		defer func() { m <- k }()
		if k == nil || !os.SameFile(k.of, f.info) || k.Size != f.info.Size() || !k.ModTime.Equal(f.info.ModTime()) {
			digest, err := t.hash(ctx, f)
			if err != nil {
				return Digest{}, err
			}
			k = &known{digest, f.info}
		}
		return k.Digest, nil
	case <-ctx.Done():
		return Digest{}, context.Cause(ctx)
	}
}

func (d *digests) memo(path string) memo {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m, ok := d.files[path]
	if !ok {
		m = make(memo, 1)
		m <- nil
		d.files[path] = m
	}
	return m
}

func (t turns) hash(ctx context.Context, f *file) (Digest, error) {
	sum := sha256.New()
	if err := t.read(ctx, f, 0, f.info.Size(), func(chunk []byte) { sum.Write(chunk) }); err != nil {
		return Digest{}, err
	}
	return Digest{f.info.Size(), [32]byte(sum.Sum(nil)), f.info.ModTime()}, f.untouched()
}
