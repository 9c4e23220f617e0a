package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	bodyLimit = 16 << 20 // bytes of a response
	// responseGrace is how long a request that is on the wire, and that must not be repeated, may
	// take for its response when its operation ends: nothing else tells what was made.
	responseGrace = 4 * time.Second
)

// failure is how an attempt ended.
type failure struct {
	retry.Failure
	ambiguous bool // the service may have acted on the request
}

// attempt makes one request, reads its response into the outcome and judges it.
func (x *exchange) attempt(ctx context.Context) (f failure, err error) {
	if ctx.Err() != nil {
		return failure{Failure: retry.Failure{Kind: retry.Final}}, ended(ctx)
	}
	if limit := x.client.config.RequestTimeout; !x.Unlimited {
		limited, cancel := context.WithTimeoutCause(ctx, limit, &timeoutError{limit})
		defer cancel()
		ctx = limited
	}
	began, o := time.Now(), &x.outcome
	o.Requests++
	o.Status, o.Body, o.RequestID = 0, nil, ""
	defer func() {
		f.Began = began
		x.log(ctx, time.Since(began), err)
	}()
	sent, transport := &trace{host: &x.Endpoint.host}, x.client.kept
	onWire := ctx
	if x.NonIdempotent || x.Unlimited {
		var stop func()
		onWire, stop = sent.outlive(ctx)
		defer stop()
		transport = x.client.fresh
	}
	req, err := http.NewRequestWithContext(sent.watch(onWire), x.Method, x.url.String(), bytes.NewReader(x.payload))
	if err != nil {
		return failure{Failure: retry.Failure{Kind: retry.Final}}, errors.New("the request cannot be made: its address is not valid")
	}
	if x.NonIdempotent {
		req.GetBody = nil // without it net/http cannot repeat the request by itself
	}
	req.Header = http.Header{"Accept": {"application/json"}, "Authorization": {x.authorization}, "User-Agent": {x.client.config.UserAgent}}
	if x.payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	// Not an http.Client: it would follow redirects, and its errors have whole URLs.
	res, err := transport.RoundTrip(req)
	if err != nil {
		if late(ctx) != nil { // the idle connections may be dead, too
			(&http.Client{Transport: transport}).CloseIdleConnections()
		}
		return sent.failure(ctx, err, x)
	}
	defer func() { _ = res.Body.Close() }()
	x.Endpoint.host.Reached()
	body, broken := io.ReadAll(io.LimitReader(res.Body, bodyLimit+1))
	o.Status, o.Body = res.StatusCode, bytes.TrimPrefix(body, []byte("\ufeff"))
	o.RequestID = x.mask.Line(cmp.Or(res.Header.Get("X-Request-Id"), res.Header.Get("X-Amzn-Requestid"), res.Header.Get("X-Amz-Request-Id")))
	return x.judge(res.Header, broken)
}

// judge returns what the response means, and what is wrong with the body of a success. broken is
// why the body ended early.
func (x *exchange) judge(header http.Header, broken error) (failure, error) {
	o, after := &x.outcome, retry.After(header)
	f := failure{Failure: retry.Failure{Kind: retry.Failed, After: after}, ambiguous: true}
	tooLong := len(o.Body) > bodyLimit
	o.Undone = x.Undone != nil && !tooLong && x.Undone(o.Body)
	switch {
	case o.Undone:
		return failure{Failure: retry.Failure{Kind: retry.Final}}, nil
	case o.Status/100 == 3:
		f.Kind, f.ambiguous = retry.Final, o.Status == http.StatusSeeOther
		return f, errors.New(x.mask.Line("the service redirects to " + header.Get("Location") + ": if that is the service, change the base address"))
	case o.Status/100 != 2:
		f.Kind, f.ambiguous = retry.OfStatus(o.Status, after), o.Status >= 500 || o.Status == http.StatusRequestTimeout
		return f, nil
	case tooLong:
		f.Kind = retry.Final
		return f, errors.New("the response is longer than 16 MiB")
	case json.Valid(o.Body), x.NoContent && o.Status == http.StatusNoContent:
		return failure{}, nil
	case broken != nil:
		return f, &callError{x.mask.Line("the response broke off: " + broken.Error()), broken}
	}
	return f, fmt.Errorf("the response is not JSON (%d bytes)", len(o.Body))
}

// log writes a line for each request. It has no body.
func (x *exchange) log(ctx context.Context, took time.Duration, err error) {
	line := map[string]any{
		"method": x.Method, "path": x.mask.Line(x.url.EscapedPath()), "attempt": x.outcome.Requests, "duration_ms": took.Milliseconds(),
		"status": x.outcome.Status, "bytes": len(x.outcome.Body), "request_id": x.outcome.RequestID,
	}
	if err != nil {
		line["error"] = x.mask.Line(err.Error())
	}
	redact.Debug(ctx, "request to the service", line)
}

// callError has a text that may be shown. Its cause may hold secrets: it is for errors.Is and
// errors.As only.
type callError struct {
	text  string
	cause error
}

func (e *callError) Error() string { return e.text }
func (e *callError) Unwrap() error { return e.cause }

// ended returns why ctx ended, in words.
func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &callError{"the operation was cancelled", ctx.Err()}
	}
	return &callError{"the time for the operation is over", ctx.Err()}
}

// timeoutError ends one attempt, not the call.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("time-out after %s", e.after) }

// Timeout tells callers that this is the time limit of a request: providers advise to raise it.
func (e *timeoutError) Timeout() bool { return true }

// late returns the time limit that has ended an attempt; nil: none has.
func late(ctx context.Context) *timeoutError {
	limit, _ := errors.AsType[*timeoutError](context.Cause(ctx))
	return limit
}

// trace is how far a request got.
type trace struct {
	host       *retry.Host
	connecting atomic.Bool // there is no connection yet
}

func (t *trace) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { t.connecting.Store(true) },
		GotConn: func(httptrace.GotConnInfo) {
			t.connecting.Store(false)
			t.host.Reached()
		},
	})
}

// outlive returns a context that ends with ctx if the request has no connection yet or the attempt
// timed out, and otherwise responseGrace later.
func (t *trace) outlive(ctx context.Context) (context.Context, func()) {
	kept, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if late(ctx) != nil || t.connecting.Load() {
			cancel()
			return
		}
		time.AfterFunc(responseGrace, cancel)
	})
	return kept, func() { stop(); cancel() }
}

// failure says why there is no response.
func (t *trace) failure(ctx context.Context, err error, x *exchange) (failure, error) {
	err = redact.URLError(err)
	f := failure{Failure: retry.Failure{Kind: retry.Failed, Host: t.host}, ambiguous: true}
	how := "no response was received"
	if t.connecting.Load() {
		f.Kind, f.ambiguous, how = retry.Unreached, false, "no connection was made"
	}
	if t.connecting.Load() && retry.Permanent(err) {
		f.Kind = retry.Final
	}
	text, cause := x.mask.Line(how+": "+err.Error()), err
	if limit := late(ctx); limit != nil {
		text, cause = limit.Error()+", "+how, limit
	} else if ctx.Err() != nil {
		return f, ended(ctx)
	}
	return f, &callError{text, cause}
}
