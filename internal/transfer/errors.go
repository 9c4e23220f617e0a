package transfer

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// StatusError says that storage refused a PUT.
type StatusError struct {
	Op       string // "send part 3 of a.mp4", in words
	Part     int    // 0 for a single PUT
	Status   int    // HTTP status
	Code     string // S3 error code, "" if the response had none
	Message  string // what storage said, one line, "" if nothing
	Attempts int

	retryAfter time.Duration
}

func (e *StatusError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: storage answered %d", e.Op, e.Status)
	if t := http.StatusText(e.Status); t != "" {
		b.WriteString(" " + t)
	}
	if e.Code != "" {
		b.WriteString(" (" + e.Code + ")")
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	return b.String() + tried(e.Attempts)
}

// StallError says that a request made no progress for the time given.
type StallError struct {
	Op       string // "send part 3 of a.mp4", in words
	Idle     time.Duration
	Attempts int
}

func (e *StallError) Error() string {
	return fmt.Sprintf("%s: no progress for %s%s", e.Op, e.Idle, tried(e.Attempts))
}

// ETagError says that the ETag in storage's response cannot be kept, or that storage has other content
// than was sent: the ETag is not the MD5 of the content, although the response does not say that storage
// encrypts with KMS.
type ETagError struct {
	Op       string // "send part 3 of a.mp4", in words
	ETag     string // as the header had it, "" if there was none
	MD5      [16]byte
	Attempts int

	masked string // ETag as it may be shown
}

func (e *ETagError) Error() string {
	got := "no ETag"
	if !redact.ValidETag(e.ETag) {
		return fmt.Sprintf("%s: storage answered an ETag of %d bytes that is not at most 1 KiB of visible ASCII characters%s",
			e.Op, len(e.ETag), tried(e.Attempts))
	}
	if e.ETag != "" {
		got = "the ETag " + e.masked
	}
	return fmt.Sprintf("%s: storage answered %s, the content's MD5 is %s%s",
		e.Op, got, hex.EncodeToString(e.MD5[:]), tried(e.Attempts))
}

// ChecksumError says that storage has other content than was sent: the checksum in its response is not
// the content's.
type ChecksumError struct {
	Op        string // "send part 3 of a.mp4", in words
	Algorithm string // "crc64nvme", "crc32c", "crc32" or "sha256"
	Returned  string // masked
	Content   string // in base64
	Attempts  int
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s: storage answered the %s checksum %s, the content's is %s%s",
		e.Op, strings.ToUpper(e.Algorithm), e.Returned, e.Content, tried(e.Attempts))
}

// connectionError says that a request ended without a response.
type connectionError struct {
	op       string
	text     string // masked
	err      error
	attempts int
}

func newConnectionError(op string, err error, mask func(string) string) *connectionError {
	err = redact.URLError(err)
	return &connectionError{op: op, text: mask(err.Error()), err: err}
}

func (e *connectionError) Error() string {
	return fmt.Sprintf("%s: %s%s", e.op, e.text, tried(e.attempts))
}

func (e *connectionError) Unwrap() error { return e.err }

// addressError says that an upload address is no URL. It does not repeat the address.
type addressError struct{ op string }

func (e *addressError) Error() string {
	return e.op + ": the upload address is not an http or https URL"
}

func tried(attempts int) string {
	if attempts > 1 {
		return fmt.Sprintf(" (%d attempts)", attempts)
	}
	return ""
}
