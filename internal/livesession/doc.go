// Package livesession has the resources vodlive_live_session and vodlive_live_session_status, the
// data sources vodlive_live_session and vodlive_live_sessions, the ephemeral resource and the list
// resource vodlive_live_session.
//
// The service can create, read and list sessions (SERVICE.md, calls 9 to 11). It has no call to
// change, stop or delete a session. So a change of any argument that the service knows creates a
// new session in an update, after which the state has the new one. Delete only removes the session
// from the state and warns that it keeps running.
//
// Files call only files that follow them in this order:
//
//	resource.go       the resource vodlive_live_session: schema, identity, import
//	validate.go       rules over several arguments, which need neither network nor clock
//	plan.go           rules that need account or clock; whether an update creates a session
//	change.go         update and delete; what makes a new session necessary
//	create.go         create, wait until GET and status confirm it, read the listing
//	read.go           read, and tell drift from another spelling of the same value
//	lost.go           look for the session of a create whose response was lost
//	region.go         the data source vodlive_regions, the list of regions, the check of a region
//	status.go         the resource vodlive_live_session_status
//	ephemeral.go, data_source.go, list_resource.go, filter.go
//	schema.go         schemas made of the attributes
//	wait.go           wait for the statuses of one or many sessions; one session from the listing
//	state.go          the identity and the private state
//	fill.go           a response into a model
//	attributes.go     the fields of package sessionfield as attributes: types, rules, comparison
//	model.go          the attributes of a session by name, as a request and as Terraform's values
//	rules.go          rules for single values
//	schedule.go, spelling.go, wording.go
//	values.go         what the statuses mean
package livesession
