package transfer

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// sender makes PUTs.
type sender struct {
	transport http.RoundTripper
	throttle  *throttle
	stall     time.Duration // 0: no limit
	refused   func()        // is told that storage asks for fewer requests
	redactor  *redact.Redactor
}

// put is what one PUT sends.
type put struct {
	op          string // for errors: "send part 3 of a.mp4"
	part        int    // 0 for a single PUT
	url         string
	contentType string
	section     *digest.Section
	avoid       []net.Addr    // addresses of storage that another PUT should not use
	sent        func(n int64) // is told how many bytes were handed over
	// last is asked before the last bytes are sent. An error withholds them, so that no object is made.
	last func() error
}

// compare requires that all checksums in the answer to a PUT are the content's. It returns the one
// to record, "" if there was none.
func (s *sender) compare(ctx context.Context, p put, returned []checksum) (string, error) {
	for _, c := range returned {
		want, err := p.section.Checksum(ctx, c.algorithm)
		if err != nil {
			return "", err
		}
		if c.value != want {
			return "", &ChecksumError{Op: p.op, Algorithm: c.algorithm, Returned: s.masker(p)(c.value), Content: want, Attempts: 1}
		}
	}
	if len(returned) == 0 {
		return "", nil
	}
	return returned[0].algorithm + ":" + returned[0].value, nil
}

// masker returns a function that makes a text of storage, or of the connection to it, one line without secrets.
func (s *sender) masker(p put) func(text string) string {
	return func(text string) string { return s.redactor.Line(text, redact.PresignedSecrets(p.url)...) }
}

func (s *sender) newETagError(p put, etag string, md5 [16]byte) *ETagError {
	return &ETagError{Op: p.op, ETag: etag, MD5: md5, Attempts: 1, masked: s.masker(p)(etag)}
}

// avoidAfter notes that another PUT should not use an address of storage after an error of its connection.
func (p *put) avoidAfter(err error, remote net.Addr) {
	_, stalled := errors.AsType[*StallError](err)
	_, broken := errors.AsType[*connectionError](err)
	if remote != nil && (stalled || broken) {
		p.avoid = append(p.avoid, remote)
	}
}

// request is one PUT and its response.
type request struct {
	put
	*sender
	ctx    context.Context
	cancel context.CancelCauseFunc
	watch  *watchdog
	began  time.Time

	answering chan struct{} // closed at the first byte of the response
	answered  chan struct{} // closed when the response has been read, or there is none
	begins    sync.Once
	handed    atomic.Int64 // bytes of the latest body

	mu     sync.Mutex
	latest *body
	remote net.Addr  // of the latest connection; nil: none
	ended  time.Time // when the last bytes were handed over
}

func (s *sender) newRequest(p put) *request {
	return &request{put: p, sender: s, answering: make(chan struct{}), answered: make(chan struct{})}
}

func (r *request) begin() { r.begins.Do(func() { close(r.answering) }) }

// open returns a body that starts anew. The transport asks for one more when a keep-alive connection
// turns out to be closed.
func (r *request) open() (io.ReadCloser, error) {
	stream, err := r.section.Stream()
	if err != nil {
		return nil, err
	}
	b := &body{
		ctx: r.ctx, stream: stream, throttle: r.throttle, watch: r.watch, last: r.lastBytes, answering: r.answering, answered: r.answered,
		sent: func(n int64) { r.handed.Add(n); r.sent(n) },
	}
	r.mu.Lock()
	before := r.latest
	r.latest = b
	r.mu.Unlock()
	if before != nil {
		_, _ = before.stop()
		r.handed.Store(0)
	}
	return b, nil
}

func (r *request) lastBytes() error {
	if err := r.last(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = time.Now()
	return nil
}

// state returns when the last bytes were handed over, zero if they were not, and the address of the connection.
func (r *request) state() (ended time.Time, remote net.Addr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended, r.remote
}

// send makes one PUT. When it returns, nothing reads the file for it any more.
func (r *request) send(ctx context.Context) (stored, error) {
	r.began = time.Now()
	ctx, r.cancel = context.WithCancelCause(retry.Elsewhere(ctx, r.avoid...))
	defer r.cancel(nil)
	r.watch = newWatchdog(r.stall, func() { r.cancel(&StallError{Op: r.op, Idle: r.stall}) })
	r.ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			r.watch.resume()
			r.mu.Lock()
			defer r.mu.Unlock()
			if got.Conn != nil {
				r.remote = got.Conn.RemoteAddr()
			}
		},
		GotFirstResponseByte: func() { r.begin(); r.watch.resume() },
	})
	res, status, err := r.run()
	tflog.Debug(ctx, "PUT to storage", map[string]any{
		"part": r.part, "bytes": r.section.Size, "status": status, "duration_ms": time.Since(r.began).Milliseconds(), "ok": err == nil,
	})
	return res, err
}

func (r *request) run() (res stored, status int, err error) {
	defer r.watch.pause()
	req, err := r.build()
	if err != nil {
		return stored{}, 0, err
	}
	defer r.end()
	// Not an http.Client: it would follow redirects, and has nothing else that a PUT needs.
	resp, err := r.transport.RoundTrip(req)
	if err != nil {
		return stored{}, 0, r.broken(err)
	}
	defer resp.Body.Close()
	r.begin()
	r.watch.resume()
	// The status decides. Even a truncated body is useful in the error.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests {
		r.refused()
	}
	if resp.StatusCode != http.StatusOK && (r.part > 0 || resp.StatusCode < 200 || resp.StatusCode > 299) {
		return stored{}, resp.StatusCode, refusal(r.op, r.part, resp, text, r.masker(r.put))
	}
	if complete, _ := r.latest.stop(); !complete {
		return stored{}, resp.StatusCode, r.broken(errors.New("storage answered before it had all of the content"))
	}
	return accepted(resp), resp.StatusCode, nil
}

func (r *request) build() (*http.Request, error) {
	u, err := url.Parse(r.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// Without the cause, which repeats the address: it is a secret.
		return nil, &addressError{op: r.op}
	}
	u.User = nil // net/http would send it as an Authorization header
	first, err := r.open()
	if err != nil {
		return nil, err
	}
	req := (&http.Request{
		Method: http.MethodPut, URL: u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: first, GetBody: r.open, ContentLength: r.section.Size,
	}).WithContext(r.ctx)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	return req, nil
}

// stop ends the latest body and returns why it could not be read.
func (r *request) stop() error {
	r.mu.Lock()
	b := r.latest
	r.mu.Unlock()
	_, err := b.stop()
	return err
}

// end stops everything that the request has started.
func (r *request) end() {
	r.cancel(nil)
	close(r.answered)
	_ = r.stop()
}

// broken returns the reason for a failed request: the context's, that of the body, or the connection's.
func (r *request) broken(err error) error {
	if cause := context.Cause(r.ctx); cause != nil {
		return cause
	}
	if ours := r.stop(); ours != nil {
		return ours
	}
	return newConnectionError(r.op, err, r.masker(r.put))
}
