// Package pace decides when PUTs begin, how many are in flight, and which one is sent once more. One
// Controller serves all uploads of a process. It knows neither files nor HTTP: its caller tells it what was sent,
// stored and refused.
//
// A PUT has a Turn. Upload.Next waits until its content may be read and its address asked for, which is while
// the PUTs before it are in flight, so that no connection waits for either. Turn.Run waits for a slot. While the PUT
// is in flight, Turn.Again says whether it lags behind the others of its upload.
//
// One lock, the Controller's, guards what changes. pace.go has what callers use. It uses gate.go (whose turn it is),
// goodput.go (how many slots there should be) and lag.go (which PUT lags), which know nothing of each other. The slots
// that there are belong to the gate; the Controller alone sets them, by what goodput has chosen.
package pace

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// freshAddress is the longest time that an address may wait for its PUT. Addresses expire, which would cost a
// refused PUT. It is shorter than any usual lifetime.
const freshAddress = time.Minute

// Controller paces the PUTs of all uploads. It is safe for concurrent use.
type Controller struct {
	fixed bool        // the number of slots is
	slow  atomic.Bool // the latest PUT took so long that no address should wait for one

	mu      sync.Mutex
	gate    gate
	goodput *goodput
	left    int64 // bytes that all uploads have yet to send
}

// New returns a Controller with a number of slots, or, if it is 0, with 14 to 32, as the goodput demands.
func New(slots int) *Controller {
	c := &Controller{fixed: slots > 0, goodput: newGoodput(time.Now())}
	c.gate.slots = slots
	c.adapt()
	return c
}

// adapt gives the gate as many slots as goodput has chosen. The caller holds c.mu.
func (c *Controller) adapt() {
	if slots := c.goodput.slots(); !c.fixed && slots != c.gate.slots {
		c.gate.slots = slots // those in use stay in use
		c.gate.grant()
	}
}

// Refused notes that storage asks for fewer requests.
func (c *Controller) Refused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goodput.refuse(time.Now())
	c.adapt()
}

// Upload is one upload.
type Upload struct {
	of      *Controller
	queue   queue
	left    int64 // bytes to send
	times   times
	refused bool
}

// Upload returns a new upload of so many bytes. The caller must call Close.
func (c *Controller) Upload(size int64) *Upload {
	u := &Upload{of: c}
	u.Done(-size)
	return u
}

// Done notes that so many bytes need not be sent any more: they are stored.
func (u *Upload) Done(n int64) {
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	u.left -= n
	u.of.left -= n
}

// Close forgets what is left of the upload.
func (u *Upload) Close() { u.Done(u.left) }

// Sent counts bytes handed to the operating system.
func (u *Upload) Sent(n int64) {
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	full := u.of.gate.used == u.of.gate.slots // and no more
	u.of.goodput.add(time.Now(), n, u.of.left, full, u.of.gate.waiting())
	u.of.adapt()
}

// Turn is one PUT's turn.
type Turn struct {
	upload *Upload
	place  *place
	began  time.Time
}

// Next waits until the next PUT of the upload may prepare: until few PUTs are before it. The caller must call Run
// or End.
func (u *Upload) Next(ctx context.Context) (*Turn, error) {
	u.of.mu.Lock()
	t := &Turn{upload: u, place: u.of.gate.enqueue(&u.queue)}
	u.of.mu.Unlock()
	err := t.await(ctx, t.place.prepare)
	return t, err
}

// await waits for an event of a turn. If ctx ends first, the turn is given up.
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

// End gives up a turn that is not run.
func (t *Turn) End() {
	t.upload.of.mu.Lock()
	defer t.upload.of.mu.Unlock()
	t.upload.of.gate.leave(t.place)
}

// Run calls address, and put when the PUT may begin. An error of address is passed to put only then: until then,
// PUTs that have begun may succeed. As long as put says so, both are called again at once, so that the new address
// is a fresh one. The error is the context's if it ends before put is called. Run ends the turn.
func (t *Turn) Run(ctx context.Context, address func(context.Context) (string, error), put func(url string, err error) (again bool)) error {
	var asked time.Time
	var url string
	var failed error
	slow := &t.upload.of.slow
	if !slow.Load() {
		asked = time.Now()
		url, failed = address(ctx)
	}
	if err := t.await(ctx, t.place.begin); err != nil {
		return err
	}
	defer t.End()
	if failed == nil && time.Since(asked) > freshAddress {
		url, failed = address(ctx)
	}
	t.began = time.Now()
	for put(url, failed) {
		url, failed = address(ctx)
		t.began = time.Now()
	}
	slow.Store(time.Since(t.began) > freshAddress)
	return nil
}

// Stored notes that the PUT has succeeded. It had size bytes. sent is when its last byte was sent.
func (t *Turn) Stored(size int64, sent time.Time) {
	u := t.upload
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	u.times.add(size, time.Since(t.began), time.Since(sent))
}

// Refused notes that the PUT, or another one of the same content, was refused. After that no PUT of the upload lags.
func (t *Turn) Refused() {
	t.upload.of.mu.Lock()
	defer t.upload.of.mu.Unlock()
	t.upload.refused = true
}

// Lags reports whether the PUT lags behind others of its upload, and the line has room for another one: on a full
// line, sending a part once more takes from the other parts what it gains for its own. So far the PUT has sent some
// bytes of all.
func (t *Turn) Lags(sent, all int64) bool {
	u := t.upload
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	return !u.refused && u.times.lags(time.Since(t.began), sent, all) && u.of.goodput.fallen(time.Now())
}

// Late reports whether the answer to a PUT is late, whose last byte was sent at some time.
func (t *Turn) Late(sent time.Time) bool {
	u := t.upload
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	return !u.refused && u.times.late(time.Since(sent))
}

// Again takes a slot for another PUT of the same content, if one is free and no PUT waits for it. stop must end that
// PUT without delay, and not wait for the Controller: it is called when a PUT waits. The caller must call end.
func (t *Turn) Again(stop func()) (end func(), ok bool) {
	u := t.upload
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	p, ok := u.of.gate.borrow(&u.queue, stop)
	return (&Turn{upload: u, place: p}).End, ok
}
