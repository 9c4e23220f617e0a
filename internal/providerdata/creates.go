package providerdata

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// Creates tells a create whose response is lost which sessions belong to others: those of the
// resources of this run, and, while other creates with the same arguments are in flight, any new
// session. The zero value is ready to use.
type Creates struct {
	own sync.Map // by id

	mu      sync.Mutex
	waiting map[api.SessionSpec]int // creates in flight
}

// Own notes a session that belongs to a resource of this run. It reports whether it was not noted
// before.
func (c *Creates) Own(id string) (first bool) {
	_, noted := c.own.LoadOrStore(id, true)
	return !noted
}

// Owns reports whether a session was noted with Own.
func (c *Creates) Owns(id string) bool {
	_, noted := c.own.Load(id)
	return noted
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
