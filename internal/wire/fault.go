package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
)

// fault is what went wrong in one attempt. It decides whether the attempt is repeated.
type fault uint8

const (
	// faultNone: a whole JSON document with a status 2xx.
	faultNone fault = 0
	// faultNotSent: the connection was not made, so no byte of the request was sent.
	faultNotSent fault = 1 << (iota - 1)
	// faultThrottled: 429. The service refused the request before doing anything.
	faultThrottled
	// faultUnavailable: 503, with or without Retry-After.
	faultUnavailable
	// faultServer: 500, 502, 504.
	faultServer
	// faultLost: a timeout or a broken connection after the request was sent.
	faultLost
	// faultUnreadable: a 2xx response that breaks off or is not JSON.
	faultUnreadable
	// faultNothingDone: an error response that proves that nothing was done (Call.NothingDone).
	faultNothingDone
	// faultFinal: everything else that a repeat cannot mend: other statuses, a missing token, a response
	// beyond the limit, a context that ended.
	faultFinal
)

const (
	// repeatedOnce are the faults after which the service has surely done nothing. A 503 is not among
	// them: a gateway may answer it for a request that the service went on to process.
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
	return f == faultFinal && res != nil && (res.status >= http.StatusInternalServerError || res.ok())
}

// callError says why there is no response. Its text may be shown. Its cause may hold secrets: it is for
// errors.Is and errors.As only.
type callError struct {
	fault fault
	text  string
	cause error
}

func (e *callError) Error() string { return e.text }
func (e *callError) Unwrap() error { return e.cause }

// ended returns why ctx ended, in words.
func ended(ctx context.Context) *callError {
	text := "the time for the operation is over"
	if errors.Is(ctx.Err(), context.Canceled) {
		text = "the operation was cancelled"
	}
	return &callError{fault: faultFinal, text: text, cause: ctx.Err()}
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
