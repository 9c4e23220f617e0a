package transfer

import (
	"context"
	"slices"
	"sync"
)

// turnstile hands out a fixed number of slots. Those who wait stand in lines,
// one line per upload, and a freed slot goes to the lines in turn, so that an
// upload of thousands of parts gets no more than one of a single part.
type turnstile struct {
	mu    sync.Mutex
	free  int
	lines []*line // those somebody waits in, the next to be served first
}

type line struct {
	waiting []*turn
}

// turn is a place in a line.
type turn struct {
	of  *line
	has chan struct{} // closed once it has a slot
}

func newTurnstile(slots int) *turnstile {
	return &turnstile{free: max(slots, 1)}
}

// join takes the next place in a line, without waiting. Each turn has to be
// waited for.
func (t *turnstile) join(l *line) *turn {
	u := &turn{of: l, has: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		close(u.has)
		return u
	}
	if len(l.waiting) == 0 {
		t.lines = append(t.lines, l)
	}
	l.waiting = append(l.waiting, u)
	return u
}

// wait waits for a slot. Without error the caller has to leave.
func (t *turnstile) wait(ctx context.Context, u *turn) error {
	if ctx.Err() == nil {
		select {
		case <-u.has:
			return nil
		case <-ctx.Done():
		}
	}
	t.mu.Lock()
	l := u.of
	if i := slices.Index(l.waiting, u); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		if len(l.waiting) == 0 {
			t.lines = slices.DeleteFunc(t.lines, func(o *line) bool { return o == l })
		}
		t.mu.Unlock()
	} else {
		// It had one already, or at the same moment: the next one gets it.
		t.mu.Unlock()
		t.leave()
	}
	return context.Cause(ctx)
}

func (t *turnstile) enter(ctx context.Context, l *line) error {
	return t.wait(ctx, t.join(l))
}

// leave gives a slot back.
func (t *turnstile) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		t.free++
		return
	}
	l := t.lines[0]
	t.lines = t.lines[1:]
	first := l.waiting[0]
	l.waiting = l.waiting[1:]
	if len(l.waiting) > 0 {
		t.lines = append(t.lines, l)
	}
	close(first.has)
}
