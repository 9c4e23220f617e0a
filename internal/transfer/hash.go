package transfer

import (
	"context"
	"crypto/sha256"
	"path/filepath"
	"sync"
	"time"
)

// turnBytes is how much of one file is read before another file gets its turn.
const turnBytes = 16 * mebibyte

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
func (e *Engine) Hash(ctx context.Context, path string) (Digest, error) {
	if err := ctx.Err(); err != nil {
		return Digest{}, context.Cause(ctx)
	}
	src, err := e.files.source(path)
	if err != nil {
		return Digest{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	key := hashKey{path: abs, size: src.size(), modTime: src.info.ModTime().UTC(), id: fileID(src.info)}

	d := &e.digests
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
		go e.runHash(readCtx, key, call, src)
	} else {
		defer src.close()
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

func (e *Engine) runHash(ctx context.Context, key hashKey, call *hashCall, src *source) {
	defer call.cancel()
	defer src.close()
	sum := sha256.New()
	err := e.readThrough(ctx, section{src, 0, src.size()}, &queue{}, func(chunk []byte) error {
		sum.Write(chunk)
		return nil
	})
	if err == nil {
		err = src.untouched()
	}
	d := &e.digests
	d.mu.Lock()
	defer d.mu.Unlock()
	call.err = err
	if err == nil {
		call.digest = Digest{Size: src.size(), SHA256: [32]byte(sum.Sum(nil)), ModTime: src.info.ModTime()}
	} else if d.calls[key] == call {
		delete(d.calls, key)
	}
	close(call.done)
}

// readThrough reads a section in order and calls use with each chunk. It holds a reading
// slot meanwhile, and lets other files have it every 16 MiB.
func (e *Engine) readThrough(ctx context.Context, s section, q *queue, use func(chunk []byte) error) error {
	for end := s.off + s.size; s.off < end; s.off += s.size {
		s.size = min(end-s.off, turnBytes)
		if err := e.readTurn(ctx, s, q, use); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) readTurn(ctx context.Context, s section, q *queue, use func(chunk []byte) error) error {
	if err := e.readers.acquire(ctx, q); err != nil {
		return err
	}
	defer e.readers.release()
	buf := e.buffers.get(passBuffer)
	defer e.buffers.put(buf)
	return s.chunks(ctx, buf, use)
}
