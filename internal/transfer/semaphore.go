package transfer

import (
	"context"
	"slices"
	"sync"
)

// semaphore has a fixed number of slots. Each upload has a queue of its own, and released slots go to
// the queues in turn. So an upload of thousands of parts gets no more slots than one of a single part.
type semaphore struct {
	mu     sync.Mutex
	free   int
	queues []*queue // not empty; the first one is served next
}

// queue holds the waiters of one upload, first come first served.
type queue struct {
	waiting []*waiter
}

// waiter is a place in a queue.
type waiter struct {
	of  *queue
	has chan struct{} // closed once it has a slot
}

func newSemaphore(slots int) *semaphore {
	return &semaphore{free: max(slots, 1)}
}

// enqueue takes the next place in a queue without waiting. The caller must call wait for it.
func (s *semaphore) enqueue(q *queue) *waiter {
	w := &waiter{of: q, has: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free > 0 {
		s.free--
		close(w.has)
		return w
	}
	if len(q.waiting) == 0 {
		s.queues = append(s.queues, q)
	}
	q.waiting = append(q.waiting, w)
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
	q := w.of
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		if len(q.waiting) == 0 {
			s.queues = slices.DeleteFunc(s.queues, func(o *queue) bool { return o == q })
		}
		s.mu.Unlock()
	} else {
		// It got a slot before ctx ended, or at the same moment. Pass it on.
		s.mu.Unlock()
		s.release()
	}
	return context.Cause(ctx)
}

func (s *semaphore) acquire(ctx context.Context, q *queue) error {
	return s.wait(ctx, s.enqueue(q))
}

// release gives a slot back.
func (s *semaphore) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queues) == 0 {
		s.free++
		return
	}
	q := s.queues[0]
	s.queues = s.queues[1:]
	first := q.waiting[0]
	q.waiting = q.waiting[1:]
	if len(q.waiting) > 0 {
		s.queues = append(s.queues, q)
	}
	close(first.has)
}
