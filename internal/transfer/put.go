package transfer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

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
	stall     time.Duration // without progress, after which a PUT ends
	hosts     *sync.Map     // of storage, *retry.Host by name and port
	redactor  *redact.Redactor
}

// host returns what is known of the host of a presigned address.
func (s *sender) host(address string) *retry.Host {
	known, _ := s.hosts.LoadOrStore(hostOf(address), &retry.Host{})
	return known.(*retry.Host) //nolint:forcetypeassert // nothing else is stored
}

// put is what one PUT sends.
type put struct {
	op          string // for errors: "send part 3 of a.mp4"
	part        int    // 0 for a single PUT
	url         string
	contentType string // "": not sent
	md5         string // Content-MD5; "": not sent
	section     *digest.Section
	handOver    func(n int64) // counts the bytes that were handed over
}

// request is one PUT and its response.
type request struct {
	put
	*sender

	began time.Time
	// last is asked before the last bytes are sent. An error withholds them, so that the PUT stores
	// nothing.
	last func() error

	ctx        context.Context
	cancel     context.CancelCauseFunc
	answering  context.Context    // ends with the first byte of the response, or with the request
	answers    context.CancelFunc // ends it
	watch      *time.Timer        // ends the request when it makes no progress
	handed     atomic.Int64       // bytes of the latest body
	latest     atomic.Pointer[body]
	connecting atomic.Bool // there is no connection yet
}

// errStalled ends a request that makes no progress.
var errStalled = errors.New("stalled")

// mask makes a text of storage, or of the connection to it, one line without secrets.
func (r *request) mask(text string) string {
	return r.redactor.Line(text, redact.PresignedSecrets(r.url)...)
}

func (r *request) failed() failedPut { return failedPut{Op: r.op, Host: hostOf(r.url)} }

// send makes one PUT. When it returns, nothing reads the file for it any more.
func (r *request) send(ctx context.Context) (res stored, err error) {
	host := r.host(r.url)
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	r.answering, r.answers = context.WithCancel(ctx)
	defer r.answers()
	r.watch = time.AfterFunc(r.stall, func() { r.cancel(errStalled) })
	defer r.watch.Stop()
	r.ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { r.connecting.Store(true) },
		GotConn: func(httptrace.GotConnInfo) {
			r.connecting.Store(false)
			host.Reached()
			r.progress()
		},
		GotFirstResponseByte: func() { r.answers(); r.progress() },
	})
	var status int
	res, status, err = r.run()
	if err != nil {
		r.handOver(-r.handed.Load())
	}
	redact.Debug(ctx, "PUT to storage", map[string]any{
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
	accepted := resp.StatusCode == http.StatusOK || r.part == 0 && resp.StatusCode/100 == 2
	if !accepted || isDocument(resp.Header, text) {
		return stored{}, resp.StatusCode, r.refusal(req, resp, text)
	}
	if isComplete, _ := r.stop(); !isComplete {
		return stored{}, resp.StatusCode, r.broken(errors.New("storage answered before it had all of the content"))
	}
	return readStored(resp.Header), resp.StatusCode, nil
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
	req.ContentLength, req.Body = r.section.Size, r.open()
	req.GetBody = func() (io.ReadCloser, error) { return r.open(), nil }
	return req, nil
}

// open returns a body that starts from the beginning. The transport asks for another one when a
// keep-alive connection turns out to be closed.
func (r *request) open() io.ReadCloser {
	b := &body{of: r, stream: r.section.Stream()}
	if before := r.latest.Swap(b); before != nil {
		_, _ = before.stop()
		r.handOver(-r.handed.Swap(0))
	}
	return b
}

// stop ends the latest body. It reports whether all was read, or else why reading failed.
func (r *request) stop() (isComplete bool, err error) { return r.latest.Load().stop() }

// broken returns the reason for a failed request: the context's, that of the body, or the
// connection's.
func (r *request) broken(err error) error {
	cause := context.Cause(r.ctx)
	if errors.Is(cause, errStalled) {
		return &ConnectionError{failedPut: r.failed(), message: "no progress for " + r.stall.String(), Stalled: true}
	}
	if cause != nil {
		return cause
	}
	if _, ours := r.stop(); ours != nil {
		return ours
	}
	err = redact.URLError(err)
	return &ConnectionError{failedPut: r.failed(), message: r.mask(err.Error()), err: err, began: r.began, Unreached: r.connecting.Load()}
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

	mu        sync.Mutex
	isStopped bool
	isOver    bool  // all is read, or reading failed: there is no early response to wait for
	err       error // why reading failed
}

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isStopped {
		return 0, errors.New("the request is over")
	}
	if b.stream.Left() == 0 {
		b.isOver = true
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
		b.isOver, b.err = true, err
		return 0, err
	}
	b.of.handed.Add(int64(n))
	b.of.handOver(int64(n))
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
		if err := cmp.Or(context.Cause(b.of.ctx), b.of.last()); err != nil {
			return 0, err
		}
	}
	return b.stream.Read(p[:n])
}

// Close is called by the transport when it needs no more of the body, also after a write error.
func (b *body) Close() error {
	b.mu.Lock()
	isShort := b.stream.Left() < b.of.section.Size && !b.isOver && !b.isStopped
	b.mu.Unlock()
	if isShort && retry.Sleep(b.of.answering, refusalGrace) != nil {
		_ = retry.Sleep(b.of.ctx, answerGrace)
	}
	return nil
}

// stop makes later reads fail, and waits for one in progress. It reports whether all was read, or
// else why reading failed.
func (b *body) stop() (isComplete bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isStopped = true
	return b.stream.Left() == 0, b.err
}
