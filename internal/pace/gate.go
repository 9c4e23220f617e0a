package pace

import (
	"context"
	"slices"
	"sync"
)

// gate has a number of slots for PUTs in flight. A PUT passes it in two steps: at most as many PUTs as there
// are slots may prepare at one time, and those get the slots in the same order. Each upload has a queue of its
// own, and the queues are served in turn. So an upload of thousands of parts gets no more slots than one of a
// single part.
//
// Slots that nobody waits for can be lent. They are called back when somebody does.
type gate struct {
	mu        sync.Mutex
	slots     int
	used      int      // may be more than slots after resize
	queues    []*queue // not empty; the first one is served next
	preparing []*place // in the order in which they get slots
	lent      []*loan
}

// queue holds the places of one upload, first come first served.
type queue struct{ waiting []*place }

// place is one PUT's place, first in a queue, then among those that prepare.
type place struct {
	of      *queue
	prepare chan struct{} // closed when the PUT may prepare
	begin   chan struct{} // closed when it has a slot
}

// loan is a slot that is lent.
type loan struct{ recall func() }

func newGate(slots int) *gate { return &gate{slots: slots} }

// enqueue takes the next place in a queue.
func (g *gate) enqueue(q *queue) *place {
	p := &place{of: q, prepare: make(chan struct{}), begin: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(q.waiting) == 0 {
		g.queues = append(g.queues, q)
	}
	q.waiting = append(q.waiting, p)
	g.grant()
	return p
}

// await waits for an event of a place. If ctx ends first, the place is given up.
func (g *gate) await(ctx context.Context, p *place, event <-chan struct{}) error {
	if ctx.Err() == nil {
		select {
		case <-event:
			return nil
		case <-ctx.Done():
		}
	}
	g.leave(p)
	return context.Cause(ctx)
}

// leave gives up a place, whatever it has got so far.
func (g *gate) leave(p *place) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(p.of.waiting, p); i >= 0 {
		p.of.waiting = slices.Delete(p.of.waiting, i, i+1)
		if len(p.of.waiting) == 0 {
			g.queues = slices.DeleteFunc(g.queues, func(o *queue) bool { return o == p.of })
		}
	} else if i := slices.Index(g.preparing, p); i >= 0 {
		g.preparing = slices.Delete(g.preparing, i, i+1)
	} else {
		g.used--
	}
	g.grant()
}

// borrow takes a slot if one is free and nobody waits. recall is called when somebody does, once at most, and
// with the gate locked. The slot is taken until giveBack.
func (g *gate) borrow(recall func()) (l *loan, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used >= g.slots || g.waiting() {
		return nil, false
	}
	g.used++
	l = &loan{recall}
	g.lent = append(g.lent, l)
	return l, true
}

func (g *gate) giveBack(l *loan) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lent = slices.DeleteFunc(g.lent, func(o *loan) bool { return o == l })
	g.used--
	g.grant()
}

// resize changes the number of slots. Slots in use stay in use.
func (g *gate) resize(slots int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slots = slots
	g.grant()
}

// usage returns how many slots there are, whether all are in use, and no more, and whether somebody waits.
func (g *gate) usage() (slots int, full, waiting bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.slots, g.used == g.slots, g.waiting()
}

func (g *gate) waiting() bool { return len(g.queues)+len(g.preparing) > 0 }

// grant lets PUTs prepare and begin; g.mu is held.
func (g *gate) grant() {
	for {
		for len(g.preparing) < g.slots && len(g.queues) > 0 {
			q := g.queues[0]
			g.queues = g.queues[1:]
			first := q.waiting[0]
			q.waiting = q.waiting[1:]
			if len(q.waiting) > 0 {
				g.queues = append(g.queues, q)
			}
			g.preparing = append(g.preparing, first)
			close(first.prepare)
		}
		if g.used >= g.slots || len(g.preparing) == 0 {
			break
		}
		close(g.preparing[0].begin)
		g.preparing = g.preparing[1:]
		g.used++
	}
	if g.waiting() {
		for _, l := range g.lent {
			l.recall()
		}
		g.lent = nil
	}
}
