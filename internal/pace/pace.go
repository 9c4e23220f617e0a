// Package pace decides when PUTs begin, how many are in flight, and which one is sent once more.
// One Controller serves all uploads of a process. It knows neither files nor HTTP: its caller tells
// it what was sent, stored and refused.
//
// A PUT has a Turn. Sender.Next waits until its content may be read and its address asked for,
// which is while the PUTs before it are in flight, so that no connection waits for either. Turn.Run
// waits for a slot. While the PUT is in flight, Turn.Lags says whether it lags behind the others
// of its upload.
//
// One lock, the Controller's, guards what changes. pace.go has what callers use. It uses gate.go
// (whose turn it is), goodput.go (how many slots there should be) and lag.go (which PUT is slow),
// which know nothing of each other. The slots that there are belong to the gate; the Controller
// alone sets them, by what goodput has chosen.
package pace

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// freshAddress is the longest time that an address may wait for its PUT. Addresses expire, which
// would cost a refused PUT. It is shorter than any usual lifetime.
const freshAddress = time.Minute

const (
	// fewAsked is how many addresses are asked for at once at first, so that a service that allows
	// few calls refuses few.
	fewAsked = 5
	// fewFor is how long others wait for one of them. PUTs that do not begin together get unequal
	// shares of a long line, and do not end together.
	fewFor = 10 * time.Millisecond
	// enoughAnswers is after how many addresses any number is asked for.
	enoughAnswers = 24
)

// Controller paces the PUTs of all uploads. It is safe for concurrent use.
type Controller struct {
	fixed bool        // the number of slots is
	slow  atomic.Bool // the latest PUT took so long that no address should wait for one

	asking   chan struct{} // has an element for each of the first addresses that is asked for
	answered atomic.Int64  // addresses
	first    chan struct{} // closed with the first of them

	mu      sync.Mutex
	gate    gate
	goodput *goodput
	slots   int // that goodput has chosen
	senders []*Sender
}

// New returns a Controller with a number of slots, or, if it is 0, with 2 to 32, as the goodput
// demands. bandwidth is the most that may be sent, in bytes per second; 0: no limit.
func New(slots int, bandwidth int64) *Controller {
	c := &Controller{fixed: slots > 0, asking: make(chan struct{}, fewAsked), first: make(chan struct{}), goodput: newGoodput(time.Now(), float64(bandwidth))}
	c.gate.slots = slots
	c.resize()
	return c
}

// adapt gives the gate as many slots as goodput has chosen, if that has changed. The caller holds
// c.mu.
func (c *Controller) adapt() {
	if c.goodput.slots() != c.slots {
		c.resize()
	}
}

// resize sets the number of slots. An upload that is alone gets only as many as it needs to take no
// longer: of 34 PUTs in 14 slots, the last 6 would not fill the line; in 12 slots, the last 10 do.
// The caller holds c.mu.
func (c *Controller) resize() {
	if len(c.senders) > 1 {
		c.gate.resting = 0
	}
	var put int64
	for _, u := range c.senders {
		put = max(put, u.put)
	}
	c.goodput.expect(put)
	c.slots = c.goodput.slots()
	if c.fixed {
		return
	}
	c.gate.slots = c.slots // those in use stay in use
	if len(c.senders) == 1 && c.slots <= few {
		if puts := c.senders[0].puts(); puts > 0 {
			rounds := (puts + c.slots - 1) / c.slots
			c.gate.slots = min(max((puts+rounds-1)/rounds, c.gate.used), c.slots)
		}
	}
	c.gate.grant()
}

// Refused notes that storage asks for fewer requests.
func (c *Controller) Refused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.goodput.refuse(time.Now())
	c.adapt()
}

// Sender is one upload, whose PUTs take turns.
type Sender struct {
	of      *Controller
	queue   queue
	put     int64 // bytes of its largest PUT
	left    int64 // bytes to send
	times   times
	flying  []*Turn // PUTs in flight
	refused bool
}

