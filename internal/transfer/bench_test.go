package transfer_test

import (
	"bufio"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// A sink answers every PUT with the MD5 that it was told of beforehand, in the
// address: computing it would cost more than all that is to be measured.
type benchDestination struct {
	base string
	sums []string
}

func (d *benchDestination) PartURL(_ context.Context, number int) (string, error) {
	return d.base + "/" + d.sums[number-1], nil
}

func (d *benchDestination) Stored(transfer.Part) {}

type memorySink struct{}

func (memorySink) RoundTrip(req *http.Request) (*http.Response, error) {
	n, err := io.Copy(io.Discard, req.Body)
	_ = req.Body.Close()
	if err != nil {
		return nil, err
	}
	if n != req.ContentLength {
		return nil, fmt.Errorf("%d bytes, %d announced", n, req.ContentLength)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Etag": {`"` + strings.TrimPrefix(req.URL.Path, "/") + `"`}}, Body: http.NoBody,
	}, nil
}

// loopbackSink reads requests from sockets without the cost of net/http's server.
func loopbackSink(b *testing.B, config *tls.Config) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	scheme := "http"
	if config != nil {
		l, scheme = tls.NewListener(l, config), "https"
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveSink(c)
		}
	}()
	return scheme + "://" + l.Addr().String()
}

func serveSink(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 256<<10)
	for {
		var path string
		var size int64
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSpace(line)
			if line == "" {
				break
			}
			if rest, ok := strings.CutPrefix(line, "PUT /"); ok {
				path, _, _ = strings.Cut(rest, " ")
			}
			if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				size, _ = strconv.ParseInt(v, 10, 64)
			}
		}
		if _, err := r.Discard(int(size)); err != nil {
			return
		}
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: \"%s\"\r\n\r\n", path)
	}
}

func benchFile(b *testing.B, size, partSize int64) (transfer.File, []string) {
	b.Helper()
	f := transfer.File{Path: filepath.Join(b.TempDir(), "bench.mp4"), Name: "bench.mp4", Size: size}
	out, err := os.Create(f.Path)
	if err != nil {
		b.Fatal(err)
	}
	whole := sha256.New()
	var sums []string
	part := make([]byte, min(partSize, size))
	for left := size; left > 0; {
		part = part[:min(partSize, left)]
		for i := range part {
			part[i] = byte(i*7 + i>>8 + len(sums))
		}
		if _, err := out.Write(part); err != nil {
			b.Fatal(err)
		}
		whole.Write(part)
		sum := md5.Sum(part)
		sums = append(sums, hex.EncodeToString(sum[:]))
		left -= int64(len(part))
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	f.SHA256 = [32]byte(whole.Sum(nil))
	return f, sums
}

func BenchmarkUploadParts(b *testing.B) {
	const partSize = 16 << 20
	for _, size := range []int64{64 << 20, 1 << 30} {
		f, sums := benchFile(b, size, partSize)
		for _, sink := range []string{"memory", "loopback", "tls"} {
			for _, concurrency := range []int{4, 8} {
				b.Run(fmt.Sprintf("%s/%dMiB/%d", sink, size>>20, concurrency), func(b *testing.B) {
					dst := &benchDestination{base: "http://sink.invalid", sums: sums}
					var transport http.RoundTripper = memorySink{}
					if sink != "memory" {
						sockets := &http.Transport{MaxIdleConnsPerHost: concurrency}
						defer sockets.CloseIdleConnections()
						transport = sockets
						var config *tls.Config
						if sink == "tls" {
							certified := httptest.NewTLSServer(nil)
							certified.Close()
							config = &tls.Config{Certificates: certified.TLS.Certificates}
							sockets.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} // the certificate is the test's own
						}
						dst.base = loopbackSink(b, config)
					}
					e := transfer.New(transfer.Config{Transport: transport, Concurrency: concurrency})
					b.SetBytes(size)
					b.ReportAllocs()
					for b.Loop() {
						if _, err := e.UploadParts(b.Context(), f, partSize, nil, dst); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
