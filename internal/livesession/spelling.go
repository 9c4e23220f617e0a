package livesession

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/localtime"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// The service may store a value in another spelling than configured. Replacing the session would
// not help: the new session would show the same spelling, and the old one could not be stopped. So
// another spelling is never a difference:
//
//   - values with the same meaning (see attribute.same) are equal in a refresh and in a plan;
//   - the value that the service shows after a create is remembered (see renditions) as its
//     spelling of the configured value.

// canonical returns the element of values that equals value without regard to letter case, else
// value.
func canonical(value string, values []string) string {
	if i := slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, value) }); i >= 0 {
		return values[i]
	}
	return value
}

// sameURL compares stream URLs: scheme and host without regard to letter case, a missing port as
// the default port of the scheme.
func sameURL(a, b string) bool {
	one, err := url.Parse(a)
	if err != nil {
		return false
	}
	other, err := url.Parse(b)
	if err != nil {
		return false
	}
	for _, u := range []*url.URL{one, other} {
		u.Scheme = strings.ToLower(u.Scheme)
		port := u.Port()
		if port == "" {
			port = providerdata.StreamPorts[u.Scheme]
		}
		u.Host = strings.ToLower(u.Hostname()) + ":" + port
	}
	return one.String() == other.String()
}

// sameClock compares local times in different layouts.
func sameClock(a, b string) bool {
	one, ok := localtime.Read(a)
	if !ok {
		return false
	}
	other, ok := localtime.Read(b)
	return ok && one.Equal(other)
}

// equal reports whether two values of the argument have the same meaning.
func (a attribute) equal(x, y attr.Value) bool {
	if x.Equal(y) {
		return true
	}
	one, text := x.(types.String)
	other, _ := y.(types.String)
	return text && a.same != nil && known(one) && known(other) && a.same(one.ValueString(), other.ValueString())
}

// differing returns the arguments whose values do not have the same meaning.
func differing(one, other *session) (list []attribute) {
	for _, a := range arguments {
		if !a.equal(a.value(one), a.value(other)) {
			list = append(list, a)
		}
	}
	return list
}

func known(s types.String) bool { return !s.IsNull() && !s.IsUnknown() }

// renditionsKey holds the renditions in the private state.
const renditionsKey = "renditions"

// unseenKey is set in the private state while the session has not been read by one of two ways, GET
// or listing, which may show a value differently. What that way shows first is a rendition. Whether
// the other way shows it, too, does not matter: there is no call that changes a session.
const unseenKey = "unseen"

// The values of unseenKey.
const byGet, byListing = `"get"`, `"listing"`

// renditions are the values that the service has shown since the create in place of the configured
// values: by argument, the SHA-256 of each, because some values are secrets.
type renditions map[string][]string

// note remembers shown values that differ from the configured ones, but for write-only arguments.
func (r renditions) note(m *model, shown *session) {
	for _, a := range arguments {
		value := a.value(shown)
		if !m.writeOnly(a) && !a.value(&m.session).Equal(value) {
			r.add(a.name, value)
		}
	}
}

func (r renditions) add(argument string, value attr.Value) {
	if !r.has(argument, value) {
		r[argument] = append(r[argument], digest(value))
	}
}

func (r renditions) has(argument string, value attr.Value) bool {
	return slices.Contains(r[argument], digest(value))
}

func digest(value attr.Value) string {
	sum := sha256.Sum256([]byte(value.String()))
	return hex.EncodeToString(sum[:])
}

// encoded is the value in the private state. It is nil, which removes the key, if there are no
// renditions.
func (r renditions) encoded() []byte {
	if len(r) == 0 {
		return nil
	}
	text, _ := json.Marshal(r) // cannot fail for a map of strings
	return text
}

func decodeRenditions(private []byte) renditions {
	r := renditions{}
	if json.Unmarshal(private, &r) != nil {
		return renditions{}
	}
	return r
}

// refresh sets the values of a response. An argument keeps its value while the service shows this
// value, another spelling of it or a rendition. Any other value is drift and removes the argument's
// renditions, unless it is the first response of its kind: then it is a rendition, too. A write-only
// argument stays null.
func (m *model) refresh(s *api.Session, shown renditions, first bool) {
	read := m.session
	read.fill(s, arguments)
	for _, a := range differing(&m.session, &read) {
		switch value := a.value(&read); {
		case m.writeOnly(a) || shown.has(a.name, value):
		case first:
			shown.add(a.name, value)
		default:
			a.copy(&m.session, &read)
			delete(shown, a.name)
		}
	}
	m.fill(s, computed)
}

// reading is the session of a running Read.
type reading struct {
	*model
	importing  bool
	renditions renditions
	unseen     string // the value of unseenKey, "" for none
}

// response applies a response of the service, of the listing or of a GET. After the first one of an
// import, the other way of reading is unseen.
func (r *reading) response(s *api.Session, listing bool) {
	way, other := byGet, byListing
	if listing {
		way, other = other, way
	}
	switch before := r.session; {
	case !r.importing:
		r.refresh(s, r.renditions, r.unseen == way)
	case r.unseen == "":
		r.fill(s, attributes)
		r.unseen = other
	default:
		r.fill(s, attributes)
		r.renditions.note(r.model, &before)
	}
	if r.unseen == way {
		r.unseen = ""
	}
}

// keepSpelling plans the value of the state if the configuration has another spelling of it, so
// that the plan shows no change. After an import the state has the service's spelling.
type keepSpelling struct{ attribute }

func (keepSpelling) Description(context.Context) string {
	return "Another spelling of the same value is not a change."
}

func (k keepSpelling) MarkdownDescription(ctx context.Context) string { return k.Description(ctx) }

func (k keepSpelling) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if k.equal(req.StateValue, req.PlanValue) {
		resp.PlanValue = req.StateValue
	}
}
