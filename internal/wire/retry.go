package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// retryFailures repeats the attempt after failures that may pass.
func retryFailures(retries int, next handler) handler {
	return func(ctx context.Context, x *exchange) (*response, error) {
		interval := retry.Intervals()
		for n := 0; ; n++ {
			res, err := next(ctx, x)
			f := x.faultOf(res, err)
			if f == faultNone {
				return res, nil
			}
			x.ambiguous = x.ambiguous || f.ambiguous(res)
			if err == nil && res.ok() {
				err = x.unusable(res)
			}
			if n == retries || !x.mayRepeat(f) || ctx.Err() != nil {
				return res, err
			}
			w := wait{length: interval()}
			if f&(faultThrottled|faultUnavailable) != 0 {
				if after := retry.After(res.header); after > w.length {
					w = wait{length: after, asked: true}
				}
			}
			if why := w.sleep(ctx); why != nil {
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
}

const (
	// repeatedOnce are the faults after which the service has surely done nothing. A 503 is not
	// among them: a gateway may answer it for a request that the service went on to process.
	repeatedOnce = faultNotSent | faultThrottled
	repeated     = repeatedOnce | faultUnavailable | faultServer | faultLost | faultUnreadable
)

// mayRepeat reports whether the call may be sent again after a fault. A 401 is not a fault here:
// authorize handles it.
func (c *Call) mayRepeat(f fault) bool {
	if c.Once {
		return f&repeatedOnce != 0
	}
	return f&repeated != 0
}

// faultOf returns the fault of an attempt.
func (c *Call) faultOf(res *response, err error) fault {
	if failed, ok := errors.AsType[*callError](err); ok {
		return failed.fault
	}
	switch {
	case err != nil:
		return faultFinal
	case !res.ok() && c.NothingDone != nil && c.NothingDone(res.body):
		return faultNothingDone
	case !res.ok():
		return faultOfStatus(res.status)
	case res.tooLong:
		return faultFinal
	case c.NoContent && res.status == http.StatusNoContent:
		return faultNone
	case res.broken != nil || !json.Valid(res.body):
		return faultUnreadable
	}
	return faultNone
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

// unusable says what is wrong with the body of a 2xx response.
func (x *exchange) unusable(res *response) error {
	media, _, err := mime.ParseMediaType(res.header.Get("Content-Type"))
	if err != nil || media == "" {
		media = "of no media type"
	}
	const unreadable = "the answer cannot be read: "
	switch {
	case res.tooLong:
		return fmt.Errorf(unreadable+"it is longer than %d MiB", bodyLimit>>20)
	case res.broken != nil:
		return fmt.Errorf("the answer broke off after %d bytes: %w", len(res.body), res.broken)
	case len(bytes.TrimSpace(res.body)) == 0:
		return errors.New(unreadable + "it is empty where JSON was expected")
	}
	return fmt.Errorf(unreadable+"it is not JSON (%s, %d bytes)", x.mask.Line(media), len(res.body))
}
