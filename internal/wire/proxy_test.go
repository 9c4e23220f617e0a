package wire

import (
	"bufio"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// newProxy starts a proxy for CONNECT, which refuses with the status that rule returns, unless that
// is 200.
func newProxy(t *testing.T, rule func(*http.Request) int) string {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := rule(r); r.Method != http.MethodConnect || status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		far, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		near, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() {
			_, _ = io.Copy(far, bufio.NewReader(buffered))
			_ = far.Close()
		}()
		_, _ = io.Copy(near, far)
		_ = near.Close()
	}))
	t.Cleanup(proxy.Close)
	return proxy.Listener.Addr().String()
}

// TestProxies makes a request to a server behind a proxy: one that lets all pass, one that demands
// credentials, one that blocks the host, and one that is not there.
func TestProxies(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	host := server.Listener.Addr().String()
	demanding := func(r *http.Request) int {
		if r.Header.Get("Proxy-Authorization") == "Basic "+base64.StdEncoding.EncodeToString([]byte("joe:pa/ss")) {
			return http.StatusOK
		}
		return http.StatusProxyAuthRequired
	}
	status := func(code int) func(*http.Request) int { return func(*http.Request) int { return code } }
	for name, test := range map[string]struct {
		rule      func(*http.Request) int
		user      *url.Userinfo
		want      string // PROXY and HOST stand for addresses; "": no error
		permanent bool
	}{
		"open":              {status(200), nil, "", false},
		"credentials":       {demanding, url.UserPassword("joe", "pa/ss"), "", false},
		"no credentials":    {demanding, nil, "the proxy PROXY requires credentials to connect to HOST", true},
		"wrong credentials": {demanding, url.UserPassword("joe", "HIDDEN"), "the proxy PROXY requires credentials to connect to HOST", true},
		"blocked":           {status(403), url.UserPassword("joe", "HIDDEN"), "the proxy PROXY refused to connect to HOST: 403 Forbidden", true},
		"failing":           {status(500), nil, "the proxy PROXY refused to connect to HOST: 500 Internal Server Error", false},
		"limited":           {status(429), nil, "the proxy PROXY refused to connect to HOST: 429 Too Many Requests", false},
		"overloaded":        {status(503), nil, "the proxy PROXY refused to connect to HOST: 503 Service Unavailable", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := newProxy(t, test.rule)
			transport := newTransport(Config{}, (&net.Dialer{}).DialContext)
			transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
			transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: address, User: test.user})
			t.Cleanup(transport.CloseIdleConnections)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
			must.Succeed(t, err)
			res, err := transport.RoundTrip(req)
			if err == nil {
				_ = res.Body.Close()
			}
			want := strings.NewReplacer("PROXY", address, "HOST", host).Replace(test.want)
			if err == nil != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "HIDDEN")) {
				t.Errorf("got %v, want %s", err, want)
			}
			if err != nil && retry.Permanent(err) != test.permanent {
				t.Errorf("permanent: %t", !test.permanent)
			}
		})
	}
}

// TestProxyThatSpeaksNoTLS has an address with https:// for a proxy with http://: the error is not
// one of the service.
func TestProxyThatSpeaksNoTLS(t *testing.T) {
	t.Parallel()
	transport := newTransport(Config{}, (&net.Dialer{}).DialContext)
	t.Cleanup(transport.CloseIdleConnections)
	transport.Proxy = http.ProxyURL(&url.URL{Scheme: "https", Host: newProxy(t, func(*http.Request) int { return http.StatusOK })})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://live.example.com", nil)
	must.Succeed(t, err)
	res, err := transport.RoundTrip(req)
	if err == nil {
		_ = res.Body.Close()
		t.Fatal("no error")
	}
	sent := &trace{}
	sent.connecting.Store(true)
	const want = "the proxy cannot be reached: TLS: the server does not answer in TLS; is the port right?"
	if got := sent.failure(t.Context(), err, redact.New()).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCheckProxy(t *testing.T) {
	t.Parallel()
	for value, fine := range map[string]bool{
		"http://proxy.example.com:3128":               true,
		"https://joe:pa%2Fss@proxy.example.com:3128/": true,
		"socks5://proxy.example.com":                  true,
		"proxy.example.com:3128":                      true,
		"10.0.0.1":                                    true,
		"http://joe:pa/ss@proxy.example.com:3128":     false,
		"joe:pa/ss@proxy.example.com:3128":            false,
		"joe:12/ss@proxy.example.com:3128":            false,
		"ftp://proxy.example.com":                     false,
		"http://":                                     false,
		"http://proxy.example.com:port":               false,
	} {
		if problem := CheckProxy(value); problem == "" != fine {
			t.Errorf("%s: %q", value, problem)
		}
	}
}
