package wire

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestProxyThatRefuses: the error names the proxy and the host, and no password.
func TestProxyThatRefuses(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	t.Cleanup(proxy.Close)
	transport := newTransport(Config{}, (&net.Dialer{}).DialContext)
	t.Cleanup(transport.CloseIdleConnections)
	address := proxy.Listener.Addr().String()
	transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: address, User: url.UserPassword("joe", "hidden")})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := transport.RoundTrip(req)
	if err == nil {
		_ = res.Body.Close()
	}
	want := "the proxy " + address + " refused to connect to api.example.com:443: 407 Proxy Authentication Required"
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v, want %s", err, want)
	}
}
