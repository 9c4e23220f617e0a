package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// ErrNotConfigured is the cause of the error of a call to a half of the service
// that was given no address or no credential.
var ErrNotConfigured = errors.New("not configured")

// Values of Error.StorageCode.
const (
	StorageNoSuchUpload   = "NoSuchUpload"   // unknown, aborted or already complete
	StorageInvalidPart    = "InvalidPart"    // a part is not stored, or not under that ETag
	StorageEntityTooSmall = "EntityTooSmall" // a part is smaller than storage takes
)

// Error is what every call of the Client fails with. It holds no secret: no
// query string, no user info, no credential, no stream key.
type Error struct {
	Attempted string // in words: "create the live session"
	Method    string // POST
	Address   string // https://host/prefix/path
	Status    int    // HTTP status; 0: no answer
	Message   string // what the service said: one line, at most 500 characters
	RequestID string // "" when the answer carried none
	Attempts  int    // requests made; 0: it failed before the first

	// StorageCode is the S3 error code that the service passed on when it refused to
	// go on with a multipart upload, under whatever status; "" when it passed on none.
	StorageCode string

	// MayHaveBeenProcessed tells that a request may have reached the service
	// without its outcome being known: a time-out or a broken connection after
	// it went out, a 5xx, or an answer that could not be read.
	MayHaveBeenProcessed bool

	Err error // cause; nil when the service refused
}

// Error reads, for example: create the live session: POST
// https://api.example.com/live/v1/live-streams/session: 400 Bad Request: region
// "x" is not allocated (request id abc).
func (e *Error) Error() string {
	parts := make([]string, 0, 5)
	if e.Attempted != "" {
		parts = append(parts, e.Attempted)
	}
	if e.Address != "" {
		parts = append(parts, strings.TrimSpace(e.Method+" "+e.Address))
	}
	if e.Status != 0 {
		parts = append(parts, strings.TrimSpace(strconv.Itoa(e.Status)+" "+http.StatusText(e.Status)))
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	text := strings.Join(parts, ": ")
	var notes []string
	if e.Attempts > 1 {
		notes = append(notes, strconv.Itoa(e.Attempts)+" attempts")
	}
	if e.RequestID != "" {
		notes = append(notes, "request id "+e.RequestID)
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// NotFound tells whether err is the service's 404.
func NotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// MayHaveBeenProcessed tells whether the call that err came from may have had
// its effect all the same: Error.MayHaveBeenProcessed.
func MayHaveBeenProcessed(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.MayHaveBeenProcessed
}
