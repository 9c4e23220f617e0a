package providerdata

import (
	"slices"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// Unfinished is a multipart upload to resume, from the state or from a record on this machine.
type Unfinished = resume.Upload

// StoredFile is a complete upload as described by the service and storage (SERVICE.md, "Uploads").
// Values that they did not return are "".
type StoredFile struct {
	KeyPath    string
	ETag       string // as in the header or the response
	Location   string
	Bucket     string
	Encryption string
	VersionID  string
	UploadedAt string // RFC 3339, this machine's clock
	Parts      int64  // 0 for a single PUT
}

// Kept is the stored file of a resource that is being replaced, with the arguments of its upload.
type Kept struct {
	StoredFile
	Source      string // as configured
	FileName    string
	ContentType string // "" = not known, as after an import
}

// Handover passes items from the Delete of a resource to the Create that replaces it. Both run in
// one provider process, and Terraform itself passes nothing between them, not even the private
// state. The zero value is ready to use.
type Handover[T any] struct {
	mu    sync.Mutex
	items map[string][]T
}

// Offer stores an item for a Take with the same key.
func (h *Handover[T]) Offer(key string, item T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.items == nil {
		h.items = map[string][]T{}
	}
	h.items[key] = append(h.items[key], item)
}

// Take removes and returns the oldest item of the key that fits. Each item is returned once, so
// that two resources with the same content never share an upload.
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

// Has reports whether Take would find an item.
func (h *Handover[T]) Has(key string, fits func(T) bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.items[key], fits)
}

// Naming decides, per content, whether the file names of new uploads are known during plan or only
// at apply, when one of them may keep a stored file and its name. An apply must not change a
// planned name, and it cannot tell two new uploads of the same content apart. So the upload planned
// first decides for all. The zero value is ready to use.
type Naming struct {
	mu      sync.Mutex
	atApply map[string]bool // by content
}

// AtApply reports whether new uploads of the content get their names at apply. The first call for a
// content decides, by wanted.
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
