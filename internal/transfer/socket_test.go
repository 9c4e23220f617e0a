package transfer_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/bubble"
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// listen answers each connection with serve, which gets what it has sent so far
// as a reader behind the request's header.
func listen(t *testing.T, secure *tls.Config, serve func(c net.Conn, body io.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.Succeed(t, err)
	scheme := "http://"
	if secure != nil {
		l, scheme = tls.NewListener(l, secure), "https://"
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				if req, err := http.ReadRequest(r); err == nil {
					serve(c, req.Body)
				}
			}()
		}
	}()
	return scheme + l.Addr().String()
}

func say(c net.Conn, status int, more string) {
	body := "<Error><Code>Early</Code><Message>before the body</Message></Error>"
	_, _ = fmt.Fprintf(c, "HTTP/1.1 %d X\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), more, body)
}

// A server that refuses before it has read the body, and then does the worst
// it can to the connection, is understood anyway. Each way is tried
// often: with net/http alone the answer gets lost every few times.
func TestEarlyRefusal(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(nil)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	f, _ := newFile(t, 8<<20) // more than the sockets' buffers hold
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	for _, ending := range []struct {
		name   string
		before int64 // bytes of the body that are read
		header string
		end    func(body io.Reader)
	}{
		{name: "closes", end: func(io.Reader) {}},
		{name: "closes in the middle", before: 300_000, end: func(io.Reader) {}},
		{name: "keeps the connection and reads nothing", end: func(io.Reader) { <-over }},
		{name: "reads on", header: "Connection: close\r\n", end: func(body io.Reader) { _, _ = io.Copy(io.Discard, body) }},
	} {
		for _, https := range []bool{false, true} {
			for _, code := range []int{400, 403, 411, 413} {
				t.Run(fmt.Sprintf("%s/%d/tls=%v", ending.name, code, https), func(t *testing.T) {
					t.Parallel()
					var config *tls.Config
					transport := &http.Transport{}
					if https {
						config = secure.TLS.Clone()
						config.NextProtos = nil
						transport.TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
					}
					t.Cleanup(transport.CloseIdleConnections)
					base := listen(t, config, func(c net.Conn, body io.Reader) {
						_, _ = io.CopyN(io.Discard, body, ending.before)
						say(c, code, ending.header)
						ending.end(body)
					})
					e := transfer.New(transfer.Config{Transport: transport, Concurrency: 1})
					for range 5 {
						_, err := e.UploadSingle(t.Context(), f, func(context.Context) (string, error) {
							return base + "/key?X-Amz-Signature=" + secret, nil
						}, "")
						var se *transfer.StatusError
						if !errors.As(err, &se) || se.Status != code || se.Code != "Early" {
							t.Fatalf("error %v", err)
						}
					}
				})
			}
		}
	}
}

// TestOverSockets has the first connection of part 2 broken after some bytes.
func TestOverSockets(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]int64{"undisturbed": -1, "broken before": 0, "broken in the middle": 10_000, "answer lost": whole} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, want := newFile(t, 4*partSize+1)
			s := &store{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				a := s.note(r)
				if a.Part == 2 && a.Nth == 1 && after >= 0 {
					_, _ = io.CopyN(io.Discard, r.Body, after)
					panic(http.ErrAbortHandler)
				}
				if err := s.read(a, r); err != nil {
					return
				}
				w.Header().Set("ETag", s.take(a).Header.Get("ETag"))
			}))
			t.Cleanup(server.Close)
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			uploaded(t, newEngine(transport), s, f, want, nil, &upload{base: server.URL})
		})
	}
}

// TestNobodyListens has storage that cannot be reached: from the beginning, or after the first
// part.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 80}, Err: errors.New("connection refused")}
	for name, c := range map[string]struct {
		err  error
		took time.Duration
	}{
		"refused":      {refused, 10 * time.Second},
		"unknown name": {&net.DNSError{Err: "no such host", Name: "storage.test", IsNotFound: true}, 0},
	} {
		bubble.Run(t, name, func(t *testing.T) {
			f, _ := newFile(t, 1000)
			transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, c.err }}
			e := newEngine(transport, func(c *transfer.Config) { c.MaxRetries = 0 })
			start := time.Now()
			_, err := e.UploadParts(t.Context(), f, partSize, nil, &upload{base: "http://storage.test"})
			if !errors.Is(err, c.err) {
				t.Errorf("error %v", err)
			}
			hidden(t, err)
			if took := time.Since(start); took != c.took {
				t.Errorf("it took %s, want %s", took, c.took)
			}
		})
	}
}
