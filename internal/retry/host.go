package retry

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

const (
	// FirstContact is how long connections to a host are tried to which none was made before: its
	// name or port is most likely wrong.
	FirstContact = 10 * time.Second
	// Outage is how long a host may be away that was reached before: as long as a router or a VPN
	// takes to come back. It is also how long requests are refused with 429 or 503 before an
	// operation without a time limit fails.
	Outage = 5 * time.Minute
)

// Host is what this process knows of the connections to one host. It is safe for concurrent use.
type Host struct {
	mu      sync.Mutex
	reached bool
	lost    time.Time // when the first request began that got no connection, after the latest one that did; zero: none
	told    bool      // somebody was told since then
}

// Reached notes that a connection was made.
func (h *Host) Reached() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reached, h.lost, h.told = true, time.Time{}, false
}

// Unreached notes that a request, which began at some time, got no connection. It returns until
// when such requests are to be repeated, and whether this is the first one in this outage.
func (h *Host) Unreached(began time.Time, err error) (until time.Time, first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost.IsZero() || began.Before(h.lost) {
		h.lost = began
	}
	first, h.told = !h.told, true
	lookup, isLookup := errors.AsType[*net.DNSError](err)
	switch {
	case h.reached:
		return h.lost.Add(Outage), first
	case isLookup && lookup.IsNotFound:
		return h.lost, first
	}
	return h.lost.Add(FirstContact), first
}

// Contact is one request to a host. A host that was never reached has ten seconds to accept a
// connection.
type Contact struct {
	host  *Host
	timer *time.Timer // nil: the host was reached before
	left  time.Duration
}

// Contact returns the context of a request to the host. It ends with cause when it is too late for
// the first connection. The caller calls end when the request is over.
func (h *Host) Contact(ctx context.Context, cause error) (limited context.Context, c *Contact, end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reached {
		return ctx, &Contact{host: h}, func() {}
	}
	c = &Contact{host: h, left: FirstContact}
	if !h.lost.IsZero() {
		c.left = max(time.Until(h.lost.Add(FirstContact)), FirstContact/10)
	}
	limited, cancel := context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(time.Hour, func() { cancel(cause) })
	c.timer.Stop()
	return limited, c, func() { c.timer.Stop(); cancel(nil) }
}

// Connecting notes that a connection is about to be made.
func (c *Contact) Connecting() {
	if c.timer != nil {
		c.timer.Reset(c.left)
	}
}

// Connected notes that there is a connection.
func (c *Contact) Connected() {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.host.Reached()
}

type waitsKey struct{}

// TellWaits returns a context for requests whose user is told by tell that they wait for a host. It
// may be called concurrently.
func TellWaits(ctx context.Context, tell func(text string)) context.Context {
	return context.WithValue(ctx, waitsKey{}, tell)
}

// TellWait tells the user of a request that it waits.
func TellWait(ctx context.Context, text string) {
	if tell, ok := ctx.Value(waitsKey{}).(func(string)); ok {
		tell(text)
	}
}
