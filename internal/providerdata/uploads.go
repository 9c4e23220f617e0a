package providerdata

import "sync"

// Uploads tracks the multipart uploads of this process, so that no two resources use the same
// upload. The zero value is ready to use.
type Uploads struct {
	mu    sync.Mutex
	known map[string]bool // by upload id; true once complete
}

// Claim reserves an upload for one operation. It is false if another operation of this process has
// reserved it before.
func (u *Uploads) Claim(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, taken := u.known[id]; taken {
		return false
	}
	u.set(id, false)
	return true
}

// Complete notes that this process has completed the upload.
func (u *Uploads) Complete(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.set(id, true)
}

// Completed reports whether this process has completed the upload.
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
