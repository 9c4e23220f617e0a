// Package simulator is the service of SERVICE.md as one stateful http.Handler: the live API
// (/live/v1/...), the upload and batch API (/vod/v1/..., /v1/local/batch) and the storage of the
// presigned URLs (/storage/<bucket>/<key>).
//
// It serves to test, demonstrate and measure the provider without an account. It is strict:
//
//   - each API requires its own credentials;
//   - a create request with a field that is unknown, null, empty or not applicable is refused;
//   - a cursor must come back with all its values;
//   - presigned URLs are signed (AWS Signature Version 4, query form) and expire;
//   - storage refuses an Authorization header, and checks parts as S3 does.
//
// Where the service's documentation does not state the shape of a response, Options has a setting
// for each plausible one. A journal records the requests. Faults, hooks and holds break or delay
// single requests.
//
// # Content
//
// Bytes sent to storage are hashed as they arrive, through buffers of 256 KiB, and not kept in
// memory. The SHA-256 of a multipart object needs the bytes in order, but parts arrive in any
// order. So:
//
//   - a part that follows the parts hashed so far is hashed as it arrives;
//   - any other part goes to a file in Options.Dir, and is hashed and deleted when all parts before
//     it have arrived;
//   - up to Options.KeepContent bytes stay on disk until the upload completes, so that the SHA-256
//     can be computed if a part is overwritten, or left out of the complete request.
//
// Object.SHA256 is "" only with Options.DiscardContent, or if a part was overwritten or left out
// after KeepContent had caused the deletion of later bytes.
//
// # Limits
//
// Storage supports PUT only. A repeated complete request for a complete upload gets the same
// response, as S3 does for the same parts. The tests in storagetest compare this and other behavior
// with a real S3 server. Go's server cannot see that a client has disconnected while the body of
// its PUT is unread: such a request, stalled or held, ends with Release or Close.
package simulator
