package livesession

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// creates tells a create whose response is lost which sessions belong to others: those of the
// resources of this run, and, while other creates with the same arguments are in flight, any new
// session. The zero value is ready to use.
type creates struct {
	noted sync.Map // by id

	mu       sync.Mutex
	inFlight map[api.SessionSpec]int // creates in flight
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

// begin counts a create before its request is sent. Call end when the response has arrived or is
// lost.
func (c *creates) begin(spec api.SessionSpec) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight == nil {
		c.inFlight = map[api.SessionSpec]int{}
	}
	c.inFlight[spec]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.inFlight[spec]--; c.inFlight[spec] == 0 {
			delete(c.inFlight, spec)
		}
	}
}

// waiting reports whether a create with these arguments is in flight.
func (c *creates) waiting(spec api.SessionSpec) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inFlight[spec] > 0
}
