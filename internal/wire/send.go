package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
)

// limitTime limits the time of one attempt.
func (x *exchange) limitTime(ctx context.Context) (*response, error) {
	if x.Unlimited {
		return x.follow(ctx)
	}
	limit := cmp.Or(x.client.config.RequestTimeout, defaultRequestTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &attemptTimeoutError{after: limit})
	defer cancel()
	return x.follow(ctx)
}

// bodyLimit, in bytes, is how much of a response is read.
const bodyLimit = 16 << 20

// send makes one request and reads its whole response.
func (x *exchange) send(ctx context.Context) (*response, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	x.requests++
	sent := &trace{}
	transport := x.client.kept
	// An attempt without a time limit would not leave a connection that died silently.
	if x.NonIdempotent || x.timedOut || x.Unlimited {
		transport = x.client.fresh
	}
	host := &x.Endpoint.server.host
	ctx = host.To(ctx)
	onWire := ctx
	if x.NonIdempotent || x.Unlimited {
		var stop context.CancelFunc
		onWire, stop = sent.outlive(ctx)
		defer stop()
	}
	req, err := x.request(sent.watch(onWire, host))
	if err != nil {
		return nil, final("the request cannot be made: its address is not valid", nil)
	}
	defer func() {
		if _, late := errors.AsType[*attemptTimeoutError](context.Cause(ctx)); late {
			x.timedOut = true
			// If one connection has died silently, a NAT or VPN has most likely forgotten the idle
			// ones, too.
			(&http.Client{Transport: transport}).CloseIdleConnections()
		}
	}()
	// Not an http.Client: it would add redirects, cookies and errors with whole URLs.
	req = limitReach(req, anywhere)
	resp, err := sameProtocol(transport.RoundTrip(req))
	if err != nil {
		return nil, sent.failure(ctx, err, x.mask)
	}
	host.Reached()
	_, direct := req.Context().Value(reachKey{}).(reach) // not by a proxy
	x.Endpoint.onLoopback.Store(direct && sent.loopback.Load())
	defer func() { _ = resp.Body.Close() }()
	res := &response{status: resp.StatusCode, header: resp.Header}
	var body bytes.Buffer
	if resp.ContentLength > 0 && resp.ContentLength <= bodyLimit {
		body.Grow(int(resp.ContentLength) + bytes.MinRead) // once, because a page may have 16 MiB
	}
	_, err = body.ReadFrom(io.LimitReader(resp.Body, bodyLimit+1))
	res.body = bytes.TrimPrefix(body.Bytes(), []byte("\ufeff"))
	if len(res.body) > bodyLimit {
		res.body, res.tooLong = res.body[:bodyLimit], true
	} else if err != nil {
		res.broken = sent.failure(ctx, err, x.mask)
	}
	return res, nil
}

func (x *exchange) request(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if x.payload != nil {
		body = bytes.NewReader(x.payload)
	}
	req, err := http.NewRequestWithContext(ctx, x.Method, x.url.String(), body)
	if err != nil {
		return nil, err
	}
	if x.NonIdempotent {
		// Without GetBody net/http cannot repeat the request by itself.
		req.GetBody = nil
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", x.authorization)
	req.Header.Set("User-Agent", x.client.config.UserAgent)
	if x.payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}
