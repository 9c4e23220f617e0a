package main

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// sink is a store that takes everything and keeps nothing: just enough of S3 for the contenders, at
// little cost, so that the time measured is theirs. Its ETags are those of the content that is
// expected.
type sink struct {
	late     int64 // of so many PUTs the answer to one is five seconds late; 0: none
	puts     atomic.Int64
	received atomic.Int64 // bytes of content

	mu      sync.Mutex
	content content
}

func (s *sink) expect(c content) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content = c
}

func (s *sink) empty() error {
	s.received.Store(0)
	s.puts.Store(0)
	return nil
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Large reads; the pointer hides io.Discard's own, smaller buffer.
	if _, err := io.CopyBuffer(&counter{s}, r.Body, make([]byte, 256<<10)); err != nil {
		return
	}
	if r.Method == http.MethodPut && s.late > 0 && s.puts.Add(1)%s.late == 0 {
		<-time.After(5 * time.Second)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	etag := s.content.md5[path.Base(r.URL.Path)]
	switch {
	case r.Method == http.MethodPost && query.Has("uploads"):
		_, _ = io.WriteString(w, "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>u</UploadId></InitiateMultipartUploadResult>")
	case r.Method == http.MethodPost:
		_, _ = fmt.Fprintf(w, `<CompleteMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><ETag>"%s-1"</ETag></CompleteMultipartUploadResult>`, etag)
	case r.Method == http.MethodPut:
		if n, _ := strconv.Atoi(query.Get("partNumber")); n >= 1 && n <= len(s.content.parts) {
			etag = s.content.parts[n-1]
		}
		w.Header().Set("ETag", strconv.Quote(etag))
	}
}

// counter counts the bytes that a sink drops.
type counter struct{ sink *sink }

func (c *counter) Write(p []byte) (int, error) {
	c.sink.received.Add(int64(len(p)))
	return len(p), nil
}
