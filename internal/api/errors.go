package api

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// Values of Error.StorageCode.
const (
	StorageNoSuchUpload   = "NoSuchUpload"   // unknown, aborted or already complete
	StorageInvalidPart    = "InvalidPart"    // a part is not stored, or has another ETag
	StorageEntityTooSmall = "EntityTooSmall" // a part is smaller than storage accepts
)

// Error is the error of every call of a Client. It contains no secret: no query string, user info,
// credential or stream key.
type Error struct {
	Attempted string // in words: "creating the live session"
	Token     string // where the identity token comes from: "the environment variable VODLIVE_ID_TOKEN"; "" for the live API
	Method    string // POST
	Address   string // https://host/prefix/path
	Status    int    // HTTP status; 0: no response
	Message   string // of the service: one line, at most 500 characters
	RequestID string // "" if the response had none
	Attempts  int    // requests made; 0: the call failed before the first
	MayPass   bool   // another call may not fail as this one did

	// StorageCode is the S3 error code that the service passed on when it refused to go on with a
	// multipart upload, with any status; "" if it passed on none.
	StorageCode string

	// MayHaveBeenProcessed has the meaning that it has in wire.Outcome. It is also set if the
	// response cannot be decoded.
	MayHaveBeenProcessed bool

	Err error // cause; nil if the service refused
}

// Error returns a text such as: creating the live session failed: POST
// https://api.example.com/live/v1/live-streams/session: 400 Bad Request: region "x" is not
// allocated (request id abc).
func (e *Error) Error() string {
	return strings.TrimSuffix(e.Attempted+" failed: "+e.Reason(), ": ")
}

// Reason returns Error without what was attempted.
func (e *Error) Reason() string {
	var parts []string
	if e.Address != "" {
		parts = append(parts, e.Method+" "+e.Address)
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

// NotFound reports whether err is a 404 of the service.
func NotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound
}

// MayHaveBeenProcessed returns the field of this name of an *Error, false for other errors.
func MayHaveBeenProcessed(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.MayHaveBeenProcessed
}

// NotShown reports whether a response shows that the service does not have what was asked for, or
// not yet: a 404, or a 2xx without it.
func NotShown(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status/100 == 2 && !e.MayPass)
}

// Misconfigured reports whether a call failed because the address or the credentials are wrong, so
// that no other call can succeed either: 401 or 403, a host name that does not exist, or a
// certificate that is not trusted.
func Misconfigured(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	lookup, isLookup := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden || isLookup && lookup.IsNotFound || untrusted
}
