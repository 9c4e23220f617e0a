// Package simulator is the whole service of the interface as one http.Handler
// with real state: the live API (/live/v1/...), the upload and batch API
// (/vod/v1/..., /v1/local/batch) and the storage that presigned addresses lead
// to (/storage/<bucket>/<key>).
//
// It exists so that the provider can be tested, demonstrated and measured
// without an account. It is strict where a client could be sloppy: credentials
// are enforced and each API refuses the other's, a create body with a field that
// is unknown, null, empty or does not apply is refused, cursors have to come
// back whole, presigned addresses are signed (AWS Signature Version 4, query
// form) and expire, storage refuses any Authorization header, parts are checked
// as S3 checks them. Where the interface leaves a shape open, Options has a knob
// for each plausible one. A journal tells what was asked, and faults, hooks and
// holds break or delay single requests.
//
// # Content
//
// Bytes sent to storage are hashed as they arrive, through buffers of 256 KiB,
// and never held in memory. The SHA-256 of a whole multipart object needs the
// bytes in order while parts come in any order, so:
//
//   - a part that continues what has been hashed so far is hashed on its way in;
//   - any other part goes to a file in Options.Dir and is hashed, and let go, once
//     those before it are there;
//   - up to Options.KeepContent bytes stay on disk until the upload completes, so
//     that a part that is replaced by other content, or left out of complete, still
//     leaves a known whole.
//
// Object.SHA256 is "" only where a part was replaced by other content, or left out of
// complete, after bytes behind it had been let go because of KeepContent, and
// with Options.DiscardContent.
//
// # Limits
//
// Storage knows PUT alone. A repeated complete of an upload that is complete is
// answered as the first was, as S3 does for the same parts; see storagetest for
// what else is held against a real S3 server. While the body of a PUT is unread
// Go's server cannot see its client go away: such a request, stalled or held,
// ends with Release or Close.
package simulator
