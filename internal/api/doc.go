// Package api has the nine calls of the service (SERVICE.md) as methods on plain Go types, and the
// errors that they fail with. How a call is made is in package wire. The two PUTs to storage are
// the caller's; StorageTransport is for them.
//
// The service documents neither how its responses are wrapped nor all of their fields. The decoder
// reads every plausible shape: json.go has the values, fields.go reads fields of different types,
// wrapper.go finds the wanted object. session.go, page.go, region.go and upload.go have what is sent and
// received, and how it is read. message.go reads what an error response says.
package api
