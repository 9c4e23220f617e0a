package api

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// operation names a call of the interface.
type operation string

const (
	opRegions           operation = "regions"
	opCreateSession     operation = "create-session"
	opGetSession        operation = "get-session"
	opListSessions      operation = "list-sessions"
	opPresignUpload     operation = "presign-url"
	opMultipartCreate   operation = "multipart-create"
	opMultipartPart     operation = "multipart-generate-url"
	opMultipartComplete operation = "multipart-complete"
	opBatch             operation = "batch"
)

// fault is what became of one attempt.
type fault uint8

const (
	// faultNone: a whole JSON answer with a 2xx status.
	faultNone fault = 0
	// faultNotSent: the connection was not made, so no byte of the request left.
	faultNotSent fault = 1 << (iota - 1)
	// faultThrottled: 429. The service refused before doing anything.
	faultThrottled
	// faultUnavailable: 503, with or without Retry-After.
	faultUnavailable
	// faultServer: 500, 502, 504.
	faultServer
	// faultLost: time-out or broken connection after the request went out.
	faultLost
	// faultUnreadable: a 2xx answer that breaks off or is not JSON.
	faultUnreadable
	// faultFinal: everything that a repeat cannot mend: other statuses, a token
	// that cannot be had, an answer of the wrong shape or beyond the limit, a
	// context that ended.
	faultFinal
	// faultStorage: the answer passes on storage's own refusal of a multipart
	// upload. Nothing was done, whatever the status, and a repeat cannot mend it.
	faultStorage
)

const (
	// surelyNotProcessed are the faults after which the service has done
	// nothing. A 503 is not among them: a gateway may answer it for a request
	// that the service went on to process.
	surelyNotProcessed = faultNotSent | faultThrottled
	anyTransient       = surelyNotProcessed | faultUnavailable | faultServer | faultLost | faultUnreadable
)

// repeatable is the one retry policy: the faults after which a call may be
// sent again. A 401 is not a matter of it: authorize handles that.
var repeatable = map[operation]fault{
	// Reading changes nothing.
	opRegions:      anyTransient,
	opGetSession:   anyTransient,
	opListSessions: anyTransient,

	// A second session or batch would cost the user money.
	opCreateSession: surelyNotProcessed,
	opBatch:         surelyNotProcessed,

	// These are POSTs, but what a lost answer leaves behind, an address or an
	// upload id that nobody uses, is neither paid for nor seen.
	opPresignUpload:   anyTransient,
	opMultipartCreate: anyTransient,
	opMultipartPart:   anyTransient,

	// Completing names the upload and its parts: a repeat makes no second
	// object. Whether the first was processed the caller sees from
	// Error.MayHaveBeenProcessed, should the repeat be refused.
	opMultipartComplete: anyTransient,
}

func mayRepeat(op operation, f fault) bool {
	return f != faultNone && repeatable[op]&f == f
}

// onlyOnce tells whether a call must not reach the service twice. Then it gets
// a connection of its own: a kept one may have been closed by the service
// meanwhile, which cannot be told from one that broke after the request.
func onlyOnce(op operation) bool { return !mayRepeat(op, faultLost) }

// ambiguous tells whether the service may have acted on an attempt that ended
// so.
func ambiguous(f fault, a *answer) bool {
	if f&(faultUnavailable|faultServer|faultLost|faultUnreadable) != 0 {
		return true
	}
	return f == faultFinal && a != nil && (a.status >= http.StatusInternalServerError || a.ok())
}

// judge names the fault of an answered attempt.
func judge(a *answer, noContent bool) fault {
	switch {
	case a.ok() && a.tooLong:
		return faultFinal
	case noContent && a.status == http.StatusNoContent:
		return faultNone
	case a.ok():
		if a.broken != nil || !json.Valid(a.body) {
			return faultUnreadable
		}
		return faultNone
	}
	switch a.status {
	case http.StatusTooManyRequests:
		return faultThrottled
	case http.StatusServiceUnavailable:
		return faultUnavailable
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return faultServer
	}
	return faultFinal
}

// storageCodes are S3's error codes for a multipart upload that cannot go on, by
// the words that tell them, without case, spaces and punctuation: a service may
// pass on the code, the sentence or both, under any status.
var storageCodes = []struct{ words, code string }{
	{"nosuchupload", StorageNoSuchUpload},
	{"specifieduploaddoesnotexist", StorageNoSuchUpload},
	{"uploadidmaybeinvalid", StorageNoSuchUpload},
	{"invalidpart", StorageInvalidPart},
	{"specifiedpartscouldnotbefound", StorageInvalidPart},
	{"entitytoosmall", StorageEntityTooSmall},
	{"smallerthantheminimumallowedsize", StorageEntityTooSmall},
}

// storageCode is the S3 error code that a refusal passes on, "" for none. Only
// the calls that name a multipart upload are asked for one.
func storageCode(op operation, a *answer) string {
	if op != opMultipartPart && op != opMultipartComplete || a == nil || a.ok() {
		return ""
	}
	words := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, string(redact.Cut(a.body, errorBodyRead)))
	for _, known := range storageCodes {
		if strings.Contains(words, known.words) {
			return known.code
		}
	}
	return ""
}
