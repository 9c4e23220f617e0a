// Package pace decides when PUTs begin, how many are in flight, and which one is sent once more.
// One Controller serves all uploads of a process. It knows neither files nor HTTP: its caller says
// what was sent and stored.
//
// Each PUT has a Turn. Sender.Next waits until the PUT may prepare: its content is read, and its
// address is asked for, while the PUTs before it are in flight, so that no connection waits for
// either. Turn.Run waits for a slot and makes the PUT. While it is in flight, Turn.Hedge says
// whether to send the content once more.
//
// One lock, the Controller's, guards all state. pace.go has what callers use; gate.go decides whose
// turn it is, goodput.go how many slots there are, and lag.go which PUT is slow.
package pace

import (
	"context"
	"sync"
	"time"
)

// Controller paces the PUTs of all uploads. It is safe for concurrent use.
type Controller struct {
	mu      sync.Mutex
	gate    gate
	goodput *goodput // nil: the number of slots is fixed
	senders map[*Sender]bool
}

// New returns a Controller with a number of slots, or, if it is 0, with as many as raise the
// goodput, at most 32.
func New(slots int) *Controller {
	c := &Controller{gate: gate{slots: slots}, senders: make(map[*Sender]bool)}
	if slots == 0 {
		c.goodput = newGoodput(time.Now())
		c.gate.slots = c.goodput.slots
	}
	return c
}

// Sender is one upload.
type Sender struct {
	of      *Controller
	left    int64   // bytes to send
	waiting []*Turn // first come, first served
	times   times
}

// Sender returns the sender of an upload of size bytes. The caller must call Close.
func (c *Controller) Sender(size int64) *Sender {
	u := &Sender{of: c, left: size}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.senders[u] = true
	return u
}

// Close forgets the upload.
func (u *Sender) Close() {
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	delete(u.of.senders, u)
}

// Sent counts bytes handed to the operating system, and changes the number of slots.
func (u *Sender) Sent(n int64) {
	c := u.of
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.goodput == nil {
		return
	}
	var left int64
	for s := range c.senders {
		left += s.left
	}
	c.gate.slots = c.goodput.add(time.Now(), n, left, c.gate.used == c.gate.slots, c.gate.hasWaiting())
	c.gate.grant()
}

// Stored counts a PUT of some bytes that has succeeded.
func (u *Sender) Stored(size int64, took time.Duration) {
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	u.left -= size
	u.times.add(size, took)
}

// Turn is the turn of one PUT.
type Turn struct {
	sender  *Sender
	prepare chan struct{} // closed when the PUT may prepare
	begin   chan struct{} // closed when the PUT has a slot
}

// Next waits until the next PUT of the upload may prepare. The caller must call Run, Skip or End.
func (u *Sender) Next(ctx context.Context) (*Turn, error) {
	t := &Turn{sender: u, prepare: make(chan struct{}), begin: make(chan struct{})}
	u.of.mu.Lock()
	u.of.gate.enqueue(t)
	u.of.mu.Unlock()
	err := t.await(ctx, t.prepare)
	return t, err
}

// await waits for an event of a turn. If ctx ends first, the turn ends.
func (t *Turn) await(ctx context.Context, event <-chan struct{}) error {
	if ctx.Err() == nil {
		select {
		case <-event:
			return nil
		case <-ctx.Done():
		}
	}
	t.End()
	return context.Cause(ctx)
}

// End ends a turn that is not run.
func (t *Turn) End() {
	t.sender.of.mu.Lock()
	defer t.sender.of.mu.Unlock()
	t.sender.of.gate.leave(t)
}

// Skip ends a turn that is not run, because its bytes were stored before.
func (t *Turn) Skip(size int64) {
	t.sender.of.mu.Lock()
	defer t.sender.of.mu.Unlock()
	t.sender.left -= size
	t.sender.of.gate.leave(t)
}

// Run calls address, and then put when the PUT has a slot. An error of address is passed to put
// only then, so that the PUTs before can end. As long as put asks for it, both are called again at
// once. The error is the context's if it ends before put is called. Run ends the turn.
func (t *Turn) Run(ctx context.Context, address func(context.Context) (string, error), put func(url string, err error) (again bool)) error {
	url, err := address(ctx)
	if err := t.await(ctx, t.begin); err != nil {
		return err
	}
	defer t.End()
	for put(url, err) {
		url, err = address(ctx)
	}
	return nil
}

// Hedge reports whether to send the content of a PUT in flight once more: the PUT has sent some of
// all bytes since it began, another one would likely be stored sooner, and there is a slot that
// nobody waits for. The caller must call end after the second PUT.
func (t *Turn) Hedge(elapsed time.Duration, sent, all int64) (end func(), ok bool) {
	u := t.sender
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	c := u.of
	slots := c.gate.slots
	if c.goodput != nil {
		slots = min(slots, few) // more PUTs than that may be slow because they are many
	}
	if c.gate.hasWaiting() || c.gate.used >= slots || !u.times.lags(elapsed, sent, all) {
		return nil, false
	}
	c.gate.used++
	return (&Turn{sender: u}).End, true
}
