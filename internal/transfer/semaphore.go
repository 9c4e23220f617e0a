package transfer

import (
	"context"
	"slices"
	"sync"
)

// semaphore hands out a fixed number of slots. Those who wait stand in queues,
// one line per upload, and a freed slot goes to the queues in turn, so that an
// upload of thousands of parts gets no more than one of a single part.
type semaphore struct {
	mu     sync.Mutex
	free   int
	queues []*queue // those somebody waits in, the next to be served first
}

type queue struct {
	waiting []*waiter
}

// turn is a place in a line.
type waiter struct {
	of  *queue
	has chan struct{} // closed once it has a slot
}

func newSemaphore(slots int) *semaphore {
	return &semaphore{free: max(slots, 1)}
}

// join takes the next place in a line, without waiting. Each turn has to be
// waited for.
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

// wait waits for a slot. Without error the caller has to leave.
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
		// It had one already, or at the same moment: the next one gets it.
		s.mu.Unlock()
		s.release()
	}
	return context.Cause(ctx)
}

func (s *semaphore) acquire(ctx context.Context, q *queue) error {
	return s.wait(ctx, s.enqueue(q))
}

// leave gives a slot back.
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
