// Package livesession is everything about live sessions: the resource vodlive_live_session, the
// data sources vodlive_live_session and vodlive_live_sessions, and the list resource of `terraform
// query`.
//
// The service can create a session, read one and list them (interface 4.2). It shows no call to
// change, stop or delete one. So every change of an argument that the service knows replaces the
// session, and destroying the resource forgets the session and says so; nothing pretends to have
// ended it.
//
// What validate.go rejects needs neither network nor clock; what needs the account or the clock is
// checked when a plan is made (plan.go). Reads go through sessions.Reader, which decides between a
// GET and pages of the listing for the whole run.
package livesession
