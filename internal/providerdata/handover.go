package providerdata

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// Unfinished is a multipart upload to continue, whether it was found in the state or in a record of this machine.
type Unfinished = resume.Upload

// StoredFile is a complete upload as the service and storage describe it (interface 2.1, 2.2). "" is what they did not say.
type StoredFile struct {
	KeyPath    string
	ETag       string // as the header or the answer had it
	Location   string
	Bucket     string
	Encryption string
	VersionID  string
	UploadedAt string // RFC 3339, this machine's clock
	Parts      int64  // 0 for a single PUT
}

// Handover passes something from the Delete of an object to the Create that replaces it. Both run in one provider
// process, and nothing else of Terraform's reaches from one to the other (private state does not). The zero value is
// ready.
type Handover[T any] struct {
	mu    sync.Mutex
	items map[string][]T
}

// Offer leaves an item for whoever Takes the same key.
func (h *Handover[T]) Offer(key string, item T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.items == nil {
		h.items = map[string][]T{}
	}
	h.items[key] = append(h.items[key], item)
}

// Take removes and returns an item offered under the key, the oldest first. Each is handed out once, so that two
// resources with the same content never share an upload.
func (h *Handover[T]) Take(key string) (item T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	waiting := h.items[key]
	if len(waiting) == 0 {
		return item, false
	}
	h.items[key] = waiting[1:]
	return waiting[0], true
}
