package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// retryFailures repeats the attempt after failures that may pass.
func (x *exchange) retryFailures(ctx context.Context) (*response, error) {
	interval := retry.Intervals()
	for n := 0; ; n++ {
		res, err := x.authorize(ctx)
		if res != nil {
			x.Endpoint.answered.Store(true)
			x.Endpoint.unreachable.Store(false)
		}
		f, err := x.judge(res, err)
		if f == faultNone {
			return res, nil
		}
		x.ambiguous = x.ambiguous || f.ambiguous(res)
		if n >= x.client.config.MaxRetries && f == faultNotSent && !x.Endpoint.answered.Load() {
			x.Endpoint.unreachable.Store(true)
		}
		if n >= x.client.config.MaxRetries || !x.mayRepeat(f) || ctx.Err() != nil || f == faultNotSent && x.Endpoint.unreachable.Load() {
			return res, err
		}
		length, asked := interval(), false
		if f&(faultThrottled|faultUnavailable) != 0 {
			if after := retry.After(res.header); after > length {
				length, asked = after, true
			}
		}
		if why := wait(ctx, length, asked); why != nil {
			if ctx.Err() != nil {
				why = fmt.Errorf("it was not tried again: %w", why)
			}
			if err != nil {
				why = fmt.Errorf("%w; %w", err, why)
			}
			return res, why
		}
	}
}

const (
	// notProcessed are the faults after which the service has surely done nothing. A 503 is not
	// among them: a gateway may answer it for a request that the service went on to process.
	notProcessed = faultNotSent | faultThrottled
	transient    = notProcessed | faultUnavailable | faultServer | faultLost | faultUnreadable
)

// mayRepeat reports whether the call may be sent again after a fault. A 401 is not a fault here:
// authorize handles it.
func (c *Call) mayRepeat(f fault) bool {
	if c.NonIdempotent {
		return f&notProcessed != 0
	}
	return f&transient != 0
}

// judge returns the fault of an attempt, and what is wrong with the body of a 2xx response.
func (x *exchange) judge(res *response, err error) (fault, error) {
	const unreadable = "the response cannot be read: "
	if failed, ok := errors.AsType[*callError](err); ok {
		return failed.fault, err
	}
	if err != nil {
		return faultFinal, err
	}
	media, _, _ := mime.ParseMediaType(res.header.Get("Content-Type"))
	switch {
	case !res.ok() && x.NothingDone != nil && x.NothingDone(res.body):
		return faultNothingDone, nil
	case !res.ok():
		return faultOfStatus(res.status), nil
	case res.tooLong:
		return faultFinal, fmt.Errorf(unreadable+"it is longer than %d MiB", bodyLimit>>20)
	case x.NoContent && res.status == http.StatusNoContent:
		return faultNone, nil
	case res.broken != nil:
		return faultUnreadable, fmt.Errorf("the response broke off after %d bytes: %w", len(res.body), res.broken)
	case len(bytes.TrimSpace(res.body)) == 0:
		return faultUnreadable, errors.New(unreadable + "it is empty where JSON was expected")
	case !json.Valid(res.body):
		return faultUnreadable, fmt.Errorf(unreadable+"it is not JSON (%s, %d bytes)", cmp.Or(x.mask.Line(media), "of no media type"), len(res.body))
	}
	return faultNone, nil
}

func faultOfStatus(status int) fault {
	switch status {
	case http.StatusTooManyRequests:
		return faultThrottled
	case http.StatusServiceUnavailable:
		return faultUnavailable
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return faultServer
	}
	return faultFinal
}

// ambiguous reports whether the service may have acted on an attempt that ended with this fault.
func (f fault) ambiguous(res *response) bool {
	if f&(faultUnavailable|faultServer|faultLost|faultUnreadable) != 0 {
		return true
	}
	// 303 refers to the result of a request that was processed.
	return f == faultFinal && res != nil && (res.status >= http.StatusInternalServerError || res.ok() || res.status == http.StatusSeeOther)
}

// authorize adds the credential. After a 401 it gets another one, once in a call, and repeats the
// attempt, whichever call it is: a request with 401 was refused before anything was done.
func (x *exchange) authorize(ctx context.Context) (*response, error) {
	if err := x.setCredential(ctx, ""); err != nil {
		return nil, err
	}
	res, err := x.throttle(ctx)
	if err != nil || res.status != http.StatusUnauthorized || x.renewed || !x.Endpoint.credential.Renewable() {
		return res, err
	}
	x.renewed = true
	if err := x.setCredential(ctx, x.authorization); err != nil {
		return res, err
	}
	return x.throttle(ctx)
}

func (x *exchange) setCredential(ctx context.Context, rejected string) error {
	header, err := x.Endpoint.credential.Header(ctx, rejected)
	switch {
	case err == nil:
		x.mask.AddToken(header)
		x.authorization = header
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ended(ctx)
	}
	return &callError{fault: faultFinal, text: x.mask.Line(err.Error()), cause: err}
}
