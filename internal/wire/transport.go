package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

const (
	dialTimeout = 30 * time.Second
	// connectionsKept is per host: no more calls are made, or parts sent, at once.
	connectionsKept = 64
	idleTimeout     = 90 * time.Second
	// An HTTP/2 connection that has been silent for pingAfter is pinged. It is closed if no
	// response comes within pingTimeout, or if nothing can be written to it for as long. The sum is
	// less than defaultRequestTimeout, so that a request on a dead connection is repeated on a new
	// one.
	pingAfter   = 10 * time.Second
	pingTimeout = 10 * time.Second
)

// dialer makes TCP connections to addresses that a request may reach.
func dialer(c Config) dialFunc {
	if c.DialContext != nil {
		return c.DialContext
	}
	return (&net.Dialer{Timeout: dialTimeout, ControlContext: checkReach}).DialContext
}

// inTime limits the time of connections to hosts that were never reached.
func inTime(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		limited, end := retry.Connecting(ctx)
		defer end()
		conn, err := dial(limited, network, address)
		if err != nil && errors.Is(context.Cause(limited), retry.ErrFirstContact) {
			err = retry.ErrFirstContact
		}
		return conn, err
	}
}

var errHandshake = fmt.Errorf("the TLS handshake did not end in %s", retry.FirstContact)

// overTLS makes TLS connections as a transport does, so that they can be made ahead.
func overTLS(dial dialFunc, c *tls.Config) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := c.Clone()
		c.ServerName, _, _ = net.SplitHostPort(address)
		secured := tls.Client(conn, c)
		limited, end := context.WithTimeoutCause(ctx, retry.FirstContact, errHandshake)
		defer end()
		if err := secured.HandshakeContext(limited); err != nil {
			_ = conn.Close()
			if errors.Is(context.Cause(limited), errHandshake) {
				err = errHandshake
			}
			return nil, err
		}
		return secured, nil
	}
}

// newTransport returns a transport that uses HTTP/1.1, because it has a DialContext of its own.
func newTransport(c Config, dial dialFunc) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         inTime(dial),
		TLSClientConfig:     &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: retry.FirstContact,
		IdleConnTimeout:     idleTimeout,
		MaxIdleConnsPerHost: connectionsKept,

		OnProxyConnectResponse: proxyRefusal,
	}
}

// proxyRefusal is the error of a proxy that makes no connection. Proxies answer 4xx if they will
// not, 5xx if they cannot at the moment.
func proxyRefusal(_ context.Context, proxy *url.URL, connect *http.Request, res *http.Response) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	text := fmt.Sprintf("the proxy %s refused to connect to %s: %d %s", proxy.Host, connect.Host, res.StatusCode, http.StatusText(res.StatusCode))
	if res.StatusCode == http.StatusProxyAuthRequired {
		text = fmt.Sprintf("the proxy %s requires credentials to connect to %s, or does not accept those of the environment variable HTTPS_PROXY: "+
			"407 Proxy Authentication Required", proxy.Host, connect.Host)
	}
	if res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusTooManyRequests {
		return errors.New(text)
	}
	return retry.PermanentError(text)
}

// sameProtocol refuses a response that hands over the connection: no time limit and no interrupt
// ends the reading of it.
func sameProtocol(resp *http.Response, err error) (*http.Response, error) {
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols {
		_ = resp.Body.Close()
		return nil, retry.PermanentError("the server switches to another protocol (101), which was not asked for")
	}
	return resp, err
}

// CheckProxy says what is wrong with the value of an environment variable that names a proxy, "" if
// nothing is. It does not repeat the value, which may have a password.
func CheckProxy(value string) string {
	address := value
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Hostname() == "", strings.Trim(u.Path, "/") != "":
		return "is not the URL of a proxy"
	case !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme):
		return "has a scheme that no proxy has"
	}
	return ""
}

// callTransports are for calls of the service. kept uses HTTP/2 if the service offers it. fresh
// makes a connection for each request. So net/http never repeats a request by itself: it does that
// only on a connection that was used before, or over HTTP/2.
func callTransports(c Config) (kept, fresh *http.Transport) {
	kept, fresh = newTransport(c, dialer(c)), newTransport(c, dialer(c))
	kept.ForceAttemptHTTP2 = true
	kept.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout, WriteByteTimeout: pingTimeout}
	fresh.DisableKeepAlives = true
	return kept, fresh
}

// reach says with which addresses a request may make a connection.
type reach uint8

const (
	anywhere  reach = iota
	elsewhere       // not this machine and its link
	here            // loopback addresses
)

type reachKey struct{}

// limitReach makes the transport check the address that it dials for a request. Plain http may only
// reach this machine. A proxy is not checked: it makes the connection, and the user has chosen it.
func limitReach(req *http.Request, allowed reach) *http.Request {
	if req.URL.Scheme == "http" {
		allowed = here
	}
	if proxy, err := http.ProxyFromEnvironment(req); err == nil && proxy != nil {
		return req
	}
	return req.WithContext(context.WithValue(req.Context(), reachKey{}, allowed))
}

// checkReach is called before a connection is made to an address that a name was resolved to.
func checkReach(ctx context.Context, _, address string, _ syscall.RawConn) error {
	allowed, _ := ctx.Value(reachKey{}).(reach)
	dialled, err := netip.ParseAddrPort(address)
	ip := dialled.Addr().Unmap()
	switch {
	case allowed == here && (err != nil || !ip.IsLoopback()):
		return retry.PermanentError("plain http is allowed to loopback addresses only: write https://")
	case allowed == elsewhere && (err != nil || ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast()):
		return retry.PermanentError("the upload address leads to this machine or its link, but the service is elsewhere")
	}
	return nil
}
