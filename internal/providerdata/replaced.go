package providerdata

import (
	"slices"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// ReplacedFile is a stored file whose resource is being replaced, and what it was uploaded as.
type ReplacedFile struct {
	upload.File // its ContentType is "" if not known, as after an import
	upload.StoredFile
}

// ReplacedFiles passes stored files from the Delete of a resource to the Create that replaces it.
// Both run in one provider process, and Terraform passes nothing from one to the other. The zero
// value is ready.
type ReplacedFiles struct {
	mu           sync.Mutex
	files        []ReplacedFile
	namedAtApply sync.Map // by content
}

// Offer leaves a file for Take.
func (r *ReplacedFiles) Offer(file ReplacedFile) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files = append(r.files, file)
}

// Take removes and returns the file offered first that fits, so that no two resources share one.
func (r *ReplacedFiles) Take(fits func(ReplacedFile) bool) (file ReplacedFile, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.files, fits)
	if i < 0 {
		return file, false
	}
	file = r.files[i]
	r.files = slices.Delete(r.files, i, i+1)
	return file, true
}

// Has reports whether Take would find a file.
func (r *ReplacedFiles) Has(fits func(ReplacedFile) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.files, fits)
}

// NamedAtApply reports whether new objects of a content get their names at apply, not in the plan,
// because one of them may keep a replaced file under its name. An apply must not change a planned
// name, and it cannot tell two new objects of one content apart. So the first call for a content
// decides for all of them, by wanted.
func (r *ReplacedFiles) NamedAtApply(sha256 string, wanted bool) bool {
	decided, _ := r.namedAtApply.LoadOrStore(sha256, wanted)
	return decided == true
}
