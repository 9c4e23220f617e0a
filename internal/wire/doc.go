// Package wire makes calls of an HTTP API with JSON bodies. It knows how a request is repeated,
// authenticated, slowed down, timed out, redirected, logged and sent. It does not know any call of
// the service: a Call describes one.
//
// A call runs through a chain of steps, outermost first:
//
//	retryFailures  waits for the call's turn, and repeats the attempt after failures that may pass
//	authorize      adds the credential; after a 401 it gets a new token, once
//	limitTime      limits the time of one attempt
//	follow         follows redirects within the same host
//	restate        replaces a status 200 by the error status in the body
//	logRequest     writes each request to the log
//	send           makes one HTTP request and reads its whole response
//
// A Client also has the transport for the PUTs to storage, which carry no credential.
//
// Limits: a response is read up to 16 MiB. Nothing is cached. Neither New nor Endpoint opens a
// connection, reads a file or runs a program; the first call does.
package wire
