package digest

import (
	"context"
	"runtime"
)

const (
	// turnBytes is how much of one file is read before another file gets its turn.
	turnBytes = 16 << 20
	// turnBuffer is the buffer in bytes of each turn.
	turnBuffer = 256 << 10
)

// turns are for hashing: as many reads at once as there are processors, because each keeps one
// busy. Whoever waits is served in turn. Each turn is the buffer that it is read into, nil before
// the first use.
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
		if err := t.readTurn(ctx, f, off, min(end, off+turnBytes), use); err != nil {
			return err
		}
	}
	return nil
}

func (t turns) readTurn(ctx context.Context, f *file, off, end int64, use func(chunk []byte)) error {
	var buf []byte
	select {
	case buf = <-t:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { t <- buf }()
	if buf == nil {
		buf = make([]byte, turnBuffer)
	}
	for ; off < end; off += turnBuffer {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunk := buf[:min(end-off, turnBuffer)]
		if err := f.readAt(chunk, off); err != nil {
			return err
		}
		use(chunk)
	}
	return nil
}
