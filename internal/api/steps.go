package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// authorize adds the credential. After a 401 it asks for a new one, once for
// the call, and repeats the attempt: a 401 refuses a request before anything is
// done, whichever call it is.
func (c *Client) authorize(next handler) handler {
	return func(ctx context.Context, x *exchange) (*answer, error) {
		if err := c.setHeader(ctx, x, ""); err != nil {
			return nil, err
		}
		a, err := next(ctx, x)
		if err != nil || a.status != http.StatusUnauthorized || x.renewed || !x.half.credential.Renewable() {
			return a, err
		}
		x.renewed = true
		if err := c.setHeader(ctx, x, x.authorization); err != nil {
			return a, err
		}
		return next(ctx, x)
	}
}

func (c *Client) setHeader(ctx context.Context, x *exchange, rejected string) error {
	header, err := x.half.credential.Header(ctx, rejected)
	if err == nil {
		c.mask.Add(header)
		x.authorization = header
		return nil
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ended(ctx)
	}
	return &callError{fault: faultFinal, text: c.mask.With(rejected).Line(err.Error()), cause: err}
}

// throttle holds calls back while the service has asked for less.
func (c *Client) throttle(next handler) handler {
	return func(ctx context.Context, x *exchange) (*answer, error) {
		if err := x.half.gate.pass(ctx); err != nil {
			if errors.Is(err, ctx.Err()) {
				return nil, ended(ctx)
			}
			return nil, &callError{fault: faultFinal, text: err.Error(), cause: err}
		}
		a, err := next(ctx, x)
		if a != nil && a.status == http.StatusTooManyRequests {
			x.half.gate.shut(retryAfter(a.header))
		}
		return a, err
	}
}

// attemptTimeoutError ends one attempt, not the call.
type attemptTimeoutError struct{ after time.Duration }

func (e *attemptTimeoutError) Error() string { return fmt.Sprintf("time-out after %s", e.after) }
func (e *attemptTimeoutError) Timeout() bool { return true }

// limit bounds the time of one attempt. Completing an upload has all the time
// that the caller has: storage takes minutes to assemble many parts, and a call
// that is cut off and repeated is told that there is no such upload.
func (c *Client) limit(next handler) handler {
	return func(ctx context.Context, x *exchange) (*answer, error) {
		if x.op == opMultipartComplete {
			return next(ctx, x)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, &attemptTimeoutError{c.timeout})
		defer cancel()
		return next(ctx, x)
	}
}

// restate takes the error status in the body of a 2xx answer for the status of
// the answer: a gateway in front of the service may send {"statusCode": 400}
// with 200. All that follows, such as retries, then treats it as a refusal.
func restate(next handler) handler {
	return func(ctx context.Context, x *exchange) (*answer, error) {
		a, err := next(ctx, x)
		if err == nil && a.ok() && !a.tooLong && a.broken == nil {
			if status := statusInBody(parse(a.body)); status != 0 {
				a.status = status
			}
		}
		return a, err
	}
}

const redirectsAtMost = 5

// follow follows redirects within the same host. It never makes a GET of a
// POST, and takes the credential to no other address.
func (c *Client) follow(next handler) handler {
	return func(ctx context.Context, x *exchange) (*answer, error) {
		first := x.url
		defer func() { x.url = first }()
		for range redirectsAtMost + 1 {
			a, err := next(ctx, x)
			if err != nil || a.status < 300 || a.status > 399 || a.header.Get("Location") == "" {
				return a, err
			}
			target, err := x.url.Parse(a.header.Get("Location"))
			if err != nil {
				return a, c.misled("the service redirects to an address that is not a URL")
			}
			where := redact.Address(target)
			switch a.status {
			case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
				if x.method != http.MethodGet {
					return a, c.misled("the service redirects the request to %s, which would lose its body: the base address probably needs https or another path", where)
				}
			case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			default:
				return a, nil
			}
			if target.User != nil || !sameOrigin(target, first) {
				return a, c.misled("the service redirects to another host, %s, which gets no credential: if that is the service, make it the base address", where)
			}
			x.url = target
		}
		return nil, c.misled("the service redirects in a circle")
	}
}

func (c *Client) misled(format string, args ...any) error {
	return &callError{fault: faultFinal, text: c.mask.Line(fmt.Sprintf(format, args...))}
}
