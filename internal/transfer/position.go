package transfer

import (
	"context"
	"sync"
)

// position is a place in a file that one goroutine advances and others wait for.
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

// end says that the position will not advance any more. All who wait get err.
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

// waitFor waits until the position is at least to, and returns it. After end it returns end's error,
// wherever the position is: a file with other content than planned must not be sent.
func (p *position) waitFor(ctx context.Context, to int64) (at int64, err error) {
	err = p.await(ctx, func() bool { at = p.at; return p.ended || p.at >= to })
	return at, err
}

// waitEnd waits for end and returns its error.
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
