package upload

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// refusal says what an error means for a multipart upload.
type refusal int

const (
	notRefused      refusal = iota // nothing: the network, an outage, a credential, the file
	refused                        // a proxy or a missing permission may explain it
	refusedNotFound                // refused, with 404 or 410
	partsUnusable                  // storage says that no object can be made of these parts
	uploadUnknown                  // storage says that there is no such upload (any more)
)

// final reports whether storage itself has decided.
func (r refusal) final() bool { return r == partsUnusable || r == uploadUnknown }

// unknown reports whether there is no such upload, as after its completion.
func (r refusal) unknown() bool { return r == uploadUnknown || r == refusedNotFound }

// refusalOf reads the error of PresignPart, of the PUT of a part or of CompleteMultipartUpload.
// S3's error codes count under any status: the one that the service gives a refusal is not
// documented.
func refusalOf(err error) refusal {
	if e, ok := errors.AsType[*transfer.StatusError](err); ok {
		switch e.Code {
		case api.StorageNoSuchUpload:
			return uploadUnknown
		case "RequestTimeout", "IncompleteBody":
			return notRefused // the connection's fault
		}
		if e.Status == http.StatusUnauthorized { // not a credential of the service
			return refused
		}
		return refusalByStatus(e.Status)
	}
	if e, ok := errors.AsType[*api.Error](err); ok {
		switch e.StorageCode {
		case "":
			return refusalByStatus(e.Status)
		case api.StorageNoSuchUpload:
			return uploadUnknown
		}
		return partsUnusable
	}
	return notRefused
}

func refusalByStatus(status int) refusal {
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return refusedNotFound
	case http.StatusUnauthorized, http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return notRefused
	}
	if status >= 400 && status <= 499 {
		return refused
	}
	return notRefused
}

// askAgainAfter is the wait before a refusal that is not storage's own is believed.
const askAgainAfter = 2 * time.Second

// again reports, after a wait, whether a refused call is to be repeated: a single response of a
// proxy must not cost stored parts, or hide that the upload is complete.
func again(ctx context.Context, err error) bool {
	if why := refusalOf(err); why == notRefused || why.final() {
		return false
	}
	return retry.Sleep(ctx, askAgainAfter) == nil
}
