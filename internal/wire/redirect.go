package wire

import (
	"context"
	"fmt"
	"net/http"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

const redirectsAtMost = 5

// follow follows redirects within the same host. It never turns a POST into a GET, and sends the
// credential to no other address.
func (x *exchange) follow(ctx context.Context) (*response, error) {
	first := x.url
	defer func() { x.url = first }()
	for range redirectsAtMost + 1 {
		res, err := x.logRequest(ctx)
		if err != nil || !redirects(res) {
			return res, err
		}
		target, err := x.url.Parse(res.header.Get("Location"))
		if err != nil {
			return res, x.misdirected("the service redirects to an address that is not a URL")
		}
		shown := redact.Address(target)
		if x.Shown != nil {
			shown = target.Scheme + "://" + target.Host
		}
		if res.status < http.StatusTemporaryRedirect && x.Method != http.MethodGet {
			return res, x.misdirected("the service redirects the request to %s, which would lose its body: the base address probably needs https or another path", shown)
		}
		normalizeHost(target)
		if target.User != nil || target.Scheme != first.Scheme || target.Host != first.Host {
			return res, x.misdirected("the service redirects to another host, %s, which gets no credential: if that is the service, make it the base address", shown)
		}
		x.url = target
	}
	return nil, x.misdirected("the service redirects in a circle")
}

func redirects(res *response) bool {
	switch res.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return res.header.Get("Location") != ""
	}
	return false
}

func (x *exchange) misdirected(format string, args ...any) error {
	return final(x.mask.Line(fmt.Sprintf(format, args...)), nil)
}
