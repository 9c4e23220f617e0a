package providerdata

import "sync"

// Uploads knows which multipart uploads this process has to do with, so that one object never ends up in two resources.
// The zero value is ready.
type Uploads struct {
	mu    sync.Mutex
	known map[string]bool // by upload id; true once complete
}

// Claim takes an upload for one operation. It is false when another one of this process has it or had it.
func (u *Uploads) Claim(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, taken := u.known[id]; taken {
		return false
	}
	u.set(id, false)
	return true
}

// Complete notes that an upload was completed by this process.
func (u *Uploads) Complete(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.set(id, true)
}

// Completed says whether this process completed the upload.
func (u *Uploads) Completed(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.known[id]
}

func (u *Uploads) set(id string, complete bool) {
	if u.known == nil {
		u.known = map[string]bool{}
	}
	u.known[id] = complete
}
