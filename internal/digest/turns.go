package digest

import (
	"context"
	"runtime"
)

const (
	// turnBytes is how much of one file is read before another file gets its turn.
	turnBytes = 16 << 20
	// orderBuffer is the buffer in bytes of each turn.
	orderBuffer = 256 << 10
)

// turns are for reading files in order: as many files at once as there are processors, because
// SHA-256 keeps one busy. Those who wait are served in turn. Each turn is the buffer that it is
// read into, nil before the first use.
type turns chan []byte

func newTurns() turns {
	t := make(turns, max(2, runtime.GOMAXPROCS(0)))
	for range cap(t) {
		t <- nil
	}
	return t
}

// read calls use with size bytes of a file from an offset, chunk by chunk.
func (t turns) read(ctx context.Context, f *file, off, size int64, use func(chunk []byte)) error {
	for end := off + size; off < end; off += turnBytes {
		if err := t.turn(ctx, f, off, min(end, off+turnBytes), use); err != nil {
			return err
		}
	}
	return nil
}

func (t turns) turn(ctx context.Context, f *file, off, end int64, use func(chunk []byte)) error {
	var buf []byte
	select {
	case buf = <-t:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if buf == nil {
		buf = make([]byte, orderBuffer)
	}
	defer func() { t <- buf }()
	for ; off < end; off += orderBuffer {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunk := buf[:min(end-off, orderBuffer)]
		if err := f.readAt(chunk, off); err != nil {
			return err
		}
		use(chunk)
	}
	return nil
}
