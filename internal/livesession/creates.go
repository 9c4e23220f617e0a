package livesession

import (
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// own notes a session that belongs to a resource of this run, so that no lost create reports it.
func own(d *providerdata.Data, id string) { providerdata.Shared[owned](d).Store(id, nil) }

// owns reports whether a session was noted with own.
func owns(d *providerdata.Data, id string) bool {
	_, known := providerdata.Shared[owned](d).Load(id)
	return known
}

type owned struct{ sync.Map }
