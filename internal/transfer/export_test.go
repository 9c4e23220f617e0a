package transfer

import "os"

// Memory returns the bytes of file content that the engine holds in buffers of its own, now and at
// most since it was made. Each request in flight comes on top, with the 32 KiB that the transport
// copies through.
func (e *Engine) Memory() (now, peak int64) {
	e.buffers.mu.Lock()
	defer e.buffers.mu.Unlock()
	return e.buffers.held, e.buffers.peak
}

// MemoryLimit is what Memory never exceeds, however many and however large the files are.
func (e *Engine) MemoryLimit() int64 {
	return int64(readingSlots())*passBuffer + laneCount*laneBuffer + laneServerBytes
}

// ReadAhead returns how many parts of size bytes may be read ahead.
func (e *Engine) ReadAhead(size int64) (parts int) {
	s := share{budget: e.schedule.ahead}
	defer s.close()
	for {
		select {
		case <-s.ask(size):
			parts++
		default:
			s.withdraw()
			return parts
		}
	}
}

// Connections returns how many connections the PUTs in flight have.
func (e *Engine) Connections() int {
	a := e.schedule.adaption
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.conns)
}

// Handle is an open file.
type Handle = handle

// OpenWith has files opened by open, each reader with a handle of its own if perReader.
func (e *Engine) OpenWith(open func(*os.File) Handle, perReader bool) {
	e.files = files{perReader: perReader, open: func(path string) (handle, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return open(f), nil
	}}
}
