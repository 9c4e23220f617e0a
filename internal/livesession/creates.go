package livesession

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// creates tells a create whose response is lost which sessions this run has made or imported, and
// whether a session that appears may come from another create. The zero value is ready to use.
type creates struct {
	noted sync.Map // by id

	mu         sync.Mutex
	unanswered map[api.SessionSpec]int // creates in flight, and those whose response was lost
}

// createsOf returns the creates of the provider process.
func createsOf(d *providerdata.Data) *creates { return providerdata.Shared[creates](d) }

// own notes a session that belongs to a resource of this run. It reports whether it was not noted
// before.
func (c *creates) own(id string) (first bool) {
	_, known := c.noted.LoadOrStore(id, true)
	return !known
}

// owns reports whether a session was noted with own.
func (c *creates) owns(id string) bool {
	_, known := c.noted.Load(id)
	return known
}

// begin counts a create before its request is sent. Call answered when the session that it made is
// noted, or when it surely made none.
func (c *creates) begin(spec api.SessionSpec) (answered func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unanswered == nil {
		c.unanswered = map[api.SessionSpec]int{}
	}
	c.unanswered[spec]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unanswered[spec]--
	}
}

// several reports whether more than one create with these arguments is unanswered.
func (c *creates) several(spec api.SessionSpec) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unanswered[spec] > 1
}
