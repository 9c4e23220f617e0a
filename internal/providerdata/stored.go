package providerdata

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Kept is a stored file whose resource is being replaced, and what it was uploaded as.
type Kept struct {
	upload.StoredFile
	Source      string // as configured
	FileName    string
	ContentType string // "" = not known, as after an import
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
