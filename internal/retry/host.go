package retry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
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
	told    bool      // the log and the user were told since then
}

// Reached notes that a connection was made.
func (h *Host) Reached() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reached, h.lost, h.told = true, time.Time{}, false
}

// Unreached notes that a request, which began at some time, got no connection, and returns for how
// long such requests are to be repeated. The first one in an outage tells the log and the user.
// name is the host's, and why the text of err without secrets.
func (h *Host) Unreached(ctx context.Context, began time.Time, name string, err error, why string) (left time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost.IsZero() || began.Before(h.lost) {
		h.lost = began
	}
	first := !h.told
	h.told = true
	lookup, isLookup := errors.AsType[*net.DNSError](err)
	switch {
	case h.reached:
		left = time.Until(h.lost.Add(Outage))
	case isLookup && lookup.IsNotFound:
		return 0
	default:
		left = time.Until(h.lost.Add(FirstContact))
	}
	if first && left > 0 {
		tflog.Warn(ctx, "a host cannot be reached: waiting for it", map[string]any{"host": name, "error": why, "at_most_s": int(left.Seconds())})
		if tell, ok := ctx.Value(waitsKey{}).(func(string)); ok {
			tell(fmt.Sprintf("waiting for %s: %s", name, why))
		}
	}
	return left
}

type hostKey struct{}

// To returns the context of a request to the host, from which whoever makes its connection learns
// how long that may take.
func (h *Host) To(ctx context.Context) context.Context { return context.WithValue(ctx, hostKey{}, h) }

// ErrFirstContact is why no connection to a host is made that was never reached.
var ErrFirstContact = fmt.Errorf("no connection was made in %s", FirstContact)

// Connecting returns the context for a connection for a request: a host that was never reached has
// ten seconds to accept one. Then it ends with ErrFirstContact.
func Connecting(ctx context.Context) (limited context.Context, end context.CancelFunc) {
	h, ok := ctx.Value(hostKey{}).(*Host)
	if !ok {
		return ctx, func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reached {
		return ctx, func() {}
	}
	left := FirstContact
	if !h.lost.IsZero() {
		left = max(time.Until(h.lost.Add(FirstContact)), FirstContact/10)
	}
	return context.WithTimeoutCause(ctx, left, ErrFirstContact)
}

type waitsKey struct{}

// TellWaits returns a context for requests whose user is told by tell that they wait for a host. It
// may be called concurrently.
func TellWaits(ctx context.Context, tell func(text string)) context.Context {
	return context.WithValue(ctx, waitsKey{}, tell)
}
