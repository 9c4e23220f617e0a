package transfer

import (
	"encoding/hex"
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
	Part    int    // 0 for a single PUT
	Status  int    // HTTP status
	Code    string // S3 error code, "" if the response had none
	Message string // what storage said, one line, "" if nothing
	// Unsent are headers and checksums that the address asks for, and that the request did not have.
	Unsent []string

	retryAfter time.Duration
	refused    time.Duration // for how long storage has refused every PUT with 429 or 503
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

// StallError says that a request made no progress for the time given.
type StallError struct {
	failedPut
	Idle time.Duration
}

func (e *StallError) Error() string { return e.text(fmt.Sprintf("no progress for %s", e.Idle)) }

// ETagError says that the ETag in storage's response cannot be kept, or that storage has other
// content than was sent: the ETag is not the MD5 of the content, although those of other parts are.
type ETagError struct {
	failedPut
	ETag string // as the header had it, "" if there was none
	MD5  [16]byte

	masked string // ETag as it may be shown
}

func (e *ETagError) Error() string {
	if !parse.ValidETag(e.ETag) {
		return e.text(fmt.Sprintf("storage answered an ETag of %d bytes that is not at most 1 KiB of visible ASCII characters", len(e.ETag)))
	}
	got := "no ETag"
	if e.ETag != "" {
		got = "the ETag " + e.masked
	}
	return e.text(fmt.Sprintf("storage answered %s, the content's MD5 is %s", got, hex.EncodeToString(e.MD5[:])))
}

// ChecksumError says that storage has other content than was sent: the checksum in its response is
// not the content's.
type ChecksumError struct {
	failedPut
	Algorithm string // a name of Algorithms
	Returned  string // masked
	Content   string // in base64
}

func (e *ChecksumError) Error() string {
	return e.text(fmt.Sprintf("storage answered the %s checksum %s, the content's is %s", strings.ToUpper(e.Algorithm), e.Returned, e.Content))
}

// ConnectionError says that a request ended without a response.
type ConnectionError struct {
	failedPut
	Unreached bool // no connection was made

	message string // masked
	err     error
	began   time.Time // when the PUT began
}

func (e *ConnectionError) Error() string { return e.text(e.message) }

func (e *ConnectionError) Unwrap() error { return e.err }

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

// expired reports whether storage refused the address, so that a fresh one is needed.
func expired(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return false
	}
	switch e.Code {
	case "AccessDenied", "ExpiredToken", "ExpiredRequest", "RequestExpired":
		return true
	}
	return e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized
}

// doubtful reports whether one answer does not settle that storage refuses a PUT: a proxy, which
// has none of S3's codes, or a part of storage that does not know the upload yet may have answered.
func doubtful(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status >= 400 && e.Status <= 499 && (e.Code == "" || e.Status == http.StatusNotFound)
}

// mismatch reports whether storage found that the request is not the signed one. Waiting does not
// change that.
func mismatch(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status == http.StatusForbidden && e.Code == "SignatureDoesNotMatch"
}

// kindOf tells whether, and when, another attempt can end better.
func kindOf(err error) retry.Kind {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return kindOfStatus(e)
	}
	if e, ok := errors.AsType[*ConnectionError](err); ok && retry.Permanent(e.err) {
		return retry.Final
	} else if ok && e.Unreached {
		return retry.Unreached
	}
	if _, ok := errors.AsType[putError](err); ok {
		return retry.Failed
	}
	return retry.Final
}

// lost reports whether the connection failed, so that another PUT should use another one.
func lost(err error) bool {
	_, stalled := errors.AsType[*StallError](err)
	_, broken := errors.AsType[*ConnectionError](err)
	return stalled || broken
}

// kindOfStatus is more patient than retry.OfStatus: a PUT may be repeated after any failure.
func kindOfStatus(e *StatusError) retry.Kind {
	if kind := retry.OfStatus(e.Status); kind != retry.Final {
		return kind
	}
	if expired(e) {
		return retry.Failed
	}
	switch e.Status {
	case http.StatusConflict, http.StatusTooEarly:
		return retry.Failed
	case http.StatusBadRequest:
		// The content came too slowly or broke off. BadDigest: what arrived is not what was sent.
		if e.Code == "RequestTimeout" || e.Code == "IncompleteBody" || e.Code == "BadDigest" {
			return retry.Failed
		}
		return retry.Final
	}
	if e.Status/100 == 2 { // a part must be answered with 200, and without a document
		return retry.Failed
	}
	return retry.Final
}
