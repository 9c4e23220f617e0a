package mediaupload

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

// refusal says what an error means for a multipart upload.
type refusal int

const (
	notRefused      refusal = iota // nothing: the network, an outage, a credential, the file
	refused                        // a proxy or a missing permission may explain it
	refusedNotFound                // refused, with 404 or 410
	partsUnusable                  // storage's own words: no object can be made of these parts
	uploadUnknown                  // storage's own words: there is no such upload (any more)
)

// final says that storage itself has decided.
func (r refusal) final() bool { return r == partsUnusable || r == uploadUnknown }

// refusalOf reads the error of PresignPart, of the PUT of a part or of CompleteMultipartUpload. The interface shows
// neither statuses nor texts of refusals, so S3's own words count under any status.
func refusalOf(err error) refusal {
	if e, ok := errors.AsType[*transfer.StatusError](err); ok {
		switch e.Code {
		case api.StorageNoSuchUpload:
			return uploadUnknown
		case "RequestTimeout", "IncompleteBody":
			return notRefused // the connection's fault
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

// askAgainAfter is the wait before a refusal is believed that storage has not decided.
const askAgainAfter = 2 * time.Second

// again says that a call is to be made once more, after a wait: one answer of a proxy must not cost the stored parts of
// an earlier run, or hide that the upload is complete.
func again(ctx context.Context, err error) bool {
	if why := refusalOf(err); why == notRefused || why.final() {
		return false
	}
	timer := time.NewTimer(askAgainAfter)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// maybeCompleteError says that an earlier run got no answer to its request to complete the upload, and that the service
// does not know the upload now.
type maybeCompleteError struct {
	keyPath string
	err     error
}

func (e *maybeCompleteError) Error() string {
	return fmt.Sprintf("an earlier run sent the request that completes the upload and got no answer, and now the service does not know the upload any more. "+
		"So the file is probably stored as %s. Find out whether it is, for example with a batch job on this key path.\n\n"+
		"If the file is stored, run `terraform state rm ADDRESS` if the state has this resource, and then\n\n  terraform import ADDRESS %s\n\n"+
		"where ADDRESS is the address of this resource. If the file is not stored, apply again: that uploads it from its beginning.\n\nThe refusal: %s", e.keyPath, e.keyPath, e.err)
}

func (e *maybeCompleteError) Unwrap() error { return e.err }
