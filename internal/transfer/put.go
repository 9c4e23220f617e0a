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
)

// put is one PUT of a section of a file.
type put struct {
	op          string // for errors: "send part 3 of a.mp4"
	part        int    // 0 for a single PUT
	url         string
	contentType string
	section
	meter *meter // nil: of a hedged PUT
	// admit waits until the byte at off may be sent and says how many of n may; nil: all, at once.
	admit func(ctx context.Context, off int64, n int) (int, error)
	// verify is called with the CRC-64/NVME of the whole section before its last bytes are sent. An
	// error withholds them, so that no object is made.
	verify func(ctx context.Context, crc uint64) error
}

// stored is what storage returned for a PUT that it accepted.
type stored struct {
	etag      string // as the header had it; "" if there was none
	keyed     bool   // encrypted with KMS or a customer's key, so the ETag is no MD5
	repeated  bool   // another PUT of the part failed
	checksums []checksum
}

// request is one PUT and its response.
type request struct {
	engine *Engine
	put    put
	src    *source
	ctx    context.Context
	cancel context.CancelCauseFunc
	watch  *watchdog
	began  time.Time

	answering chan struct{} // closed at the first byte of the response
	answered  chan struct{} // closed when the response has been read, or there is none
	begins    sync.Once
	sent      atomic.Int64 // bytes of the latest body

	mu     sync.Mutex
	conn   net.Conn // the latest
	latest *body
	failed error // why the body could not be read
}

func (e *Engine) newRequest(p put) *request {
	return &request{engine: e, put: p, answering: make(chan struct{}), answered: make(chan struct{})}
}

func (r *request) count(n int64) {
	r.sent.Add(n)
	r.report(n)
}

// report counts bytes for the progress and the goodput, those of a hedged PUT for the goodput only.
func (r *request) report(n int64) {
	if r.put.meter != nil {
		r.put.meter.add(n)
		return
	}
	r.engine.schedule.adaption.add(n)
	r.engine.schedule.adaption.expect(0, 0, n)
}

func (r *request) begin() { r.begins.Do(func() { close(r.answering) }) }

func (r *request) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

// open returns a body that starts anew. The transport asks for one more when a keep-alive connection
// turns out to be closed.
func (r *request) open() (io.ReadCloser, error) {
	r.mu.Lock()
	before := r.latest
	b := &body{r: r, off: r.put.off, left: r.put.size}
	r.latest = b
	r.mu.Unlock()
	if before != nil {
		before.stop()
		r.count(-r.sent.Load())
	}
	return b, nil
}

// send makes one PUT. When it returns, nothing reads the file for it any more.
func (r *request) send(ctx context.Context) (stored, error) {
	p, stall := r.put, r.engine.cfg.StallTimeout
	r.began = time.Now()
	src, done, err := p.src.reader()
	if err != nil {
		return stored{}, err
	}
	defer done()
	r.src = src
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	r.watch = newWatchdog(stall, func() { r.cancel(&StallError{Op: p.op, Idle: stall}) })
	r.ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              r.connected,
		GotFirstResponseByte: func() { r.begin(); r.watch.resume() },
	})
	res, status, err := r.run()
	if err != nil {
		r.report(-r.sent.Load())
	}
	tflog.Debug(ctx, "PUT to storage", map[string]any{
		"part": p.part, "bytes": p.size, "status": status, "duration_ms": time.Since(r.began).Milliseconds(), "ok": err == nil,
	})
	return res, err
}

// connected is called when the request has a connection, again if it gets another one.
func (r *request) connected(got httptrace.GotConnInfo) {
	r.watch.resume()
	adaption := r.engine.schedule.adaption
	if !got.Reused {
		adaption.dialled(time.Since(r.began))
	}
	r.mu.Lock()
	former := r.conn
	r.conn = got.Conn
	r.mu.Unlock()
	adaption.disconnected(former)
	adaption.connected(got.Conn)
}

// arrived returns how many bytes of the content the other side has, as far as that can be told.
func (r *request) arrived() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(0, r.sent.Load()-int64(queued(r.conn)))
}

func (r *request) run() (res stored, status int, err error) {
	defer r.end()
	req, err := r.build()
	if err != nil {
		return stored{}, 0, err
	}
	// Not an http.Client: it would follow redirects, and has nothing else that a PUT needs.
	resp, err := r.engine.cfg.Transport.RoundTrip(req)
	if err != nil {
		return stored{}, 0, r.broken(err)
	}
	defer resp.Body.Close()
	r.begin()
	r.watch.resume()
	// The status decides. Even a truncated body is useful in the error.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests {
		r.engine.schedule.adaption.throttled()
	}
	if resp.StatusCode != http.StatusOK && (r.put.part > 0 || resp.StatusCode < 200 || resp.StatusCode > 299) {
		return stored{}, resp.StatusCode, r.engine.refusal(r.put, resp, text)
	}
	if !r.latestBody().stop() {
		return stored{}, resp.StatusCode, r.broken(errors.New("storage answered before it had all of the content"))
	}
	return accepted(resp), resp.StatusCode, nil
}

func (r *request) build() (*http.Request, error) {
	u, err := url.Parse(r.put.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// Without the cause, which repeats the address: it is a secret.
		return nil, &addressError{op: r.put.op}
	}
	u.User = nil // net/http would send it as an Authorization header
	first, _ := r.open()
	req := (&http.Request{
		Method: http.MethodPut, URL: u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: first, GetBody: r.open, ContentLength: r.put.size,
	}).WithContext(r.ctx)
	if r.put.contentType != "" {
		req.Header.Set("Content-Type", r.put.contentType)
	}
	return req, nil
}

func (r *request) latestBody() *body {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest
}

// end stops everything that the request has started.
func (r *request) end() {
	r.cancel(nil)
	close(r.answered)
	r.engine.schedule.adaption.disconnected(r.conn)
	if b := r.latestBody(); b != nil {
		b.stop()
	}
	r.watch.pause()
}

// broken returns the reason for a failed request: the context's, that of the body, or the connection's.
func (r *request) broken(err error) error {
	r.mu.Lock()
	ours := r.failed
	r.mu.Unlock()
	if cause := context.Cause(r.ctx); cause != nil {
		return cause
	}
	if ours != nil {
		return ours
	}
	return r.engine.newConnectionError(r.put, err)
}

// await waits for an event of the request for a limited time and reports whether it came.
func (r *request) await(event <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-event:
		return true
	case <-r.ctx.Done():
		return false
	case <-timer.C:
		return false
	}
}
