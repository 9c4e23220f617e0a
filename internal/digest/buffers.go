package digest

import "sync"

// buffers is a pool of byte slices that counts the bytes in use. It never waits: the turns and the MD5
// lanes already limit how many slices are in use.
type buffers struct {
	mu         sync.Mutex
	spare      map[int][][]byte
	held, peak int64
}

func (b *buffers) get(size int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held += int64(size)
	b.peak = max(b.peak, b.held)
	if s := b.spare[size]; len(s) > 0 {
		buf := s[len(s)-1]
		b.spare[size] = s[:len(s)-1]
		return buf
	}
	return make([]byte, size)
}

func (b *buffers) put(buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= int64(len(buf))
	if b.spare == nil {
		b.spare = make(map[int][][]byte)
	}
	b.spare[len(buf)] = append(b.spare[len(buf)], buf)
}

// account counts memory that others have allocated.
func (b *buffers) account(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held += size
	b.peak = max(b.peak, b.held)
}
