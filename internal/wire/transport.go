package wire

import (
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	dialTimeout = 10 * time.Second
	// addressTimeout is for one address of storage, of which there may be others.
	addressTimeout = 3 * time.Second
	// connectionsKept is per host: no more calls are made, or parts sent, at once.
	connectionsKept = 64
	// An HTTP/2 connection that has been silent for pingTime is pinged, and closed if no response
	// comes within pingTime.
	pingTime = 10 * time.Second
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// newTransports returns three transports with proxies from the environment. kept keeps its
// connections. fresh makes a connection for each request, so net/http never repeats a request by
// itself: it does that only on a connection that was used before. storage is for large bodies: it
// uses HTTP/1.1, because a connection for each part is faster than streams that share one, and no
// compression, because an ETag is that of the bytes as they are.
func newTransports(c Config) (kept, fresh, storage *http.Transport) {
	dial := c.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	kept, fresh, storage = newTransport(c, dial), newTransport(c, dial), newTransport(c, anyAddress(c, dial))
	kept.ForceAttemptHTTP2 = true
	kept.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingTime, PingTimeout: pingTime, WriteByteTimeout: pingTime}
	fresh.DisableKeepAlives = true
	storage.DisableCompression = true
	return kept, fresh, storage
}

func newTransport(c Config, dial dialFunc) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    connectionsKept,
		OnProxyConnectResponse: proxyRefusal,
	}
}

// proxyRefusal is the error of a proxy that makes no connection.
func proxyRefusal(_ context.Context, proxy *url.URL, connect *http.Request, res *http.Response) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	return fmt.Errorf("the proxy %s refused to connect to %s: %d %s", proxy.Host, connect.Host, res.StatusCode, http.StatusText(res.StatusCode))
}

// anyAddress connects to the addresses of a name in random order. A net.Dialer would use the same
// address for all connections.
func anyAddress(c Config, dial dialFunc) dialFunc {
	lookup := c.Lookup
	if lookup == nil && c.DialContext != nil {
		return dial
	}
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		ips, err := lookup(ctx, host)
		if err != nil {
			return nil, err
		}
		rand.Shuffle(len(ips), func(i, j int) { ips[i], ips[j] = ips[j], ips[i] })
		for _, ip := range ips {
			var conn net.Conn
			limited, cancel := context.WithTimeout(ctx, addressTimeout)
			conn, err = dial(limited, network, net.JoinHostPort(ip.Unmap().String(), port))
			cancel()
			if err == nil {
				limitUnsent(conn)
				return conn, nil
			}
		}
		return nil, err
	}
}

// storageGuard sends no credential to storage, and plain http only where the service uses it.
type storageGuard struct {
	http.RoundTripper
	userAgent string
	plain     bool
}

// Storage returns the transport for PUTs to presigned URLs that an Endpoint gives. It refuses a
// request with a credential, and plain http unless the Endpoint uses it, to loopback addresses. It
// has no time limit.
func (c *Client) Storage(service *Endpoint) http.RoundTripper {
	return &storageGuard{c.storage, c.config.UserAgent, service.base.Scheme == "http"}
}

// RoundTrip implements http.RoundTripper.
func (g *storageGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	insecure := CheckScheme(req.URL) != nil || req.URL.Scheme == "http" && !g.plain
	if insecure || req.URL.User != nil || req.Header.Get("Authorization") != "" || req.Header.Get("Cookie") != "" {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, retry.PermanentError("the request to storage was not sent: its address is plain http, or it carries a credential")
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", g.userAgent)
	res, err := g.RoundTripper.RoundTrip(req)
	if err != nil && req.Context().Err() != nil {
		g.CloseIdleConnections() // if one connection has died silently, the idle ones most likely have, too
	}
	return res, err
}

// CloseIdleConnections is called by an http.Client.
func (g *storageGuard) CloseIdleConnections() {
	(&http.Client{Transport: g.RoundTripper}).CloseIdleConnections()
}
