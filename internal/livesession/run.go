package livesession

import (
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// run is what this process has done with sessions. Create and Delete write it; Create and ModifyPlan
// read it. It ends with the process: the next one asks the service.
type run struct {
	mu         sync.Mutex
	claimed    map[string]bool // ids that a Create has given to a resource
	removed    map[string]bool // ids that a Delete has removed from the state
	lastCreate time.Time       // a listing that began earlier may lack sessions of this run
}

func (r *liveSession) run() *run { return providerdata.Shared[run](r.Data) }

// claim gives a session to a resource. It returns false if another resource of this run has it.
func (r *run) claim(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.claimed[id] {
		return false
	}
	if r.claimed == nil {
		r.claimed = map[string]bool{}
	}
	r.claimed[id] = true
	return true
}

func (r *run) hasClaimed(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.claimed[id]
}

// isApply reports whether the process has given any session to a resource.
func (r *run) isApply() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.claimed) > 0
}

func (r *run) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.removed == nil {
		r.removed = map[string]bool{}
	}
	r.removed[id] = true
}

func (r *run) hasRemoved(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.removed[id]
}

func (r *run) setLastCreate(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastCreate = at
}

func (r *run) getLastCreate() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lastCreate
}
