package wire

import (
	"errors"
	"net/http"
	"time"
)

// storageConnectionsKept is per host: no more parts are sent at once.
const storageConnectionsKept = 64

// storageTransport is for large bodies. It uses HTTP/1.1, because a connection for each part is
// faster than streams that share one, and no compression, because an ETag is that of the bytes as
// they are.
func storageTransport(c Config) *http.Transport {
	t := newTransport(c)
	t.Protocols = http1()
	t.MaxIdleConnsPerHost = storageConnectionsKept
	t.DisableCompression = true
	// If a request asks for 100 Continue, storage that does not know it must not delay it for long.
	t.ExpectContinueTimeout = 2 * time.Second
	return t
}

// storageGuard sends no request with a credential to storage.
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
	if err := CheckScheme(req.URL); err != nil {
		return errors.New("a request to storage was not sent: " + err.Error())
	}
	return nil
}
