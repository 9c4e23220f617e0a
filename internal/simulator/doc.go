// Package simulator is the service of SERVICE.md as one stateful http.Handler: the live API
// (/live/v1/...), the upload and batch API (/vod/v1/..., /v1/local/batch) and the storage of the
// presigned URLs (/storage/<bucket>/<key>).
//
// It serves to test, demonstrate and measure the provider without an account. It is strict:
//
//   - each API requires its own credentials;
//   - a create request with a field that is unknown, null, empty or not applicable is refused;
//   - a cursor must come back with all its values;
//   - presigned URLs are signed, with the parameters of AWS Signature Version 4, and expire;
//   - storage refuses an Authorization header, and checks parts as S3 does.
//
// Where the service's documentation does not state the shape of a response, Options has a setting
// for each plausible one. A journal records the requests. Faults and hooks break or delay single
// requests.
//
// # Content
//
// Bytes sent to storage are hashed as they arrive. Those of parts stay in memory until the upload
// completes, because the SHA-256 of an object needs them in order, and parts arrive in any order.
// Options.DiscardContent keeps no bytes and computes no SHA-256.
//
// # Limits
//
// Storage supports PUT only. A repeated complete request for a complete upload gets the same
// response, as S3 does for the same parts. The tests in storagetest compare this and other behavior
// with a real S3 server. Go's server cannot see that a client has disconnected while the body of
// its PUT is unread: such a request, if it is delayed, ends with its delay or with Close.
package simulator
