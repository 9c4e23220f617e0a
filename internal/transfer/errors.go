package transfer

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// failedPut is what the errors of a PUT that was made have in common.
type failedPut struct {
	Op       string // "send part 3 of a.mp4", in words
	Attempts int    // made until the upload gave up
}

// put returns the common part, to be completed.
func (f *failedPut) put() *failedPut { return f }

func (f *failedPut) text(why string) string {
	if f.Attempts > 1 {
		why += fmt.Sprintf(" (%d attempts)", f.Attempts)
	}
	return f.Op + ": " + why
}

// StatusError says that storage refused a PUT.
type StatusError struct {
	failedPut
	Part    int    // 0 for a single PUT
	Status  int    // HTTP status
	Code    string // S3 error code, "" if the response had none
	Message string // what storage said, one line, "" if nothing

	retryAfter time.Duration
}

func (e *StatusError) Error() string {
	why := strings.TrimSuffix(fmt.Sprintf("storage answered %d %s", e.Status, http.StatusText(e.Status)), " ")
	if e.Code != "" {
		why += " (" + e.Code + ")"
	}
	if e.Message != "" {
		why += ": " + e.Message
	}
	return e.text(why)
}

// StallError says that a request made no progress for the time given.
type StallError struct {
	failedPut
	Idle time.Duration
}

func (e *StallError) Error() string { return e.text(fmt.Sprintf("no progress for %s", e.Idle)) }

// ETagError says that the ETag in storage's response cannot be kept, or that storage has other content
// than was sent: the ETag is not the MD5 of the content, although the response does not say that storage
// encrypts with KMS.
type ETagError struct {
	failedPut
	ETag string // as the header had it, "" if there was none
	MD5  [16]byte

	masked string // ETag as it may be shown
}

func (e *ETagError) Error() string {
	if !redact.ValidETag(e.ETag) {
		return e.text(fmt.Sprintf("storage answered an ETag of %d bytes that is not at most 1 KiB of visible ASCII characters", len(e.ETag)))
	}
	got := "no ETag"
	if e.ETag != "" {
		got = "the ETag " + e.masked
	}
	return e.text(fmt.Sprintf("storage answered %s, the content's MD5 is %s", got, hex.EncodeToString(e.MD5[:])))
}

// ChecksumError says that storage has other content than was sent: the checksum in its response is not
// the content's.
type ChecksumError struct {
	failedPut
	Algorithm string // "crc64nvme", "crc32c", "crc32" or "sha256"
	Returned  string // masked
	Content   string // in base64
}

func (e *ChecksumError) Error() string {
	return e.text(fmt.Sprintf("storage answered the %s checksum %s, the content's is %s", strings.ToUpper(e.Algorithm), e.Returned, e.Content))
}

// connectionError says that a request ended without a response.
type connectionError struct {
	failedPut
	message string // masked
	err     error
}

func newConnectionError(op string, err error, mask func(string) string) *connectionError {
	err = redact.URLError(err)
	return &connectionError{failedPut: failedPut{Op: op}, message: mask(err.Error()), err: err}
}

func (e *connectionError) Error() string { return e.text(e.message) }

func (e *connectionError) Unwrap() error { return e.err }
