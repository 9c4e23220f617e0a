package pace

import "slices"

// gate has a number of slots for PUTs in flight. A PUT passes it in two steps: at most as many PUTs
// as there are slots may prepare at one time, and those get the slots in the same order. The
// uploads are served in turn, so an upload of thousands of parts gets no more slots than one of a
// single part.
//
// Its methods are called with the Controller locked.
type gate struct {
	slots     int
	used      int       // may be more than slots, for a time, when there are fewer than before
	queues    []*Sender // with PUTs that wait to prepare; the first one is served next
	preparing []*Turn   // in the order in which they get slots
}

// enqueue adds a turn at the end of its upload's queue.
func (g *gate) enqueue(t *Turn) {
	if len(t.sender.waiting) == 0 {
		g.queues = append(g.queues, t.sender)
	}
	t.sender.waiting = append(t.sender.waiting, t)
	g.grant()
}

// leave ends a turn, wherever it is: in its queue, among those that prepare, or in a slot.
func (g *gate) leave(t *Turn) {
	switch {
	case slices.Contains(t.sender.waiting, t):
		t.sender.waiting = without(t.sender.waiting, t)
		if len(t.sender.waiting) == 0 {
			g.queues = without(g.queues, t.sender)
		}
	case slices.Contains(g.preparing, t):
		g.preparing = without(g.preparing, t)
	default:
		g.used--
	}
	g.grant()
}

func without[T comparable](all []T, one T) []T {
	return slices.DeleteFunc(all, func(other T) bool { return other == one })
}

// hasWaiting reports whether a PUT waits for a slot.
func (g *gate) hasWaiting() bool { return len(g.queues)+len(g.preparing) > 0 }

// grant lets PUTs prepare and begin.
func (g *gate) grant() {
	for {
		for len(g.preparing) < g.slots && len(g.queues) > 0 {
			g.prepareNext()
		}
		if g.used >= g.slots || len(g.preparing) == 0 {
			return
		}
		close(g.preparing[0].begin)
		g.preparing = g.preparing[1:]
		g.used++
	}
}

// prepareNext lets the next PUT of the next upload prepare.
func (g *gate) prepareNext() {
	u := g.queues[0]
	g.queues = g.queues[1:]
	t := u.waiting[0]
	u.waiting = u.waiting[1:]
	if len(u.waiting) > 0 {
		g.queues = append(g.queues, u)
	}
	g.preparing = append(g.preparing, t)
	close(t.prepare)
}
