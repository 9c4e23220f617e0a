package upload

import (
	"slices"
	"sync"
)

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

// Take removes and returns the oldest item offered under the key that fits. Each is handed out once, so that two
// resources with the same content never share an upload.
func (h *Handover[T]) Take(key string, fits func(T) bool) (item T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.items[key], fits)
	if i < 0 {
		return item, false
	}
	item = h.items[key][i]
	h.items[key] = slices.Delete(h.items[key], i, i+1)
	return item, true
}

// Has says whether Take would find an item.
func (h *Handover[T]) Has(key string, fits func(T) bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.items[key], fits)
}
