package providerdata

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// Creates knows which creates of live sessions wait for their answer in this process. A create whose answer is lost
// needs it: a session with its arguments that appears meanwhile may belong to another one with equal arguments. The
// zero value is ready.
type Creates struct {
	mu      sync.Mutex
	waiting map[api.SessionSpec]int
}

// Begin notes a create before its request is sent. end is to be called when the answer has arrived or is lost.
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

// Waiting reports whether a create with these arguments waits for its answer.
func (c *Creates) Waiting(spec api.SessionSpec) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[spec] > 0
}
