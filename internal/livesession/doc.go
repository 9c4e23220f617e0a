// Package livesession has the resources vodlive_live_session and vodlive_live_session_status, the
// data sources vodlive_live_session and vodlive_live_sessions, the ephemeral resource and the list
// resource vodlive_live_session.
//
// The service can create, read and list sessions (SERVICE.md, calls 9 to 11). It has no call to
// change, stop or delete a session. So a change of any argument that the service knows replaces the
// session, and Delete only removes the session from the state and warns that it keeps running.
//
// The table in attributes.go describes each attribute of a session for all of them. Rules in
// validate.go need neither network nor clock; rules that need the account or the clock are in plan.go.
// What must not happen to a session that is replaced is in replace.go.
package livesession
