package pace

import "slices"

// gate has a number of slots for PUTs in flight. A PUT passes it in two steps: at most as many PUTs
// as there are slots may prepare at one time, and those get the slots in the same order. Each
// upload has a queue of its own, and the queues are served in turn. So an upload of thousands of
// parts gets no more slots than one of a single part. And a PUT that has all of its file passes
// parts that only prepare, while parts have half of the slots: on a slow line, the parts that
// prepare take long. One such PUT may prepare beside as many others as there are slots.
//
// A slot can rest after its PUT: it may be lent, but nobody gets it who waits, until no PUT is in
// flight.
//
// Slots that nobody waits for can be lent. They are called back when somebody does.
//
// Its methods are called with the Controller locked.
type gate struct {
	slots     int
	used      int      // may be more than slots, for a time, when there are fewer than before
	parts     int      // of those in use, which parts have
	resting   int      // of those not in use, which nobody gets
	leaving   int      // of those in use, which are given back at once
	queues    []*queue // not empty; the first one is served next
	preparing []*place // in the order in which they get slots
	lent      []*place // not called back yet
}

// queue holds the places of one upload, first come first served.
type queue struct {
	waiting []*place
	whole   bool // a PUT has all of the file
}

// place is one PUT's place, first in a queue, then among those that prepare, then in a slot.
type place struct {
	of      *queue
	prepare chan struct{} // closed when the PUT may prepare
	begin   chan struct{} // closed when it has a slot
	recall  func()        // of a slot that is lent
	leaves  bool          // its slot is given back at once
	rests   bool          // its slot will rest
}

func (p *place) isWhole() bool { return p.of.whole }

// enqueue takes the next place in a queue.
func (g *gate) enqueue(q *queue) *place {
	p := &place{of: q, prepare: make(chan struct{}), begin: make(chan struct{})}
	if len(q.waiting) == 0 {
		g.queues = append(g.queues, q)
	}
	q.waiting = append(q.waiting, p)
	g.grant()
	return p
}

// leave gives up a place, whatever it has got so far.
func (g *gate) leave(p *place) {
	g.lent = without(g.lent, p)
	switch {
	case slices.Contains(p.of.waiting, p):
		if p.of.waiting = without(p.of.waiting, p); len(p.of.waiting) == 0 {
			g.queues = without(g.queues, p.of)
		}
	case slices.Contains(g.preparing, p):
		g.preparing = without(g.preparing, p)
	default:
		g.use(p, -1)
		if p.leaves {
			g.leaving--
		}
		if p.rests {
			g.resting++
		}
		if g.used == 0 {
			g.resting = 0
		}
	}
	g.grant()
}

func without[T comparable](all []T, one T) []T {
	return slices.DeleteFunc(all, func(o T) bool { return o == one })
}

// borrow takes a slot if one is free and nobody waits. recall is called when somebody does, once at
// most.
func (g *gate) borrow(q *queue, recall func()) (p *place, ok bool) {
	if g.used >= g.slots || g.waiting() {
		return nil, false
	}
	p = &place{of: q, recall: recall}
	g.use(p, 1)
	g.lent = append(g.lent, p)
	return p, true
}

// use counts a slot that a place gets, or gives back (-1).
func (g *gate) use(p *place, n int) {
	if g.used += n; !p.of.whole {
		g.parts += n
	}
}

// prepare lets the first place of a queue prepare.
func (g *gate) prepare(q *queue) {
	first := q.waiting[0]
	g.queues, q.waiting = without(g.queues, q), q.waiting[1:]
	if len(q.waiting) > 0 {
		g.queues = append(g.queues, q)
	}
	g.preparing = append(g.preparing, first)
	close(first.prepare)
}

// surplus reports whether a place must give its slot back, because there are fewer slots than are
// in use.
func (g *gate) surplus(p *place) bool {
	if !p.leaves && g.used-g.leaving > g.slots {
		p.leaves = true
		g.leaving++
	}
	return p.leaves
}

// waiting reports whether a PUT waits for a slot.
func (g *gate) waiting() bool { return len(g.queues)+len(g.preparing) > 0 }

// grant lets PUTs prepare and begin, and calls slots back.
func (g *gate) grant() {
	for {
		for len(g.preparing) < g.slots && len(g.queues) > 0 {
			g.prepare(g.queues[0])
		}
		passes := 2*g.parts >= g.slots
		if i := slices.IndexFunc(g.queues, func(q *queue) bool { return q.whole }); i >= 0 && passes && !slices.ContainsFunc(g.preparing, (*place).isWhole) {
			g.prepare(g.queues[i])
		}
		if g.used+g.resting >= g.slots || len(g.preparing) == 0 {
			break
		}
		next := g.preparing[0]
		if i := slices.IndexFunc(g.preparing, (*place).isWhole); i >= 0 && passes {
			next = g.preparing[i]
		}
		close(next.begin)
		g.preparing = without(g.preparing, next)
		g.use(next, 1)
	}
	if g.waiting() {
		for _, p := range g.lent {
			p.recall()
		}
		g.lent = nil
	}
}
