package livesession

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/localtime"
	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
)

// The service may store a value in another spelling than configured. Replacing the session would
// not help: the new session would show the same spelling, and the old one could not be stopped. So
// values with the same meaning are equal (see attribute.same), and any other value that the service
// shows after a create is remembered as its spelling (see memory).

// canonical returns the element of values that equals value without regard to letter case, else
// value.
func canonical(value string, values []string) string {
	for _, v := range values {
		if strings.EqualFold(v, value) {
			return v
		}
	}
	return value
}

// sameURL compares stream URLs: scheme and host without regard to letter case, a missing port as
// the default port of the scheme.
func sameURL(a, b string) bool {
	one, err := url.Parse(a)
	other, otherErr := url.Parse(b)
	if err != nil || otherErr != nil {
		return false
	}
	for _, u := range []*url.URL{one, other} {
		u.Scheme = strings.ToLower(u.Scheme)
		u.Host = strings.ToLower(u.Hostname()) + ":" + cmp.Or(u.Port(), quote.StreamPorts[u.Scheme])
	}
	return one.String() == other.String()
}

// sameClock compares local times in different layouts.
func sameClock(a, b string) bool {
	one, ok := localtime.Read(a)
	other, otherOK := localtime.Read(b)
	return ok && otherOK && one.Equal(other)
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
