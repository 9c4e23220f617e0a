// Package pace decides when PUTs begin, how many are in flight, and which one is sent once more. One
// Controller serves all uploads of a process. It knows neither files nor HTTP: its caller tells it what was sent,
// stored and refused.
//
// A PUT has a Turn. Upload.Next waits until its content may be read and its address asked for, which is while
// the PUTs before it are in flight, so that no connection waits for either. Turn.Run waits for a slot. While the PUT
// is in flight, Turn.Again says whether it lags behind the others of its upload.
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
	gate  *gate
	fixed bool        // the number of slots is
	slow  atomic.Bool // the latest PUT took so long that no address should wait for one

	mu      sync.Mutex
	goodput *goodput
	left    int64 // bytes that all uploads have yet to send
}

// New returns a Controller with a number of slots, or, if it is 0, with 12 to 32, as the goodput demands.
func New(slots int) *Controller {
	fixed := slots > 0
	if !fixed {
		slots = few
	}
	return &Controller{gate: newGate(slots), fixed: fixed, goodput: newGoodput(time.Now())}
}

// Slots returns how many PUTs may now be in flight at once.
func (c *Controller) Slots() int {
	slots, _, _ := c.gate.usage()
	return slots
}

// Refused notes that storage asks for fewer requests.
func (c *Controller) Refused() {
	c.adapt(func(now time.Time) { c.goodput.refuse(now) })
}

func (c *Controller) adapt(f func(now time.Time)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.goodput.slots()
	if f(time.Now()); !c.fixed && c.goodput.slots() != before {
		c.gate.resize(c.goodput.slots())
	}
}

// Upload is one upload.
type Upload struct {
	controller *Controller
	queue      queue

	mu      sync.Mutex
	left    int64 // bytes to send
	times   times
	refused bool
}

// Upload returns a new upload of so many bytes. The caller must call Close.
func (c *Controller) Upload(size int64) *Upload {
	u := &Upload{controller: c}
	u.expect(size)
	return u
}

// Close forgets what is left of the upload.
func (u *Upload) Close() { u.expect(-u.left) }

func (u *Upload) expect(n int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.left += n
	u.controller.mu.Lock()
	defer u.controller.mu.Unlock()
	u.controller.left += n
}

// Sent counts bytes handed to the operating system.
func (u *Upload) Sent(n int64) {
	c := u.controller
	c.adapt(func(now time.Time) {
		c.goodput.add(now, n, c.left, func() (full, waiting bool) { _, full, waiting = c.gate.usage(); return })
	})
}

// Done notes that so many bytes need not be sent any more: they are stored.
func (u *Upload) Done(n int64) { u.expect(-n) }

// Turn is one PUT's turn.
type Turn struct {
	upload *Upload
	place  *place
	began  time.Time
}

// Next waits until the next PUT of the upload may prepare: until few PUTs are before it. The caller must call Run
// or End.
func (u *Upload) Next(ctx context.Context) (*Turn, error) {
	g := u.controller.gate
	p := g.enqueue(&u.queue)
	if err := g.await(ctx, p, p.prepare); err != nil {
		return nil, err
	}
	return &Turn{upload: u, place: p}, nil
}

// End gives up a turn that is not run.
func (t *Turn) End() { t.upload.controller.gate.leave(t.place) }

// Run calls address, and put when the PUT may begin. An error of address is passed to put only then: until then,
// PUTs that have begun may succeed. As long as put says so, both are called again at once, so that the new address
// is a fresh one. The error is the context's if it ends before put is called. Run ends the turn.
func (t *Turn) Run(ctx context.Context, address func(context.Context) (string, error), put func(url string, err error) (again bool)) error {
	c := t.upload.controller
	var asked time.Time
	var url string
	var failed error
	if !c.slow.Load() {
		asked = time.Now()
		url, failed = address(ctx)
	}
	if err := c.gate.await(ctx, t.place, t.place.begin); err != nil {
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
	c.slow.Store(time.Since(t.began) > freshAddress)
	return nil
}

// Stored notes that the PUT has succeeded. It had size bytes. sent is when its last byte was sent.
func (t *Turn) Stored(size int64, sent time.Time) {
	u := t.upload
	u.mu.Lock()
	defer u.mu.Unlock()
	u.times.add(size, time.Since(t.began), time.Since(sent))
}

// Refused notes that the PUT, or another one of the same content, was refused. After that no PUT of the upload lags.
func (t *Turn) Refused() {
	t.upload.mu.Lock()
	defer t.upload.mu.Unlock()
	t.upload.refused = true
}

// Lags reports whether the PUT lags behind others of its upload, and the line has room for another one. So far it has
// sent some bytes of all.
func (t *Turn) Lags(sent, all int64) bool {
	u := t.upload
	u.mu.Lock()
	defer u.mu.Unlock()
	return !u.refused && u.times.lags(time.Since(t.began), sent, all) && u.controller.hasRoom()
}

// hasRoom reports whether the line may carry more than it does now. On a full line, sending a part once more takes from
// the other parts what it gains for its own.
func (c *Controller) hasRoom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.goodput.fallen(time.Now())
}

// Late reports whether the answer to a PUT is late, whose last byte was sent at some time.
func (t *Turn) Late(sent time.Time) bool {
	t.upload.mu.Lock()
	defer t.upload.mu.Unlock()
	return !t.upload.refused && t.upload.times.late(time.Since(sent))
}

// Again takes a slot for another PUT of the same content, if one is free and no PUT waits for it. stop must end that
// PUT without delay: it is called when a PUT waits. The caller must call end.
func (t *Turn) Again(stop func()) (end func(), ok bool) {
	g := t.upload.controller.gate
	l, ok := g.borrow(stop)
	return func() { g.giveBack(l) }, ok
}
