package transfer

import (
	"context"
	"slices"
	"sync"
)

// semaphore has a number of slots. Each upload has a queue of its own, and released slots go to the
// queues in turn. So an upload of thousands of parts gets no more slots than one of a single part.
type semaphore struct {
	mu     sync.Mutex
	slots  int
	used   int        // may be more than slots after resize
	queues []*queue   // not empty; the first one is served next
	then   *semaphore // in which a waiter queues as soon as it has a slot here; nil: none
}

// queue holds the waiters of one upload, first come first served.
type queue struct {
	waiting []*waiter
	then    *queue // in semaphore.then
}

// waiter is a place in a queue.
type waiter struct {
	of   *queue
	has  chan struct{} // closed once it has a slot
	then *waiter       // in semaphore.then
}

func newSemaphore(slots int) *semaphore { return &semaphore{slots: slots} }

// enqueue takes the next place in a queue without waiting. The caller must call wait for it.
func (s *semaphore) enqueue(q *queue) *waiter {
	w := &waiter{of: q, has: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(q.waiting) == 0 {
		s.queues = append(s.queues, q)
	}
	q.waiting = append(q.waiting, w)
	s.grant()
	return w
}

// wait waits for a slot. If it returns no error, the caller must call release.
func (s *semaphore) wait(ctx context.Context, w *waiter) error {
	if ctx.Err() == nil {
		select {
		case <-w.has:
			return nil
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := w.of
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		if len(q.waiting) == 0 {
			s.queues = slices.DeleteFunc(s.queues, func(o *queue) bool { return o == q })
		}
	} else {
		// It got a slot before ctx ended, or at the same moment. Pass it on.
		s.used--
		s.grant()
	}
	return context.Cause(ctx)
}

func (s *semaphore) acquire(ctx context.Context, q *queue) error {
	return s.wait(ctx, s.enqueue(q))
}

// try takes a slot if one is free and nobody waits for it. The caller must call release then.
func (s *semaphore) try() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used >= s.slots || len(s.queues) > 0 {
		return false
	}
	s.used++
	return true
}

// release gives a slot back.
func (s *semaphore) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	s.grant()
}

// resize changes the number of slots. Slots in use stay in use.
func (s *semaphore) resize(slots int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots = slots
	s.grant()
}

// usage returns how many slots are in use, how many there are, and whether somebody waits for one.
func (s *semaphore) usage() (used, slots int, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.slots, len(s.queues) > 0
}

// grant gives free slots to the queues in turn; s.mu is held.
func (s *semaphore) grant() {
	for s.used < s.slots && len(s.queues) > 0 {
		q := s.queues[0]
		s.queues = s.queues[1:]
		first := q.waiting[0]
		q.waiting = q.waiting[1:]
		if len(q.waiting) > 0 {
			s.queues = append(s.queues, q)
		}
		s.used++
		if s.then != nil {
			first.then = s.then.enqueue(q.then)
		}
		close(first.has)
	}
}
