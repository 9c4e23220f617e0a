package transfer

import (
	"context"
	"sync"
)

// mark is a position in a file that one goroutine moves and others wait for.
type position struct {
	mu    sync.Mutex
	at    int64
	ended bool
	err   error
	moved chan struct{} // closed at the next move; nil while nobody waits
}

func (p *position) advance(to int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to > p.at {
		p.at = to
		p.wake()
	}
}

// end says that the mark moves no more; err is what those who wait get.
func (p *position) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended, p.err = true, err
	p.wake()
}

func (p *position) wake() {
	if p.moved != nil {
		close(p.moved)
		p.moved = nil
	}
}

// reach waits until the mark is at or beyond a position, and returns where it is. The error of an
// ended mark comes first: nothing should be done with a file that was found wanting.
func (p *position) waitFor(ctx context.Context, to int64) (at int64, err error) {
	err = p.await(ctx, func() bool { at = p.at; return p.ended || p.at >= to })
	return at, err
}

// verdict waits for the end.
func (p *position) waitEnd(ctx context.Context) error {
	return p.await(ctx, func() bool { return p.ended })
}

func (p *position) await(ctx context.Context, met func() bool) error {
	for {
		p.mu.Lock()
		if met() {
			err := p.err
			p.mu.Unlock()
			return err
		}
		if p.moved == nil {
			p.moved = make(chan struct{})
		}
		moved := p.moved
		p.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
