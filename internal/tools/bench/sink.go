package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// sink takes everything and keeps nothing: just enough S3 for the contenders,
// at the least cost, so that the time measured is theirs. Content is thrown
// away inside the kernel where it can be. The ETags are those of the file that
// is sent in this run, computed beforehand.
type sink struct {
	listener net.Listener
	etags    atomic.Pointer[etags]
	uploads  atomic.Int64

	mu   sync.Mutex
	held map[string]int64 // object -> size, for those that look after sending
}

// etags are the MD5 sums, in hex, of a file and of the engine's parts of it.
type etags struct {
	whole string
	parts []string
	size  int64
	files map[string]string // of a folder: by the last element of the name
}

func (e *etags) of(path string) string {
	if sum, ok := e.files[path[strings.LastIndexByte(path, '/')+1:]]; ok {
		return sum
	}
	return e.whole
}

func startSink(ctx context.Context) (*sink, error) {
	l, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	s := &sink{listener: l, held: make(map[string]int64)}
	s.etags.Store(&etags{})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s, nil
}

func (s *sink) url() string { return "http://" + s.listener.Addr().String() }

func (s *sink) name() string { return "sink" }

func (s *sink) expect(sums sums) { s.etags.Store(&sums.etags) }

func (s *sink) empty(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.held)
	return nil
}

func (s *sink) close() { _ = s.listener.Close() }

type sinkRequest struct {
	method string
	target *url.URL
	length int64
	expect bool
	meta   []string // headers that a later HEAD repeats
}

func (s *sink) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 8<<10)
	for {
		req, err := readHead(r)
		if err != nil {
			return
		}
		if req.expect {
			if _, err := c.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n")); err != nil {
				return
			}
		}
		if err := discard(c, r, req.length); err != nil {
			return
		}
		if _, err := c.Write([]byte(s.answer(req))); err != nil {
			return
		}
	}
}

func readHead(r *bufio.Reader) (sinkRequest, error) {
	var req sinkRequest
	for first := true; ; first = false {
		line, err := r.ReadString('\n')
		if err != nil {
			return req, err
		}
		line = strings.TrimRight(line, "\r\n")
		if first {
			f := strings.Fields(line)
			if len(f) != 3 {
				return req, fmt.Errorf("no request line: %q", line)
			}
			req.method = f[0]
			if req.target, err = url.ParseRequestURI(f[1]); err != nil {
				return req, err
			}
			continue
		}
		if line == "" {
			return req, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch name = strings.ToLower(name); {
		case name == "content-length":
			req.length, _ = strconv.ParseInt(value, 10, 64)
		case name == "expect":
			req.expect = true
		case strings.HasPrefix(name, "x-amz-meta-"):
			req.meta = append(req.meta, line)
		}
	}
}

func (s *sink) answer(req sinkRequest) string {
	e := s.etags.Load()
	q := req.target.Query()
	path := req.target.Path
	switch {
	case req.method == "PUT" && q.Has("partNumber"):
		etag := e.whole
		if n, _ := strconv.Atoi(q.Get("partNumber")); n >= 1 && n <= len(e.parts) {
			etag = e.parts[n-1]
		}
		return reply("200 OK", "", `ETag: "`+etag+`"`)
	case req.method == "PUT":
		s.keep(path, req.length)
		return reply("200 OK", "", `ETag: "`+e.of(path)+`"`)
	case req.method == "POST" && q.Has("uploads"):
		id := s.uploads.Add(1)
		return reply("200 OK", fmt.Sprintf("<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>%d</UploadId></InitiateMultipartUploadResult>", id))
	case req.method == "POST" && q.Has("uploadId"):
		s.keep(path, e.size)
		return reply("200 OK", `<CompleteMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><ETag>"`+e.whole+`-1"</ETag></CompleteMultipartUploadResult>`)
	case req.method == "HEAD":
		return s.head(path)
	case req.method == "GET":
		return reply("200 OK", "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
	default:
		return reply("204 No Content", "")
	}
}

func (s *sink) keep(path string, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[path] = size
}

func (s *sink) head(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, ok := s.held[path]
	if !ok {
		return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
	}
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nETag: \"%s\"\r\nLast-Modified: %s\r\n\r\n",
		size, s.etags.Load().of(path), time.Now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"))
}

func reply(status, body string, headers ...string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n%s\r\n%s",
		status, len(body), strings.Join(append(headers, ""), "\r\n"), body)
}
