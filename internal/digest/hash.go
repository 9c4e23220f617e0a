package digest

import (
	"context"
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
	Sums    Sums // of its parts; zero: not computed
}

// digests has the digests of the files that this process has read, by absolute path. Failed reads
// are not kept.
type digests struct {
	mu    sync.Mutex
	files map[string]memo
}

// memo holds one value: the latest digest, or nil. Who has taken it reads the file, if need be, and
// puts it back.
type memo chan *known

type known struct {
	Digest
	of os.FileInfo // as it was when the file was opened
}

// of returns the digest of a file.
func (d *digests) of(ctx context.Context, f *file, hash func() (Digest, error)) (Digest, error) {
	if ctx.Err() != nil {
		return Digest{}, context.Cause(ctx)
	}
	m := d.memo(f.path)
	select {
	case k := <-m:
		defer func() { m <- k }()
		if k == nil || !os.SameFile(k.of, f.info) || k.Size != f.info.Size() || !k.ModTime.Equal(f.info.ModTime()) {
			digest, err := hash()
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

// hash reads a file in order. The MD5s follow at a distance at which the parts are still in the
// page cache.
func (r *Reader) hash(ctx context.Context, f *file, partSize int64) (Digest, error) {
	d := Digest{Size: f.info.Size(), ModTime: f.info.ModTime(), Sums: Sums{PartSize: partSize}}
	c := r.content(f, Plan{Size: d.Size, PartSize: partSize})
	defer c.release()
	var begun []*Section // whose MD5 is not known yet
	defer func() {
		for _, s := range begun {
			s.Drop()
		}
	}()
	summed := func() error {
		sum, err := begun[0].MD5(ctx)
		d.Sums.Parts = append(d.Sums.Parts, PartSum{sum, begun[0].crc})
		if err == nil {
			begun = begun[1:]
		}
		return err
	}
	for c.next < d.Size {
		section, err := c.Next(ctx)
		if err != nil {
			return Digest{}, err
		}
		if partSize == 0 {
			break
		}
		begun = append(begun, section)
		for c.next-begun[0].off > 2*max(batchBytes, partSize) {
			if err := summed(); err != nil {
				return Digest{}, err
			}
		}
	}
	d.SHA256 = [32]byte(c.whole.Sum(nil))
	for len(begun) > 0 {
		if err := summed(); err != nil {
			return Digest{}, err
		}
	}
	return d, f.untouched()
}
