package wire

import (
	"net/http"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// storageTransports are for large bodies. They use HTTP/1.1, because a connection for each part is
// faster than streams that share one, and no compression, because an ETag is that of the bytes as
// they are. fresh makes a connection for each request.
func storageTransports(c Config) (kept, fresh *http.Transport) {
	dial := newSpread(c).DialContext
	kept, fresh = newTransport(c, newAhead(dial).DialContext), newTransport(c, dial)
	kept.DialTLSContext = inTime(newAhead(overTLS(dial, kept.TLSClientConfig)).DialContext)
	kept.DisableCompression, fresh.DisableCompression = true, true
	fresh.DisableKeepAlives = true
	return kept, fresh
}

// storageGuard sends no request with a credential to storage. A service on another machine must not
// direct requests to this one, whose other servers trust them.
type storageGuard struct {
	kept, fresh http.RoundTripper
	userAgent   string
	service     *Endpoint // gives the addresses of storage
}

func (g *storageGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.check(req); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	allowed := elsewhere
	if g.service.local() {
		allowed = anywhere
	}
	req = limitReach(req.Clone(req.Context()), allowed)
	req.Header.Set("User-Agent", g.userAgent)
	next := g.kept
	if len(retry.Avoided(req.Context())) > 0 {
		next = g.fresh // an idle connection may be one to an address that the request avoids
	}
	res, err := sameProtocol(next.RoundTrip(req))
	if err != nil && req.Context().Err() != nil {
		g.CloseIdleConnections() // as after a time-out of a call
	}
	return res, err
}

// CloseIdleConnections is called by an http.Client.
func (g *storageGuard) CloseIdleConnections() {
	(&http.Client{Transport: g.kept}).CloseIdleConnections()
}

func (g *storageGuard) check(req *http.Request) error {
	const problem = retry.PermanentError("a request to storage was not sent: ")
	for _, header := range []string{"Authorization", "Proxy-Authorization", "Proxy-Authenticate", "Cookie", "Cookie2"} {
		if _, carried := req.Header[header]; carried {
			return problem + "it carries the header " + retry.PermanentError(header)
		}
	}
	if req.URL.User != nil {
		return problem + "its address contains user info"
	}
	if err := CheckScheme(req.URL); err != nil {
		return problem + retry.PermanentError(err.Error())
	}
	if req.URL.Scheme != "https" && g.service.base.Scheme != "http" {
		return problem + "its address is plain http, which is allowed only if the address of the service is"
	}
	return nil
}
