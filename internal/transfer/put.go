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
	"golang.org/x/time/rate"

	"github.com/vodlive/terraform-provider-vodlive/internal/digest"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	// refusalGrace is how long Close waits for the beginning of a response. The response has
	// reached this machine before the connection broke.
	refusalGrace = 2 * time.Second
	// answerGrace is how long Close waits for the rest of the response.
	answerGrace = 10 * time.Second
)

// sender makes PUTs.
type sender struct {
	transport http.RoundTripper
	throttle  *rate.Limiter // nil: no limit
	stall     time.Duration // without progress, after which a request ends
	refused   func()        // is told that storage asks for fewer requests
	limiter   *retry.Limiter
	hosts     *sync.Map // of storage, *retry.Host by name and port
	redactor  *redact.Redactor
}

// host returns what is known of the host of a presigned URL.
func (s *sender) host(address string) (name string, host *retry.Host) {
	if u, err := url.Parse(address); err == nil {
		name = u.Host
	}
	known, _ := s.hosts.LoadOrStore(name, &retry.Host{})
	return name, known.(*retry.Host) //nolint:forcetypeassert // nothing else is stored
}

// put is what one PUT sends.
type put struct {
	op          string // for errors: "send part 3 of a.mp4"
	part        int    // 0 for a single PUT
	url         string
	contentType string
	md5         string // Content-MD5; "": not sent
	section     *digest.Section
	avoid       []net.Addr    // addresses of storage that another PUT should not use
	beside      int           // PUTs that begin at about the same time
	sent        func(n int64) // is told how many bytes were handed over
	// last is asked before the last bytes are sent. An error withholds them, so that no object is
	// made.
	last func() error
}

// masker returns a function that makes a text of storage, or of the connection to it, one line
// without secrets.
func (s *sender) masker(p put) func(text string) string {
	return func(text string) string { return s.redactor.Line(text, redact.PresignedSecrets(p.url)...) }
}

// request is one PUT and its response.
type request struct {
	put
	*sender
	ctx        context.Context
	cancel     context.CancelCauseFunc
	answering  context.Context    // ends with the first byte of the response, or with the request
	answers    context.CancelFunc // ends it
	watch      *time.Timer        // ends the request when it makes no progress
	handed     atomic.Int64       // bytes of the latest body
	latest     atomic.Pointer[body]
	remote     atomic.Pointer[net.Addr] // of the latest connection; nil: none
	began      time.Time                // when it was this PUT's turn
	connecting atomic.Bool              // there is no connection yet
}

// send makes one PUT. When it returns, nothing reads the file for it any more.
func (r *request) send(ctx context.Context) (res stored, err error) {
	if r.began, err = r.limiter.Wait(ctx, func(time.Duration) error { return nil }); err != nil {
		return stored{}, err
	}
	name, host := r.host(r.url)
	ctx, r.cancel = context.WithCancelCause(retry.Beside(retry.Avoid(host.To(ctx), r.avoid...), r.beside))
	defer r.cancel(nil)
	r.answering, r.answers = context.WithCancel(ctx)
	defer r.answers()
	r.watch = time.AfterFunc(r.stall, func() { r.cancel(&StallError{failedPut: failedPut{Op: r.op, Host: name}, Idle: r.stall}) })
	defer r.watch.Stop()
	r.ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { r.connecting.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			r.connecting.Store(false)
			host.Reached()
			r.progress()
			if got.Conn != nil {
				remote := got.Conn.RemoteAddr()
				r.remote.Store(&remote)
			}
		},
		GotFirstResponseByte: func() { r.answers(); r.progress() },
	})
	var status int
	res, status, err = r.run()
	tflog.Debug(ctx, "PUT to storage", map[string]any{
		"part": r.part, "bytes": r.section.Size, "status": status, "duration_ms": time.Since(r.began).Milliseconds(), "ok": err == nil,
	})
	return res, err
}

func (r *request) progress() { r.watch.Reset(r.stall) }

func (r *request) run() (res stored, status int, err error) {
	req, err := r.build()
	if err != nil {
		return stored{}, 0, err
	}
	defer func() {
		r.cancel(nil)
		_, _ = r.stop()
	}()
	// Not an http.Client: it would follow redirects, and has nothing else that a PUT needs.
	resp, err := r.transport.RoundTrip(req)
	if err != nil {
		return stored{}, 0, r.broken(err)
	}
	defer resp.Body.Close()
	r.answers()
	r.progress()
	// The status decides. Even a truncated body is useful in the error.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	name, host := r.host(r.url)
	host.Reached()
	var refused time.Duration
	if retry.OfStatus(resp.StatusCode) == retry.Busy {
		refused = r.limiter.Refused(r.began, min(retry.After(resp.Header), longestAfter))
		r.refused()
	} else {
		r.limiter.Accepted(r.began)
	}
	success := resp.StatusCode == http.StatusOK || r.part == 0 && resp.StatusCode >= 200 && resp.StatusCode <= 299
	if !success || isDocument(resp, text) {
		e := refusal(r.op, r.part, resp, text, r.masker(r.put))
		e.Host, e.refused = name, refused
		if resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusBadRequest {
			e.Unsent = unsent(req)
		}
		return stored{}, resp.StatusCode, e
	}
	if complete, _ := r.stop(); !complete {
		return stored{}, resp.StatusCode, r.broken(errors.New("storage answered before it had all of the content"))
	}
	return accepted(resp), resp.StatusCode, nil
}

