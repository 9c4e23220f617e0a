package transfer

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

// failedPut is what the errors of a PUT that was made have in common.
type failedPut struct {
	Op       string // "send part 3 of a.mp4", in words
	Host     string // of the presigned address, with the port if it has one
	Attempts int    // made until the upload gave up
}

// putError is the error of a PUT that was made.
type putError interface {
	error
	common() *failedPut
}

func (f *failedPut) common() *failedPut { return f }

func (f *failedPut) text(why string) string {
	op := f.Op
	if f.Host != "" {
		op += " to the presigned address at " + f.Host
	}
	if f.Attempts > 1 {
		why += fmt.Sprintf(" (%d attempts)", f.Attempts)
	}
	return op + ": " + why
}

// StatusError says that storage refused a PUT.
type StatusError struct {
	failedPut

	Part    int      // 0 for a single PUT
	Status  int      // HTTP status
	Code    string   // S3 error code, "" if the response had none
	Message string   // what storage said, one line, "" if nothing
	Unsent  []string // headers and checksums that the address asks for, and that the PUT did not have

	retryAfter time.Duration
	began      time.Time // when the PUT began
}

func (e *StatusError) Error() string {
	why := strings.TrimSuffix(fmt.Sprintf("storage answered %d %s", e.Status, http.StatusText(e.Status)), " ")
	if e.Code != "" {
		why += " (" + e.Code + ")"
	}
	if e.Message != "" {
		why += ": " + e.Message
	}
	if len(e.Unsent) > 0 {
		why += fmt.Sprintf(". The address is signed for %s, which the provider does not send: the service must make addresses without it", parse.Escape(strings.Join(e.Unsent, ", ")))
	}
	return e.text(why)
}

// isOfAddress reports whether storage refused the address, so that a fresh one may help.
func (e *StatusError) isOfAddress() bool {
	return e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized || e.Code == "ExpiredToken"
}

// isMismatch reports whether the PUT was not the one that the address was signed for.
func (e *StatusError) isMismatch() bool { return e.Code == "SignatureDoesNotMatch" }

// kind tells whether, and when, another PUT can end better. PUTs may be repeated after any failure.
func (e *StatusError) kind() retry.Kind {
	if kind := retry.OfStatus(e.Status, e.retryAfter); kind != retry.Final {
		return kind
	}
	switch {
	case e.Status == http.StatusConflict, e.Status == http.StatusTooEarly:
		return retry.Failed
	case e.Code == "RequestTimeout", e.Code == "IncompleteBody", e.Code == "BadDigest": // damage on the way
		return retry.Failed
	case e.Status/100 == 2: // not 200, or with an error document
		return retry.Failed
	}
	return retry.Final
}

// ConnectionError says that a PUT ended without a response.
type ConnectionError struct {
	failedPut

	Unreached bool // no connection was made
	Stalled   bool // the PUT made no progress for the stall timeout

	message string // masked
	err     error
	began   time.Time // when the PUT began
}

func (e *ConnectionError) Error() string { return e.text(e.message) }

func (e *ConnectionError) Unwrap() error { return e.err }

func (e *ConnectionError) kind() retry.Kind {
	switch {
	case retry.Permanent(e.err):
		return retry.Final
	case e.Unreached:
		return retry.Unreached
	}
	return retry.Failed
}

// ChecksumError says that storage has other content than was sent: the ETag or a checksum in its
// response is not that of the content. Or storage returned no ETag that can be used.
type ChecksumError struct {
	failedPut

	message string // masked
}

func (e *ChecksumError) Error() string { return e.text("storage answered " + e.message) }

func (e *ChecksumError) kind() retry.Kind { return retry.Failed }

// TimeLimitError says that the time of an upload was over. It unwraps to Limit alone: a refusal
// that would have been repeated must not look final.
type TimeLimitError struct {
	Limit  error // the context's
	Latest error // the latest failure, which would have been repeated
}

func (e *TimeLimitError) Error() string {
	return fmt.Sprintf("%s. The latest failure: %s", e.Limit, e.Latest)
}

func (e *TimeLimitError) Unwrap() error { return e.Limit }

// kindOf returns the kind of an error; another PUT does not help against one that is not a PUT's.
func kindOf(err error) retry.Kind {
	if e, ok := errors.AsType[interface {
		putError
		kind() retry.Kind
	}](err); ok {
		return e.kind()
	}
	return retry.Final
}
