package transfer

import (
	"context"
	"sync"
)

// mark is a position in a file that one goroutine moves and others wait for.
type mark struct {
	mu    sync.Mutex
	at    int64
	ended bool
	err   error
	moved chan struct{} // closed at the next move; nil while nobody waits
}

func (m *mark) advance(to int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if to > m.at {
		m.at = to
		m.wake()
	}
}

// end says that the mark moves no more; err is what those who wait get.
func (m *mark) end(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended, m.err = true, err
	m.wake()
}

func (m *mark) wake() {
	if m.moved != nil {
		close(m.moved)
		m.moved = nil
	}
}

// reach waits until the mark is at or beyond a position, and returns where it is. The error of an
// ended mark comes first: nothing should be done with a file that was found wanting.
func (m *mark) reach(ctx context.Context, to int64) (at int64, err error) {
	err = m.await(ctx, func() bool { at = m.at; return m.ended || m.at >= to })
	return at, err
}

// verdict waits for the end.
func (m *mark) verdict(ctx context.Context) error {
	return m.await(ctx, func() bool { return m.ended })
}

func (m *mark) await(ctx context.Context, met func() bool) error {
	for {
		m.mu.Lock()
		if met() {
			err := m.err
			m.mu.Unlock()
			return err
		}
		if m.moved == nil {
			m.moved = make(chan struct{})
		}
		moved := m.moved
		m.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