func (r *request) build() (*http.Request, error) {
	req, err := http.NewRequestWithContext(r.ctx, http.MethodPut, r.url, nil)
	if err != nil || req.URL.Host == "" || req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		// Without the cause, which repeats the address: it is a secret.
		return nil, errors.New(r.op + ": the upload address is not an http or https URL")
	}
	req.URL.User = nil // net/http would send it as an Authorization header
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.md5 != "" {
		req.Header.Set("Content-MD5", r.md5)
	}
	req.ContentLength, req.GetBody = r.section.Size, r.open
	req.Body, err = r.open()
	return req, err
}

// open returns a body that starts from the beginning. The transport asks for one more when a
// keep-alive connection turns out to be closed.
func (r *request) open() (io.ReadCloser, error) {
	stream, err := r.section.Stream()
	if err != nil {
		return nil, err
	}
	b := &body{of: r, stream: stream}
	if before := r.latest.Swap(b); before != nil {
		_, _ = before.stop()
		r.handed.Store(0)
	}
	return b, nil
}

// stop ends the latest body. It reports whether all was read, or else why reading failed.
func (r *request) stop() (complete bool, err error) { return r.latest.Load().stop() }

// broken returns the reason for a failed request: the context's, that of the body, or the
// connection's.
func (r *request) broken(err error) error {
	if cause := context.Cause(r.ctx); cause != nil {
		return cause
	}
	if _, ours := r.stop(); ours != nil {
		return ours
	}
	err = redact.URLError(err)
	name, _ := r.host(r.url)
	return &ConnectionError{
		failedPut: failedPut{Op: r.op, Host: name}, message: r.masker(r.put)(err.Error()), err: err, began: r.began, Unreached: r.connecting.Load(),
	}
}

// body is the body of a request: a section of a file, read from the page cache straight into the
// transport's buffer.
//
// net/http drops the response of a server that refuses early and closes the connection, because the
// write error gets to RoundTrip first. But the transport closes the body before it passes that
// error on, and accepts a response until then. So Close of a body that was cut short waits for the
// response.
//
// "Expect: 100-continue" would lose some as well, and cost each part a round trip, or, with storage
// that does not know the header, the transport's time limit.
type body struct {
	of     *request
	stream *digest.Stream

	mu      sync.Mutex
	stopped bool
	over    bool  // all is read, or reading failed: there is no early response to wait for
	err     error // why reading failed
}

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return 0, errors.New("the request is over")
	}
	if b.stream.Left() == 0 {
		b.over = true
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	// The transport has sent what it got before. The time until it gets more is spent here, so it
	// does not count as a stall.
	b.of.watch.Stop()
	n, err := b.fill(p)
	if err != nil {
		b.over, b.err = true, err
		return 0, err
	}
	b.of.handed.Add(int64(n))
	b.of.sent(int64(n))
	b.of.progress()
	return n, nil
}

// fill reads the next bytes; b.mu is held.
func (b *body) fill(p []byte) (int, error) {
	n, err := take(b.of.ctx, b.of.throttle, int(min(int64(len(p)), b.stream.Left())))
	if err != nil {
		return 0, err
	}
	if int64(n) == b.stream.Left() {
		if err := b.of.last(); err != nil {
			return 0, err
		}
	}
	return b.stream.Read(p[:n])
}

// Close is called by the transport when it needs no more of the body, also
// after a write error.
func (b *body) Close() error {
	b.mu.Lock()
	short := b.stream.Left() < b.of.section.Size && !b.over && !b.stopped
	b.mu.Unlock()
	if short && retry.Sleep(b.of.answering, refusalGrace) != nil {
		_ = retry.Sleep(b.of.ctx, answerGrace)
	}
	return nil
}

// stop makes later reads fail, and waits for one in progress. It reports whether all was read, or
// else why reading failed.
func (b *body) stop() (complete bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopped {
		b.stopped = true
		b.stream.Close()
	}
	return b.stream.Left() == 0, b.err
}
