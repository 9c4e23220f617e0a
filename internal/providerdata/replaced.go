package providerdata

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// ReplacedFile is a stored file whose resource is being replaced, and what it was uploaded as.
type ReplacedFile struct {
	upload.File // its ContentType is "" if not known, as after an import
	upload.StoredFile
}

// ReplacedFiles passes stored files from the resources that are being replaced to those that replace
// them. The zero value is ready to use.
type ReplacedFiles struct {
	Handover[ReplacedFile]
	namedAtApply sync.Map // by content
}

// NamedAtApply reports whether new objects of a content get their names at apply, not in the plan,
// because one of them may keep a replaced file under its name. An apply must not change a planned
// name, and it cannot tell two new objects of one content apart. So the first call for a content
// decides for all of them, by wanted.
func (r *ReplacedFiles) NamedAtApply(sha256 string, wanted bool) bool {
	decided, _ := r.namedAtApply.LoadOrStore(sha256, wanted)
	return decided == true
}
