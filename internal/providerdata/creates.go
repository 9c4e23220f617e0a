package providerdata

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// Creates counts the create requests for live sessions in flight, by their arguments. A create
// whose response is lost needs this: a new session with its arguments may belong to another create
// in flight. The zero value is ready to use.
type Creates struct {
	mu      sync.Mutex
	waiting map[api.SessionSpec]int
}

// Begin counts a create before its request is sent. Call end when the response has arrived or is
// lost.
func (c *Creates) Begin(spec api.SessionSpec) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[api.SessionSpec]int{}
	}
	c.waiting[spec]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting[spec]--; c.waiting[spec] == 0 {
			delete(c.waiting, spec)
		}
	}
}

// Waiting reports whether a create with these arguments is in flight.
func (c *Creates) Waiting(spec api.SessionSpec) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[spec] > 0
}
