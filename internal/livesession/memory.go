package livesession

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// memory is what the private state has of a session.
type memory struct {
	// Renditions are the values that the service has shown since the create in place of the
	// configured values: by argument, the SHA-256 of each, because some values are secrets.
	Renditions map[string][]string `json:"renditions,omitempty"`
	// Unseen is the way, GET or listing, by which the session has not been read yet. It may show a
	// value differently: what it shows first is a rendition, whatever the other way shows, because no
	// call changes a session.
	Unseen string `json:"unseen,omitempty"`
	// Unconfirmed is set until a GET has returned the new session. Until then a 404 does not mean
	// that the session is gone.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// Listed is the status at the last lookup in the listing.
	Listed string `json:"listed,omitempty"`
}

// The values of memory.Unseen.
const byGet, byListing = "get", "listing"

const memoryKey = "session"

// privateState is that of the framework, whose type is internal.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// recall reads the private state. It has nothing of a session that is being imported.
func recall(ctx context.Context, private privateState) (k memory, diags diag.Diagnostics) {
	get := func(key string) []byte {
		text, problems := private.GetKey(ctx, key)
		diags.Append(problems...)
		return text
	}
	if text := get(memoryKey); text != nil {
		_ = json.Unmarshal(text, &k) // nothing is known of a session without it
		return k, diags
	}
	// Earlier builds had a key for each field.
	_ = json.Unmarshal(get("renditions"), &k.Renditions)
	_ = json.Unmarshal(get("unseen"), &k.Unseen)
	_ = json.Unmarshal(get("unconfirmed"), &k.Unconfirmed)
	k.Listed = string(get("listed")) // quoted, as in Listed
	return k, diags
}

func (k *memory) keep(ctx context.Context, private privateState) diag.Diagnostics {
	text, _ := json.Marshal(k) // cannot fail for strings
	return private.SetKey(ctx, memoryKey, text)
}

func (k *memory) add(argument string, value attr.Value) {
	if k.has(argument, value) {
		return
	}
	if k.Renditions == nil {
		k.Renditions = map[string][]string{}
	}
	k.Renditions[argument] = append(k.Renditions[argument], digest(value))
}

func (k *memory) has(argument string, value attr.Value) bool {
	return slices.Contains(k.Renditions[argument], digest(value))
}

func digest(value attr.Value) string {
	sum := sha256.Sum256([]byte(value.String()))
	return hex.EncodeToString(sum[:])
}

// refresh sets the values of a response, of the listing or of a GET. An argument keeps its value
// while the service shows this value, another spelling of it or a rendition. Any other value is
// drift and removes the argument's renditions, unless it is the first response of its kind: then it
// is a rendition, too. In an import, the listing's values replace those of the GET, because
// configurations are generated from the listing. A write-only argument stays null.
func (m *model) refresh(s *api.Session, listing, importing bool, mem *memory) {
	way, other := byGet, byListing
	if listing {
		way, other = other, way
	}
	if importing && mem.Unseen == "" { // the first response
		mem.Unseen = other
	}
	read := m.session
	read.fill(s, arguments)
	for _, a := range differing(&m.session, &read) {
		switch value := a.value(&read); {
		case m.writeOnly(a) || mem.has(a.name, value):
		case mem.Unseen == way && importing && !a.value(&m.session).IsNull():
			mem.add(a.name, a.value(&m.session))
			a.copy(&m.session, &read)
		case mem.Unseen == way && !a.value(&m.session).IsNull():
			mem.add(a.name, value)
		default:
			a.copy(&m.session, &read)
			delete(mem.Renditions, a.name)
		}
	}
	m.fillComputed(s)
	if mem.Unseen == way {
		mem.Unseen = ""
	}
}
