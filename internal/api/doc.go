// Package api is the HTTP client of the service: the nine JSON calls of
// interface 4.1 and 4.2 as methods on plain Go types, with typed errors. The
// two PUTs to storage are the caller's; StorageHTTP gives the client for them.
//
// It exists so that nothing else has to know how the service is spoken to:
// which call may be repeated after which failure (one table, policy.go), how
// the two halves of the service are authenticated, how fast it wants to be
// asked, which of the shapes that the interface leaves open it answers in
// (decode.go), and what of all this must never be shown (mask.go).
//
// A call runs through a chain of small steps, outermost first:
//
//	retry      repeats the attempt as policy.go allows, with backoff
//	authorize  adds the credential; after a 401 gets a new token, once
//	throttle   waits while the service has asked for less (429)
//	limit      bounds the time of one attempt
//	follow     follows redirects within the same host
//	restate    takes the error status in the body of a 200 for the answer's own
//	record     writes one line to the log for each request
//	send       makes one HTTP request and reads its whole answer
//
// Limits: an answer is read up to 16 MiB. Nothing is cached. New opens no
// connection, reads no file and runs no program; the first call does.
package api
