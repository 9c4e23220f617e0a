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
	attempts := retry.NewAttempts(x.client.config.MaxRetries)
	for {
		began, why := x.Endpoint.server.limiter.Wait(ctx, func(held time.Duration) error { return askedToWait(ctx, held) })
		if why != nil {
			return res, x.givenUp(ctx, err, why)
		}
		res, err = x.authorize(ctx)
		var f fault
		f, err = x.judge(res, err)
		failed := x.pace(began, f, res)
		x.mayPass, x.ambiguous = f.kind != retry.Done && f.kind != retry.Final, x.ambiguous || f.ambiguous
		if f.kind == retry.Done || ctx.Err() != nil || x.NonIdempotent && f.ambiguous {
			return res, err
		}
		if f.kind == retry.Unreached {
			failed.Left = x.Endpoint.server.host.Unreached(ctx, began, x.url.Host, err, err.Error())
		}
		length, again := attempts.Next(ctx, failed)
		switch {
		case again:
			why = wait(ctx, length)
		case f.kind == retry.Busy:
			why = final(fmt.Sprintf("the service has refused every request for %s", failed.Refused.Round(time.Second)), nil)
		default:
			return res, err
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

// judge returns the fault of an attempt, and what is wrong with the body of a 2xx response.
func (x *exchange) judge(res *response, err error) (fault, error) {
	const unreadable = "the response cannot be read: "
	if failed, ok := errors.AsType[*callError](err); ok {
		f := failed.fault
		f.ambiguous = f.ambiguous || res != nil && unknownAfter(res.status) // a redirect that was not followed
		return f, err
	}
	if err != nil {
		return fault{kind: retry.Final}, err
	}
	media, _, _ := mime.ParseMediaType(res.header.Get("Content-Type"))
	if res.broken != nil && isWhole(res.body) {
		res.broken = nil
	}
	said := NotRefused
	if x.Refusal != nil && res.broken == nil && !res.tooLong {
		var inBody int
		said, inBody = x.Refusal(res.status, res.body)
		res.refused = said != NotRefused
		if inBody != 0 && res.ok() {
			res.status = inBody
		}
	}
	over, again := fault{retry.Final, true}, fault{retry.Failed, true}
	switch {
	case said == RefusedUndone:
		return fault{kind: retry.Final}, nil
	case !res.ok():
		return fault{retry.OfStatus(res.status), unknownAfter(res.status)}, nil
	case said == RefusedForNow:
		return again, nil
	case said == Refused:
		return over, nil
	case res.tooLong:
		return over, fmt.Errorf(unreadable+"it is longer than %d MiB", bodyLimit>>20)
	case x.NoContent && res.status == http.StatusNoContent:
		return fault{}, nil
	case res.broken != nil:
		return again, fmt.Errorf("the response broke off after %d bytes: %w", len(res.body), res.broken)
	case len(bytes.TrimSpace(res.body)) == 0:
		return again, errors.New(unreadable + "it is empty where JSON was expected")
	case !json.Valid(res.body):
		return again, fmt.Errorf(unreadable+"it is not JSON (%s, %d bytes)", cmp.Or(x.mask.Line(media), "of no media type"), len(res.body))
	}
	return fault{}, nil
}

// isWhole reports whether a body is a JSON object or list, which tells its own end.
func isWhole(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && (body[0] == '{' || body[0] == '[') && json.Valid(body)
}

// unknownAfter reports whether the service may have acted on a request with this error status. A
// 503, or 408, may be that of a gateway, which passed the request on. 303 refers to the result of a
// request that was processed.
func unknownAfter(status int) bool {
	return status < http.StatusOK || status >= http.StatusInternalServerError || status == http.StatusRequestTimeout || status == http.StatusSeeOther
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
	return final(x.mask.Line(err.Error()), err)
}
