package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// sink is a store that takes everything and keeps nothing: just enough of S3 for the contenders, at
// little cost, so that the time measured is theirs. Its ETags are those of the content that is
// expected.
type sink struct {
	listener net.Listener
	latency  time.Duration // before each answer
	late     int64         // of so many PUTs the answer to one is five seconds late; 0: none
	puts     atomic.Int64
	received atomic.Int64 // bytes of content

	mu      sync.Mutex
	content content
	stored  map[string]int64 // object -> size, for clients that look after sending
}

func startSink(ctx context.Context, latency time.Duration) (*sink, error) {
	l, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	s := &sink{listener: l, latency: latency, stored: map[string]int64{}}
	go s.accept(l)
	return s, nil
}

func (s *sink) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go s.serve(c)
	}
}

func (s *sink) name() string { return "sink" }
func (s *sink) host() string { return s.listener.Addr().String() }
func (s *sink) close()       { _ = s.listener.Close() }

func (s *sink) empty(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.stored)
	s.received.Store(0)
	s.puts.Store(0)
	return nil
}

func (s *sink) expect(c content) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content = c
}

func (s *sink) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 256<<10)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if req.Header.Get("Expect") != "" {
			if _, err := c.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n")); err != nil {
				return
			}
		}
		if err := s.discard(r, req.ContentLength); err != nil {
			return
		}
		<-time.After(s.latency)
		if req.Method == http.MethodPut && s.late > 0 && s.puts.Add(1)%s.late == 0 {
			<-time.After(5 * time.Second)
		}
		if _, err := c.Write([]byte(s.answer(req))); err != nil {
			return
		}
	}
}

// discard drops n bytes, and counts them while they come.
func (s *sink) discard(r *bufio.Reader, n int64) error {
	for n > 0 {
		if _, err := r.Peek(1); err != nil {
			return err
		}
		dropped, err := r.Discard(int(min(int64(r.Buffered()), n)))
		if err != nil {
			return err
		}
		n -= int64(dropped)
		s.received.Add(int64(dropped))
	}
	return nil
}

func (s *sink) answer(req *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, query := req.URL.Path, req.URL.Query()
	etag := s.content.md5[path.Base(name)]
	switch {
	case req.Method == http.MethodPut && query.Has("partNumber"):
		if n, _ := strconv.Atoi(query.Get("partNumber")); n >= 1 && n <= len(s.content.parts) {
			etag = s.content.parts[n-1]
		}
		return reply("200 OK", "", "ETag: \""+etag+"\"")
	case req.Method == http.MethodPut:
		s.stored[name] = req.ContentLength
		return reply("200 OK", "", "ETag: \""+etag+"\"")
	case req.Method == http.MethodPost && query.Has("uploads"):
		return reply("200 OK", "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>u</UploadId></InitiateMultipartUploadResult>")
	case req.Method == http.MethodPost && query.Has("uploadId"):
		s.stored[name] = s.content.size
		return reply("200 OK", `<CompleteMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><ETag>"`+etag+`-1"</ETag></CompleteMultipartUploadResult>`)
	case req.Method == http.MethodHead && s.stored[name] == 0:
		return reply("404 Not Found", "")
	case req.Method == http.MethodHead:
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nETag: \"%s\"\r\nLast-Modified: %s\r\n\r\n",
			s.stored[name], etag, time.Now().UTC().Format(http.TimeFormat))
	}
	return reply("200 OK", "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
}

func reply(status, body string, headers ...string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n%s\r\n%s",
		status, len(body), strings.Join(append(headers, ""), "\r\n"), body)
}
