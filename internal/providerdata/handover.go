package providerdata

import (
	"slices"
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

// Kept is a stored file whose resource is being replaced, and what it was uploaded as.
type Kept struct {
	StoredFile
	Source      string // as configured
	FileName    string
	ContentType string // "" = not known, as after an import
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

// Naming decides for one plan when new objects of a content get their names: in the plan, or at apply, because one of
// them may then keep a stored file under its name. An apply must not change a planned name, and it cannot tell two new
// objects of one content apart. So all of them follow whoever was planned first. The zero value is ready.
type Naming struct {
	mu      sync.Mutex
	atApply map[string]bool // by content
}

// AtApply says whether new objects of the content get their names at apply. The first call decides, by wanted.
func (n *Naming) AtApply(content string, wanted bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	decided, ok := n.atApply[content]
	if ok {
		return decided
	}
	if n.atApply == nil {
		n.atApply = map[string]bool{}
	}
	n.atApply[content] = wanted
	return wanted
}
