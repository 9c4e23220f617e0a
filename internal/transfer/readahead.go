package transfer

import (
	"context"
	"slices"
	"sync"
)

// aheadBytes bounds how far files are read ahead of what storage has, in bytes over all uploads
// together. It must fit into the page cache of a small machine, or the senders read from disk what
// was read just before.
const aheadBytes = 256 * mebibyte

// readAhead shares out the bytes that may be read ahead. An upload that has none gets some at once,
// so none waits for another one's retries. Uploads that want more get it in the order in which they
// asked, as soon as it fits.
type readAhead struct {
	mu      sync.Mutex
	slots   int // of senders
	held    int64
	waiting []*share // at most one entry an upload
}

// share is what one upload has read ahead. Only one goroutine may reserve.
type share struct {
	budget  *readAhead
	held    int64
	wanted  int64
	granted chan struct{}
}

// fits reports whether s may have n bytes more; b.mu is held. Parts that are too large for the
// budget would leave senders idle, so one part for each of them and one more always fit.
func (b *readAhead) fits(s *share, n int64) bool {
	return s.held == 0 || b.held+n <= max(aheadBytes, int64(b.slots+1)*n)
}

func (b *readAhead) resize(slots int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slots = slots
	b.grant()
}

// ask asks for n bytes and returns a channel that is closed once they are granted.
func (s *share) ask(n int64) <-chan struct{} {
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	s.wanted, s.granted = n, make(chan struct{})
	b.waiting = append(b.waiting, s)
	b.grant()
	return s.granted
}

// withdraw takes back what was asked for, whether or not it has been granted.
func (s *share) withdraw() {
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, s); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
		return
	}
	s.giveBack(s.wanted)
}

// release gives n bytes back.
func (s *share) release(n int64) {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.giveBack(n)
}

// close gives back all that is left.
func (s *share) close() {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.giveBack(s.held)
}

// giveBack and grant are called with the budget's mu held.
func (s *share) giveBack(n int64) {
	s.held -= n
	s.budget.held -= n
	s.budget.grant()
}

func (b *readAhead) grant() {
	b.waiting = slices.DeleteFunc(b.waiting, func(s *share) bool {
		if !b.fits(s, s.wanted) {
			return false
		}
		s.held += s.wanted
		b.held += s.wanted
		close(s.granted)
		return true
	})
}

// reserve waits until n bytes more of an upload's file may be read ahead.
func (e *Engine) reserve(ctx context.Context, s *share, n int64) error {
	granted := s.ask(n)
	select {
	case <-granted:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		s.withdraw()
		return context.Cause(ctx)
	}
	return nil
}
