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
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// retryFailures repeats the attempt after failures that may pass. A failed attempt counts as a
// retry only if the service answered something else than a refusal for too many requests: for its
// turn, and for a host that cannot be reached, a call waits as long as it may.
func (x *exchange) retryFailures(ctx context.Context) (res *response, err error) {
	interval := retry.Intervals()
	for n := 0; ; {
		began, why := x.Endpoint.server.limiter.Wait(ctx, func(held time.Duration) error { return askedToWait(ctx, held) })
		if why != nil {
			return res, x.givenUp(ctx, err, why)
		}
		res, err = x.authorize(ctx)
		var f fault
		f, err = x.judge(res, err)
		refused := x.pace(began, f, res)
		x.ambiguous = x.ambiguous || f.ambiguous(res)
		if f == faultNone || ctx.Err() != nil || !x.mayRepeat(f) {
			return res, err
		}
		switch f {
		case faultThrottled, faultUnavailable:
			why = refusedFor(ctx, refused)
		case faultNotSent:
			left := x.Endpoint.server.host.Unreached(ctx, began, x.url.Host, err, err.Error())
			if left <= 0 {
				return res, err
			}
			why = wait(ctx, min(interval(), left))
		default:
			if n++; n > x.client.config.MaxRetries {
				return res, err
			}
			why = wait(ctx, interval())
		}
		if why != nil {
			return res, x.givenUp(ctx, err, why)
		}
	}
}

// givenUp is the error of a call that is not tried again, after an attempt that failed with err;
// nil: with a response, or there was none.
func (x *exchange) givenUp(ctx context.Context, err, why error) error {
	if ctx.Err() != nil {
		why = ended(ctx)
	}
	if ctx.Err() != nil && x.requests > 0 {
		why = fmt.Errorf("it was not tried again: %w", why)
	}
	if err != nil {
		why = fmt.Errorf("%w; %w", err, why)
	}
	return why
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
	said := NotRefused
	if x.Refusal != nil && res.broken == nil && !res.tooLong {
		var inBody int
		said, inBody = x.Refusal(res.status, res.body)
		res.refused = said != NotRefused
		if inBody != 0 && res.ok() {
			res.status = inBody
		}
	}
	switch {
	case said == RefusedUndone:
		return faultNothingDone, nil
	case !res.ok():
		return faultOfStatus(res.status), nil
	case said == RefusedForNow:
		return faultServer, nil
	case said == Refused:
		return faultFinal, nil
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
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout,
		http.StatusRequestTimeout: // of a gateway that may have passed the request on
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
	res, err := x.limitTime(ctx)
	if err != nil || res.status != http.StatusUnauthorized || x.renewed || !x.Endpoint.credential.Renewable() {
		return res, err
	}
	x.renewed = true
	if err := x.setCredential(ctx, x.authorization); err != nil {
		return res, err
	}
	return x.limitTime(ctx)
}

func (x *exchange) setCredential(ctx context.Context, rejected string) error {
	header, err := x.Endpoint.credential.Header(ctx, rejected)
	switch {
	case err == nil:
		x.mask.Add(header)
		x.authorization = header
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ended(ctx)
	}
	return &callError{fault: faultFinal, text: x.mask.Line(err.Error()), cause: err}
}
