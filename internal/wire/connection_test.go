package wire_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/wire/wiretest"
)

// rawRequest is a request as a rawServer read it.
type rawRequest struct {
	method     string
	connection int // from 1
}

// rawServer speaks HTTP over real connections, which it can break at will.
type rawServer struct {
	net.Listener
	mu   sync.Mutex
	seen []rawRequest
	// answer returns the answer as it goes over the connection, and whether the
	// connection is closed after it.
	answer func(rawRequest) (text string, hangUp bool)
}

func newRawServer(t *testing.T, answer func(rawRequest) (string, bool)) *rawServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must.Succeed(t, err)
	s := &rawServer{Listener: listener, answer: answer}
	var open sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		open.Wait()
	})
	open.Go(func() {
		for n := 1; ; n++ {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { s.serve(connection, n) })
			t.Cleanup(func() { _ = connection.Close() })
		}
	})
	return s
}

func (s *rawServer) serve(connection net.Conn, n int) {
	defer func() { _ = connection.Close() }()
	reader := bufio.NewReader(connection)
	for {
		r, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		request := rawRequest{r.Method, n}
		s.mu.Lock()
		s.seen = append(s.seen, request)
		text, hangUp := s.answer(request)
		s.mu.Unlock()
		_, _ = io.WriteString(connection, text)
		if hangUp {
			return
		}
	}
}

func (s *rawServer) requests(method string) (found []rawRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.seen {
		if r.method == method {
			found = append(found, r)
		}
	}
	return found
}

func rawResponse(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

// overWire is a configuration that uses the client's own transports.
func overWire(base string) settings {
	c := config(nil)
	c.LiveBaseURL, c.VODBaseURL, c.MaxRetries = base, base, 1
	return c
}

// TestStatusThatThereIsNot: a gateway that sends it may have passed the request on.
func TestStatusThatThereIsNot(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, 999} {
		service := wiretest.Always(status, "")
		if err := newClient(t, config(service)).create(t.Context()); !outcome(t, err).MayHaveBeenProcessed || len(service.Requests()) != 1 {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestOnceMeansOnce breaks the kept connection of an earlier call when a create is sent. Neither
// net/http nor the client may send it again.
func TestOnceMeansOnce(t *testing.T) {
	t.Parallel()
	server := newRawServer(t, func(r rawRequest) (string, bool) {
		if r.method == http.MethodPost {
			return "", true
		}
		return rawResponse(200, good), false
	})
	client := newClient(t, overWire("http://"+server.Addr().String()))
	must.Succeed(t, client.get(t.Context()))
	err := client.create(t.Context())
	if !outcome(t, err).MayHaveBeenProcessed || !strings.Contains(err.Error(), "connection broken after the request was sent") {
		t.Errorf("got %v; want a connection broken after the request was sent", err)
	}
	if got := server.requests(http.MethodPost); len(got) != 1 {
		t.Errorf("the service got %d requests, want 1", len(got))
	}
}

// TestOnceUsesNoKeptConnection: no create fails because the service closes idle connections.
func TestOnceUsesNoKeptConnection(t *testing.T) {
	t.Parallel()
	server := newRawServer(t, func(r rawRequest) (string, bool) {
		if r.method == http.MethodPost {
			return rawResponse(200, good), false
		}
		return rawResponse(200, `{"data":["eu"]}`), false
	})
	client := newClient(t, overWire("http://"+server.Addr().String()))
	for range 3 {
		must.Succeed(t, client.get(t.Context()))
		must.Succeed(t, client.create(t.Context()))
	}
	used := map[int]bool{}
	for _, r := range server.requests(http.MethodPost) {
		if used[r.connection] {
			t.Errorf("connection %d was used for two creates", r.connection)
		}
		used[r.connection] = true
	}
	for _, r := range server.requests(http.MethodGet) {
		if used[r.connection] {
			t.Errorf("connection %d was used for a create and another call", r.connection)
		}
	}
}

// TestOddResponses: JSON tells its own end, a connection that is handed over is not read, and what
// net/http quotes of a response that it cannot read is not shown.
func TestOddResponses(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, test := range map[string]struct{ response, want string }{
		"a byte is missing behind the JSON": {fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(good)+1, good), ""},
		"the last chunk is missing":         {fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", head, len(good), good), ""},
		"a byte-order mark":                 {rawResponse(200, "\ufeff"+good), ""},
		"a byte of the JSON is missing":     {fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(good), good[:len(good)-1]), "the response broke off"},
		"another protocol":                  {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", "(101), which was not asked for"},
		"a header that is none":             {"HTTP/1.1 200 OK\r\n{\"key\":\"HIDDEN\"}\r\n\r\n", "the response broke off, or is not valid HTTP"},
		"no status line":                    {"{\"key\":\"HIDDEN\"}\r\n\r\n", "the response broke off, or is not valid HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newRawServer(t, func(rawRequest) (string, bool) { return test.response, name != "another protocol" })
			c := overWire("http://" + server.Addr().String())
			c.MaxRetries = 0
			err := newClient(t, c).get(t.Context())
			switch {
			case (test.want == "") != (err == nil), err != nil && !strings.Contains(err.Error(), test.want):
				t.Errorf("got %v, want %s", err, test.want)
			case err != nil && strings.Contains(err.Error(), "HIDDEN"):
				t.Errorf("the response is shown: %v", err)
			}
		})
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":["eu"]}`)
	}))
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	port := server.URL[strings.LastIndex(server.URL, ":"):]

	t.Run("trusted", func(t *testing.T) {
		t.Parallel()
		c := overWire(server.URL)
		c.RootCAs = roots
		if err := newClient(t, c).get(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for name, test := range map[string]struct {
		base  string
		roots *x509.CertPool
		want  string
	}{
		"unknown authority": {server.URL, x509.NewCertPool(), "TLS: the certificate is signed by an unknown authority"},
		"another name":      {"https://localhost" + port, roots, "TLS: certificate is valid for example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := overWire(test.base)
			c.RootCAs = test.roots
			err := newClient(t, c).create(t.Context())
			e := outcome(t, err)
			if !strings.Contains(err.Error(), test.want) || e.MayHaveBeenProcessed || e.Requests != 1 {
				t.Errorf("got %v (%+v), want %q at once, surely not processed", err, e, test.want)
			}
		})
	}
	t.Run("an old version", func(t *testing.T) {
		t.Parallel()
		old := httptest.NewUnstartedServer(http.NotFoundHandler())
		old.Config.ErrorLog = quiet()
		old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11} // #nosec G402 -- refused
		old.StartTLS()
		t.Cleanup(old.Close)
		c := overWire(old.URL)
		c.MaxRetries = 0
		err := newClient(t, c).get(t.Context())
		if want := "TLS: the server ended the connection: protocol version not supported"; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("not TLS", func(t *testing.T) {
		t.Parallel()
		plain := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(plain.Close)
		err := newClient(t, overWire("https://"+plain.Listener.Addr().String())).get(t.Context())
		if err == nil || !strings.Contains(err.Error(), "does not answer in TLS") || outcome(t, err).Requests != 1 {
			t.Errorf("got %v", err)
		}
	})
}

// TestNetworkProblems puts errors of the network into words, without addresses of local sockets.
func TestNetworkProblems(t *testing.T) {
	t.Parallel()
	local, remote := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 50123}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 443}
	broken := func(op string, errno error) error {
		return &net.OpError{Op: op, Net: "tcp", Source: local, Addr: remote, Err: os.NewSyscallError(op, errno)}
	}
	for _, test := range []struct {
		err       error
		connected bool
		want      string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Addr: remote, Err: os.ErrDeadlineExceeded}, false, "no connection to 192.0.2.7:443 was made in time"},
		{broken("read", syscall.ECONNRESET), false, "no connection was made: read: connection reset by peer"},
		{broken("read", syscall.ECONNRESET), true, "connection broken after the request was sent: read: connection reset by peer"},
		{broken("write", syscall.EPIPE), true, "connection broken after the request was sent: write: broken pipe"},
		{&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}, false, "TLS: the certificate has expired or is not yet valid"},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, false, "TLS: the server ended the connection: handshake failure"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := config(&wiretest.Service{Answer: func(_ int, r *http.Request) (*http.Response, error) {
				if !test.connected {
					httptrace.ContextClientTrace(r.Context()).GetConn("")
				}
				return nil, test.err
			}})
			c.MaxRetries = 0
			err := newClient(t, c).create(t.Context())
			if err == nil || err.Error() != test.want || outcome(t, err).MayHaveBeenProcessed != test.connected {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// TestNoConnectionInTime has a service that never finishes the handshake, so it has surely not
// processed anything.
func TestNoConnectionInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := overWire("https://127.0.0.1")
		c.RequestTimeout, c.MaxRetries = time.Minute, 0 // longer than the first contact may take
		c.DialContext = func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			t.Cleanup(func() { _ = server.Close() })
			return client, nil
		}
		err := newClient(t, c).create(t.Context())
		if err == nil || outcome(t, err).MayHaveBeenProcessed || !strings.HasSuffix(err.Error(), "no connection was made: net/http: TLS handshake timeout") {
			t.Errorf("got %v", err)
		}
	})
}

