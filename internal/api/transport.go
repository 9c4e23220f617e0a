package api

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"
)

const (
	dialTimeout = 30 * time.Second
	keepAlive   = 30 * time.Second
	// connectionsKept is per host: about what concurrent calls there are.
	connectionsKept = 16
	idleTimeout     = 90 * time.Second
	// storageConnectionsKept is per host: more parts than that are not sent at
	// once.
	storageConnectionsKept = 64
	// An HTTP/2 connection that has been silent for pingAfter is pinged, and closed when no answer
	// comes within pingTimeout or nothing can be written to it for as long. Together they are less
	// than DefaultRequestTimeout, so that a request on a dead connection is repeated on a new one.
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

// apiTransport keeps its connections, over HTTP/2 where the service has it.
func apiTransport(c Config) *http.Transport {
	t := newTransport(c)
	t.ForceAttemptHTTP2 = true
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout, WriteByteTimeout: pingTimeout}
	t.MaxIdleConnsPerHost = connectionsKept
	return t
}

// freshTransport makes a connection for each request. net/http repeats a
// request by itself only on a connection that has been used before, or over
// HTTP/2: here it never does.
func freshTransport(c Config) *http.Transport {
	t := newTransport(c)
	t.DisableKeepAlives = true
	t.Protocols = http1()
	return t
}

// storageTransport is for large bodies. HTTP/1.1, because a connection for each
// part beats streams that share one; no compression, because an ETag is of the
// bytes as they are.
func storageTransport(c Config) *http.Transport {
	t := newTransport(c)
	t.Protocols = http1()
	t.MaxIdleConnsPerHost = storageConnectionsKept
	t.DisableCompression = true
	// Should a request ask for 100 Continue, storage that does not know it
	// must not hold it up for long.
	t.ExpectContinueTimeout = 2 * time.Second
	return t
}

// closeIdle closes a transport's idle connections. It is called after a request timed out: where one
// connection has died without a sign, a NAT or VPN has most likely forgotten the idle ones as well.
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

func storageClient(next http.RoundTripper, userAgent string) *http.Client {
	return &http.Client{
		Transport:     &storageGuard{next: next, userAgent: userAgent},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// storageGuard lets no credential out to storage, whoever put it there.
type storageGuard struct {
	next      http.RoundTripper
	userAgent string
}

func (g *storageGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkStorageRequest(req); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", g.userAgent)
	res, err := g.next.RoundTrip(req)
	if err != nil && req.Context().Err() != nil {
		closeIdle(g.next)
	}
	return res, err
}

func checkStorageRequest(req *http.Request) error {
	for _, header := range []string{"Authorization", "Proxy-Authorization", "Proxy-Authenticate", "Cookie", "Cookie2"} {
		if _, carried := req.Header[header]; carried {
			return errors.New("a request to storage carries the header " + header + ": it was not sent")
		}
	}
	if req.URL.User != nil {
		return errors.New("a request to storage carries user info in its address: it was not sent")
	}
	if err := checkScheme(req.URL); err != nil {
		return errors.New("a request to storage was not sent: " + err.Error())
	}
	return nil
}
