package transfer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// put is one PUT of a section of a file.
type put struct {
	op          string // for errors: "send part 3 of a.mp4"
	part        int    // 0 for a single PUT
	url         string
	contentType string
	section
	meter *meter
	// admit waits until the byte at off may be sent and says how many of n may; nil: all, at once.
	admit func(ctx context.Context, off int64, n int) (int, error)
	// verify says whether the bytes read, all of them, may become an object. It
	// is called with their CRC-64/NVME before the last of them are let go.
	verify func(ctx context.Context, crc uint64) error
}

// stored is what storage said of a PUT that it took.
type stored struct {
	etag      string // as the header had it; "" if there was none
	keyed     bool   // encrypted with a key of its own, so that the ETag is no MD5
	checksums []checksum
	duration  time.Duration
}

// exchange is one request and its answer.
type exchange struct {
	engine *Engine
	put    put
	src    *source
	ctx    context.Context
	cancel context.CancelCauseFunc
	watch  *watchdog

	answering chan struct{} // closed at the first byte of the answer
	answered  chan struct{} // closed when the answer has been read, or there is none
	begins    sync.Once
	sent      atomic.Int64 // bytes of the latest body

	mu     sync.Mutex
	latest *body
	failed error // why the body ended early, if that was our doing
}

func (x *exchange) count(n int64) {
	x.sent.Add(n)
	x.put.meter.add(n)
}

func (x *exchange) begin() { x.begins.Do(func() { close(x.answering) }) }

func (x *exchange) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed == nil {
		x.failed = err
	}
}

// open returns a body from the start. The transport asks for one more when a
// kept connection turns out to be closed.
func (x *exchange) open() (io.ReadCloser, error) {
	x.mu.Lock()
	before := x.latest
	b := &body{x: x, off: x.put.off, left: x.put.size}
	x.latest = b
	x.mu.Unlock()
	if before != nil {
		before.stop()
		x.count(-x.sent.Load())
	}
	return b, nil
}

// send makes one PUT. It returns when the file is not read any more for it.
func (e *Engine) send(ctx context.Context, p put) (stored, error) {
	src, done, err := p.src.reader()
	if err != nil {
		return stored{}, err
	}
	defer done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &exchange{engine: e, put: p, src: src, cancel: cancel, answering: make(chan struct{}), answered: make(chan struct{})}
	x.watch = newWatchdog(e.cfg.StallTimeout, func() {
		cancel(&StallError{Op: p.op, Idle: e.cfg.StallTimeout})
	})
	x.ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { x.watch.resume() },
		GotFirstResponseByte: func() { x.begin(); x.watch.resume() },
	})
	start := time.Now()
	res, status, err := x.run()
	res.duration = time.Since(start)
	if err != nil {
		x.put.meter.add(-x.sent.Load())
	}
	tflog.Debug(ctx, "PUT to storage", map[string]any{
		"part": p.part, "bytes": p.size, "status": status, "duration_ms": res.duration.Milliseconds(), "ok": err == nil,
	})
	return res, err
}

func (x *exchange) run() (res stored, status int, err error) {
	defer x.end()
	req, err := x.request()
	if err != nil {
		return stored{}, 0, err
	}
	// Not an http.Client: it would follow redirects, and has nothing else that a PUT needs.
	resp, err := x.engine.cfg.Transport.RoundTrip(req)
	if err != nil {
		return stored{}, 0, x.broken(err)
	}
	defer resp.Body.Close()
	x.begin()
	x.watch.resume()
	// The status decides; a text that breaks off is still good for the error.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if resp.StatusCode != http.StatusOK && (x.put.part > 0 || resp.StatusCode < 200 || resp.StatusCode > 299) {
		return stored{}, resp.StatusCode, refusal(x.put, resp, text)
	}
	if !x.latestBody().stop() {
		return stored{}, resp.StatusCode, x.broken(errors.New("storage answered before it had all of the content"))
	}
	return accepted(resp), resp.StatusCode, nil
}

func (x *exchange) request() (*http.Request, error) {
	u, err := url.Parse(x.put.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// Not the cause: it holds the address, which is a secret.
		return nil, &addressError{op: x.put.op}
	}
	u.User = nil // would become an Authorization header
	first, _ := x.open()
	req := (&http.Request{
		Method: http.MethodPut, URL: u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: first, GetBody: x.open, ContentLength: x.put.size,
	}).WithContext(x.ctx)
	if x.put.contentType != "" {
		req.Header.Set("Content-Type", x.put.contentType)
	}
	return req, nil
}

func (x *exchange) latestBody() *body {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.latest
}

// end sees to it that nothing of the request goes on behind the caller's back.
func (x *exchange) end() {
	x.cancel(nil)
	close(x.answered)
	if b := x.latestBody(); b != nil {
		b.stop()
	}
	x.watch.pause()
}

// broken finds the true reason for a failed exchange.
func (x *exchange) broken(err error) error {
	x.mu.Lock()
	ours := x.failed
	x.mu.Unlock()
	if cause := context.Cause(x.ctx); cause != nil {
		return cause
	}
	if ours != nil {
		return ours
	}
	return &connectionError{op: x.put.op, err: err}
}