// TestTimeoutOverTheWire has a service that receives the request and does not answer.
func TestTimeoutOverTheWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		server := newPipeServer(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, `{"data":`)
				_ = http.NewResponseController(w).Flush()
			}
			<-over
		})
		t.Cleanup(func() { close(over) })
		c := server.config()
		c.RequestTimeout, c.MaxRetries = time.Second, 0
		client := newClient(t, c)
		err := client.create(t.Context())
		if !outcome(t, err).MayHaveBeenProcessed || !strings.HasSuffix(err.Error(), "time-out after 1s: the request was sent but not answered") {
			t.Errorf("got %v", err)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			t.Error("the time-out of an attempt passes for the end of the operation")
		}
		err = client.get(t.Context())
		if err == nil || !strings.HasSuffix(err.Error(), "the response broke off after 8 bytes: time-out after 1s: the response had not ended") {
			t.Errorf("got %v", err)
		}
	})
}

// TestCancelOverTheWire expects a cancelled call to end at once and to say whether the request was
// sent.
func TestCancelOverTheWire(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	client := newClient(t, overWire(server.URL))
	err := client.create(ctx)
	if !errors.Is(err, context.Canceled) || !outcome(t, err).MayHaveBeenProcessed {
		t.Errorf("got %v", err)
	}
	err = client.create(ctx)
	if e := outcome(t, err); !errors.Is(err, context.Canceled) || e.MayHaveBeenProcessed || e.Requests != 0 {
		t.Errorf("got %v; want a call that was not made", err)
	}
}
