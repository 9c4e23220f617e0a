package livesession

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/localtime"
	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
)

// The service may store a value in another spelling than configured. Replacing the session would
// not help: the new session would show the same spelling, and the old one could not be stopped. So
// values with the same meaning are equal (see attribute.same), and any other value that the service
// shows after a create is remembered as its spelling (see privateData).

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
