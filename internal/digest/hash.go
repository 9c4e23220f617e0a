package digest

import (
	"context"
	"crypto/sha256"
	"path/filepath"
	"sync"
	"time"
)

// hashKey identifies a file and its content: what has the same key is not read again.
type hashKey struct {
	path    string
	size    int64
	modTime time.Time
	id      uint64
}

// digests has the digests of the files that this process has read. Failed reads are not kept.
type digests struct {
	mu    sync.Mutex
	calls map[hashKey]*hashCall
}

type hashCall struct {
	done    chan struct{}
	digest  Digest
	err     error
	waiting int
	cancel  context.CancelFunc
}

// Hash reads the file at path and returns its size, SHA-256 and modification
// time. A file is read once per process as long as its path, size,
// modification time and inode stay the same. Concurrent callers share one
// read, which is cancelled only when all of them have returned. Memory does not depend on the file's
// size. The error is a *FileError, a *ChangedError if the file was written to meanwhile, or the
// context's.
func (r *Reader) Hash(ctx context.Context, path string) (Digest, error) {
	if err := ctx.Err(); err != nil {
		return Digest{}, context.Cause(ctx)
	}
	f, err := r.files.open(path)
	if err != nil {
		return Digest{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	key := hashKey{path: abs, size: f.info.Size(), modTime: f.info.ModTime().UTC(), id: fileID(f.info)}

	d := &r.digests
	d.mu.Lock()
	call, running := d.calls[key]
	if !running {
		call = &hashCall{done: make(chan struct{})}
		if d.calls == nil {
			d.calls = make(map[hashKey]*hashCall)
		}
		d.calls[key] = call
		// The read goes on without the caller that started it, as long as others wait for it.
		var readCtx context.Context
		readCtx, call.cancel = context.WithCancel(context.WithoutCancel(ctx))
		go r.runHash(readCtx, key, call, f)
	} else {
		defer f.close()
	}
	call.waiting++
	d.mu.Unlock()

	select {
	case <-call.done:
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	call.waiting--
	select {
	case <-call.done:
		return call.digest, call.err
	default:
	}
	if call.waiting == 0 {
		call.cancel()
		if d.calls[key] == call {
			delete(d.calls, key)
		}
	}
	return Digest{}, context.Cause(ctx)
}

func (r *Reader) runHash(ctx context.Context, key hashKey, call *hashCall, f *file) {
	defer call.cancel()
	defer f.close()
	sum := sha256.New()
	whole := Section{of: &Content{reader: r, file: f}, Size: f.info.Size()}
	err := whole.readInOrder(ctx, func(chunk []byte) { sum.Write(chunk) })
	if err == nil {
		err = f.untouched()
	}
	d := &r.digests
	d.mu.Lock()
	defer d.mu.Unlock()
	call.err = err
	if err == nil {
		call.digest = Digest{Size: f.info.Size(), SHA256: [32]byte(sum.Sum(nil)), ModTime: f.info.ModTime()}
	} else if d.calls[key] == call {
		delete(d.calls, key)
	}
	close(call.done)
}
