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

// turns are for reading files in order: as many files at once as there are processors, because SHA-256 keeps one
// busy. Those who wait are served in turn. Each turn is the buffer that it is read into, nil before the first use.
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
		select {
		case buf := <-t:
			if buf == nil {
				buf = make([]byte, orderBuffer)
			}
			err := readTurn(ctx, f, off, min(end, off+turnBytes), buf, use)
			t <- buf
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func readTurn(ctx context.Context, f *file, off, end int64, buf []byte, use func(chunk []byte)) error {
	for off < end {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunk := buf[:min(end-off, orderBuffer)]
		if err := f.readAt(chunk, off); err != nil {
			return err
		}
		use(chunk)
		off += int64(len(chunk))
	}
	return nil
}
