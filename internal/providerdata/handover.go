package providerdata

import (
	"slices"
	"sync"
)

// Handover passes what resources hold from the Delete of a resource to the Create that replaces it.
// Both run in one provider process, and Terraform passes nothing from one to the other. The zero
// value is ready to use.
type Handover[T any] struct {
	mu      sync.Mutex
	offered []T
}

// Offer leaves an item for Take.
func (h *Handover[T]) Offer(item T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.offered = append(h.offered, item)
}

// Take removes and returns the item offered first that fits, so that no two resources share one.
func (h *Handover[T]) Take(fits func(T) bool) (item T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.offered, fits)
	if i < 0 {
		return item, false
	}
	item = h.offered[i]
	h.offered = slices.Delete(h.offered, i, i+1)
	return item, true
}

// Has reports whether Take would find an item.
func (h *Handover[T]) Has(fits func(T) bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.offered, fits)
}
