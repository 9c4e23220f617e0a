package wire

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	dialTimeout = 30 * time.Second
	keepAlive   = 30 * time.Second
	// connectionsKept is per host: about the number of concurrent calls.
	connectionsKept = 16
	idleTimeout     = 90 * time.Second
	// An HTTP/2 connection that has been silent for pingAfter is pinged. It is closed if no
	// response comes within pingTimeout, or if nothing can be written to it for as long. The sum is
	// less than defaultRequestTimeout, so that a request on a dead connection is repeated on a new
	// one.
	pingAfter   = 10 * time.Second
	pingTimeout = 10 * time.Second
)

func newTransport(c Config) *http.Transport {
	dial := c.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext
	}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dial,
		TLSClientConfig:     &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: dialTimeout,
		IdleConnTimeout:     idleTimeout,
	}
}

// keptTransport keeps its connections. It uses HTTP/2 if the service offers it.
func keptTransport(c Config) *http.Transport {
	t := newTransport(c)
	t.ForceAttemptHTTP2 = true
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout, WriteByteTimeout: pingTimeout}
	t.MaxIdleConnsPerHost = connectionsKept
	return t
}

// freshTransport makes a connection for each request. So net/http never repeats a request by
// itself: it does that only on a connection that was used before, or over HTTP/2.
func freshTransport(c Config) *http.Transport {
	t := newTransport(c)
	t.DisableKeepAlives = true
	t.Protocols = http1()
	return t
}

// closeIdle closes a transport's idle connections. It is called after a request timed out: if one
// connection has died silently, a NAT or VPN has most likely forgotten the idle ones, too.
func closeIdle(t http.RoundTripper) {
	if t, ok := t.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

func http1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}