// Sender returns the sender of an upload of size bytes. A PUT sends at most put bytes. The caller
// must call Close.
func (c *Controller) Sender(size, put int64) *Sender {
	u := &Sender{of: c, put: put, left: size, queue: queue{whole: size <= put}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.senders = append(c.senders, u)
	c.resize()
	return u
}

// puts is how many PUTs of the upload have not stored anything yet.
func (u *Sender) puts() int { return int((u.left + u.put - 1) / max(u.put, 1)) }

// Done notes that so many bytes were stored.
func (u *Sender) Done(n int64) {
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	u.left -= n
}

// Close forgets the upload.
func (u *Sender) Close() {
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	u.of.senders = without(u.of.senders, u)
	u.of.resize()
}

// Sent counts bytes handed to the operating system.
func (u *Sender) Sent(n int64) {
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	full := u.of.gate.used == u.of.gate.slots // and no more
	var left int64
	for _, o := range u.of.senders {
		left += o.left
	}
	u.of.goodput.add(time.Now(), n, left, full, u.of.gate.waiting())
	u.of.adapt()
}

// Turn is one PUT's turn.
type Turn struct {
	sender *Sender
	place  *place
	began  time.Time
	sent   func() (sent, all int64) // bytes
	again  bool                     // another PUT of the content was begun
}

// Next waits until the next PUT of the upload may prepare: until few PUTs are before it. The caller
// must call Run, Skip or End.
func (u *Sender) Next(ctx context.Context) (*Turn, error) {
	u.of.mu.Lock()
	t := &Turn{sender: u, place: u.of.gate.enqueue(&u.queue)}
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
	t.sender.of.mu.Lock()
	defer t.sender.of.mu.Unlock()
	t.sender.flying = without(t.sender.flying, t)
	t.sender.of.gate.leave(t.place)
}

// Skip gives up a turn that is not run, because its bytes were stored before.
func (t *Turn) Skip(n int64) {
	t.sender.of.mu.Lock()
	defer t.sender.of.mu.Unlock()
	t.sender.left -= n
	t.sender.of.gate.leave(t.place)
	t.sender.of.resize()
}

// Run calls address, and put when the PUT may begin. An error of address is passed to put only
// then: until then, PUTs that have begun may succeed. As long as put says so, both are called again
// at once, so that the new address is a fresh one. sent is asked how many bytes the PUT has sent,
// of all. The error is the context's if it ends before put is called. Run ends the turn.
func (t *Turn) Run(ctx context.Context, address func(context.Context) (string, error), sent func() (sent, all int64), put func(url string, err error) (again bool)) error {
	var asked time.Time
	var url string
	var failed error
	slow := &t.sender.of.slow
	if !slow.Load() {
		asked = time.Now()
		url, failed = t.ask(ctx, address)
	}
	if err := t.await(ctx, t.place.begin); err != nil {
		return err
	}
	defer t.End()
	if failed == nil && time.Since(asked) > freshAddress {
		url, failed = address(ctx)
	}
	t.sent = sent
	t.begin()
	for put(url, failed) {
		url, failed = address(ctx)
		t.begin()
	}
	slow.Store(time.Since(t.began) > freshAddress)
	return nil
}

// begin notes that the PUT is in flight as of now.
func (t *Turn) begin() {
	t.sender.of.mu.Lock()
	defer t.sender.of.mu.Unlock()
	t.began, t.again = time.Now(), false
	t.sender.flying = append(without(t.sender.flying, t), t)
}

// flight describes the PUT in flight.
func (t *Turn) flight() flight {
	sent, all := t.sent()
	return flight{time.Since(t.began), sent, all}
}

// ask calls address. At first, few are asked for at once, and none ahead.
func (t *Turn) ask(ctx context.Context, address func(context.Context) (string, error)) (string, error) {
	c := t.sender.of
	if c.answered.Load() < enoughAnswers {
		select {
		case <-t.place.begin:
		case <-c.first:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		select {
		case c.asking <- struct{}{}:
			over := sync.OnceFunc(func() { <-c.asking })
			timer := time.AfterFunc(fewFor, over)
			defer func() {
				timer.Stop()
				over()
			}()
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	url, err := address(ctx)
	if c.answered.Add(1) == 1 {
		close(c.first)
	}
	return url, err
}

// Stored notes that a PUT has succeeded, of size bytes, which began and sent its last byte at some
// times. Connections that lost packets when they were new carry, for a long time, a fraction of
// what others do. So near the end of an upload that is alone, the slot of a slow PUT rests if the
// others will sooner have sent what waits.
func (t *Turn) Stored(size int64, began, sent time.Time) {
	u := t.sender
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	u.times.add(size, time.Since(began), time.Since(sent))
	var others []flight
	for _, o := range u.flying {
		if o != t {
			others = append(others, o.flight())
		}
	}
	waiting := u.puts() - len(u.flying)
	t.place.rests = len(u.of.senders) == 1 && waiting > 0 && u.times.spares(time.Since(began), waiting, others)
}

// Refused notes that the PUT, or another one of the same content, was refused. After that no PUT of
// the upload lags.
func (t *Turn) Refused() {
	t.sender.of.mu.Lock()
	defer t.sender.of.mu.Unlock()
	t.sender.refused = true
}

// Lags reports whether the PUT lags, most of all in its upload, so that another PUT of the same
// content would be faster: when nothing waits for a slot, those that have ended leave room for it.
func (t *Turn) Lags() bool {
	u := t.sender
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	mine := t.flight()
	if u.refused || u.of.gate.waiting() || !u.times.lags(mine) {
		return false
	}
	_, most, _ := u.times.estimate(mine)
	return !slices.ContainsFunc(u.flying, func(o *Turn) bool {
		_, rest, _ := u.times.estimate(o.flight())
		return o != t && !o.again && rest > most
	})
}

// Surplus reports whether the PUT must end and be made again later, because there are more PUTs in
// flight than there should be. It has sent some bytes of all: one that has sent much goes on.
func (t *Turn) Surplus(sent, all int64) bool {
	t.sender.of.mu.Lock()
	defer t.sender.of.mu.Unlock()
	return sent < all/4 && t.sender.of.goodput.wide > 0 && t.sender.of.gate.surplus(t.place)
}

// Late reports whether the answer to a PUT is late, whose last byte was sent at some time.
func (t *Turn) Late(sent time.Time) bool {
	u := t.sender
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	return !u.refused && u.times.late(time.Since(sent))
}

// Again takes a slot for another PUT of the same content, if one is free and no PUT waits for it.
// stop must end that PUT without delay, and not wait for the Controller: it is called when a PUT
// waits. The caller must call end.
func (t *Turn) Again(stop func()) (end func(), ok bool) {
	u := t.sender
	u.of.mu.Lock()
	defer u.of.mu.Unlock()
	p, ok := u.of.gate.borrow(&u.queue, stop)
	t.again = ok
	return (&Turn{sender: u, place: p}).End, ok
}
