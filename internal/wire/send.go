package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// limitTime limits the time of one attempt.
func limitTime(limit time.Duration, next handler) handler {
	return func(ctx context.Context, x *exchange) (*response, error) {
		if x.Unlimited {
			return next(ctx, x)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, limit, &attemptTimeoutError{limit})
		defer cancel()
		return next(ctx, x)
	}
}

// restate replaces the status of a 2xx response by the error status in its body: a gateway in front
// of the service may send {"statusCode": 400} with 200. All steps around it, such as retries, then
// see an error response.
func restate(next handler) handler {
	return func(ctx context.Context, x *exchange) (*response, error) {
		res, err := next(ctx, x)
		if err == nil && x.StatusInBody != nil && res.ok() && !res.tooLong && res.broken == nil {
			if status := x.StatusInBody(res.body); status != 0 {
				res.status = status
			}
		}
		return res, err
	}
}

// bodyLimit, in bytes, is how much of a response is read.
const bodyLimit = 16 << 20

// sender makes requests.
type sender struct {
	kept      http.RoundTripper // keeps its connections
	fresh     http.RoundTripper // makes a connection for each request
	userAgent string
}

// send makes one request and reads its whole response.
func (s *sender) send(ctx context.Context, x *exchange) (*response, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	x.requests++
	sent := &trace{}
	req, err := s.request(sent.watch(ctx), x)
	if err != nil {
		return nil, &callError{fault: faultFinal, text: "the request cannot be made: " + err.Error()}
	}
	transport := s.kept
	// An attempt without a time limit would not leave a connection that died silently.
	if x.Once || x.timedOut || x.Unlimited {
		transport = s.fresh
	}
	defer func() {
		if _, late := errors.AsType[*attemptTimeoutError](context.Cause(ctx)); late {
			x.timedOut = true
			closeIdle(transport)
		}
	}()
	// Not an http.Client: it would add redirects, cookies and errors with whole URLs.
	req = limitReach(req, anywhere)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, sent.failure(ctx, err, x.mask)
	}
	_, direct := req.Context().Value(reachKey{}).(reach) // not by a proxy
	x.Endpoint.onLoopback.Store(direct && sent.loopback.Load())
	defer func() { _ = resp.Body.Close() }()
	res := &response{status: resp.StatusCode, header: resp.Header}
	res.body, err = io.ReadAll(io.LimitReader(resp.Body, bodyLimit+1))
	if len(res.body) > bodyLimit {
		res.body, res.tooLong = res.body[:bodyLimit], true
	} else if err != nil {
		res.broken = sent.failure(ctx, err, x.mask)
	}
	return res, nil
}

func (s *sender) request(ctx context.Context, x *exchange) (*http.Request, error) {
	var body io.Reader
	if x.payload != nil {
		body = bytes.NewReader(x.payload)
	}
	req, err := http.NewRequestWithContext(ctx, x.Method, x.url.String(), body)
	if err != nil {
		return nil, errors.New("its address is not valid")
	}
	if x.Once {
		// Without GetBody net/http cannot repeat the request by itself.
		req.GetBody = nil
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", x.authorization)
	req.Header.Set("User-Agent", s.userAgent)
	if x.payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}
