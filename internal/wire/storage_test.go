package wire_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

func put(t *testing.T, address string, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, strings.NewReader("bytes"))
	must.Succeed(t, err)
	for i := 0; i < len(header); i += 2 {
		r.Header[header[i]] = []string{header[i+1]}
	}
	return r
}

// TestStorageCarriesNoCredential expects requests with a credential to be refused.
func TestStorageCarriesNoCredential(t *testing.T) {
	t.Parallel()
	const address = "https://st.example.com/b/k?X-Amz-Signature=hidden"
	for name, r := range map[string]*http.Request{
		"authorization":       put(t, address, "Authorization", "hidden"),
		"empty authorization": put(t, address, "Authorization", ""),
		"proxy authorization": put(t, address, "Proxy-Authorization", "hidden"),
		"cookie":              put(t, address, "Cookie", "hidden"),
		"user info":           put(t, strings.Replace(address, "//", "//joe:hidden@", 1)),
		"plain http":          put(t, strings.Replace(address, "https", "http", 1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := wiretest.Always(200, "")
			res, err := newClient(t, config(service)).Storage().RoundTrip(r)
			if err == nil {
				_ = res.Body.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "to storage") || strings.Contains(err.Error(), "hidden") || len(service.Requests()) != 0 {
				t.Errorf("%d requests, error %v", len(service.Requests()), err)
			}
		})
	}
}

// TestStorageOnThisMachine: only a service on this machine may direct requests to this machine.
func TestStorageOnThisMachine(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(secure.Close)
	var connections atomic.Int64
	count := func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	other := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inner life") }))
	other.Config.ConnState, other.Config.ErrorLog = count, quiet()
	other.Start()
	t.Cleanup(other.Close)
	_, securePort, _ := net.SplitHostPort(secure.Listener.Addr().String())
	_, otherPort, _ := net.SplitHostPort(other.Listener.Addr().String())
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	for _, test := range []struct {
		service, address, text string
	}{
		{"https://vod.example.com", "http://127.0.0.1:" + otherPort, "allowed only if the address of the service is"},
		{"https://vod.example.com", "http://localhost:" + otherPort, "allowed only if the address of the service is"},
		{"https://vod.example.com", "https://127.0.0.1:" + otherPort, "leads to this machine"},
		{"https://vod.example.com", "https://localhost:" + otherPort, "leads to this machine"},
		{"https://vod.example.com", "https://[::ffff:127.0.0.1]:" + otherPort, "leads to this machine"},
		{"https://vod.example.com", "https://0.0.0.0:" + otherPort, "leads to this machine"},
		{"https://vod.example.com", "https://169.254.169.254", "leads to this machine or its link"},
		{"https://127.0.0.1:1", "http://127.0.0.1:" + otherPort, "allowed only if the address of the service is"},
		{"https://127.0.0.1:1", "https://127.0.0.1:" + securePort, ""},
		{"http://localhost:1", "https://127.0.0.1:" + securePort, ""},
		{"http://localhost:1", "http://vod.example.com", "plain http"},
	} {
		c := overWire("http://127.0.0.1:1")
		c.VODBaseURL, c.RootCAs = test.service, roots
		res, err := newClient(t, c).Storage().RoundTrip(put(t, test.address+"/b/k"))
		if err == nil {
			_ = res.Body.Close()
		}
		if (err == nil) != (test.text == "") || err != nil && (!strings.Contains(err.Error(), test.text) || !retry.Permanent(err)) {
			t.Errorf("%s gives %s: %v", test.service, test.address, err)
		}
	}
	if n := connections.Load(); n > 0 {
		t.Errorf("%d connections were made", n)
	}
	c := overWire("http://localhost:" + otherPort)
	if res, err := newClient(t, c).Storage().RoundTrip(put(t, "http://localhost:"+otherPort)); err != nil {
		t.Error(err)
	} else {
		_ = res.Body.Close()
	}
}

// TestStorageOfServiceByName: the address that was connected to says whether a service is on this
// machine, not how its base address is written.
func TestStorageOfServiceByName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows makes no connection to 0.0.0.0")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must.Succeed(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4zero, net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must.Succeed(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, good) }))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	c := overWire("http://127.0.0.1:1")
	c.VODBaseURL = strings.Replace(server.URL, "127.0.0.1", "0.0.0.0", 1)
	c.RootCAs = x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	must.Succeed(t, err)
	c.RootCAs.AddCert(cert)
	client := newClient(t, c)
	if res, err := client.Storage().RoundTrip(put(t, server.URL)); err == nil {
		_ = res.Body.Close()
		t.Error("before the first call it is not known where the service is")
	}
	must.Succeed(t, client.presign(t.Context()))
	res, err := client.Storage().RoundTrip(put(t, server.URL))
	must.Succeed(t, err)
	_ = res.Body.Close()
}

// TestStorage expects a request to arrive as it was made, and a redirect to be returned.
func TestStorage(t *testing.T) {
	t.Parallel()
	type arrived struct {
		header http.Header
		host   string
		proto  string
		body   string
	}
	got := make(chan arrived, 8)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- arrived{r.Header, r.Host, r.Proto, string(body)}
		if r.URL.Path == "/redirect" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "x"})
			http.Redirect(w, r, "/b/k", http.StatusTemporaryRedirect)
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c := overWire(server.URL)
	c.RootCAs = roots
	storage := newClient(t, c).Storage()

	for path, status := range map[string]int{"/redirect": 307, "/b/k": 200} {
		res, err := storage.RoundTrip(put(t, server.URL+path+"?X-Amz-Signature=a%2Fb", "Content-Type", "video/mp4"))
		must.Succeed(t, err)
		_ = res.Body.Close()
		if res.StatusCode != status {
			t.Errorf("%s: status %d, want %d", path, res.StatusCode, status)
		}
		a := <-got
		if a.body != "bytes" || a.proto != "HTTP/1.1" || a.header.Get("User-Agent") != "test/1" || a.header.Get("Content-Type") != "video/mp4" {
			t.Errorf("%s: got %+v", path, a)
		}
		for _, header := range []string{"Authorization", "Cookie", "Accept-Encoding", "Referer"} {
			if _, sent := a.header[header]; sent {
				t.Errorf("%s: sent %s", path, header)
			}
		}
	}
	if len(got) != 0 {
		t.Error("the redirect was followed")
	}
}

// TestNoConnectionIsMadeByNew expects no request from New and Endpoint.
func TestNoConnectionIsMadeByNew(t *testing.T) {
	t.Parallel()
	server := newRawServer(t, func(rawRequest) (string, bool) { return "", true })
	newClient(t, overWire("http://"+server.Addr().String()))
	if n := len(server.requests(http.MethodGet)); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestStorageClosesIdleConnections expects a new connection after an http.Client has closed the
// idle ones.
func TestStorageClosesIdleConnections(t *testing.T) {
	t.Parallel()
	var made atomic.Int32
	storage := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	storage.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			made.Add(1)
		}
	}
	storage.Start()
	defer storage.Close()
	transport := newClient(t, overWire(storage.URL)).Storage()
	for _, want := range []int32{1, 1, 2} {
		if want == 2 {
			(&http.Client{Transport: transport}).CloseIdleConnections()
		}
		res, err := transport.RoundTrip(put(t, storage.URL))
		must.Succeed(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if n := made.Load(); n != want {
			t.Errorf("%d connections, want %d", n, want)
		}
	}
}
