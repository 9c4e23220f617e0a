package livesession

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// fill sets the values of a response, of the attributes in the list. A value that the response
// lacks stays: create returns fewer fields than get, and get fewer than the listing. A value that
// does not apply to the session is null, whether the service sent it as absent, null or "".
func (m values) fill(s api.Session, list []attribute) {
	for _, a := range list {
		was, shown := m[a.Name], a.received(s, m[a.Name])
		switch {
		case !a.applies(m).ValueBool():
			m[a.Name] = a.none
		case !shown.IsNull():
			m[a.Name] = shown
		case was.IsNull() || was.IsUnknown():
			m[a.Name] = a.none
		}
	}
}

// fillComputed sets what the service computes, except for endpoints that the state must not have.
func (m values) fillComputed(s api.Session) {
	m.fill(s, computed)
	m.dropEndpoints()
}

// left returns the attributes that a page of the listing sets after a GET: the status, and what the
// GET has not shown. The listing may spell the other values differently.
func (m values) left(list []attribute) []attribute {
	return selected(list, func(a attribute) bool {
		return a.Name == "status" || m[a.Name].IsNull() || m[a.Name].IsUnknown()
	})
}

// dropEndpoints clears the endpoints if the state must not have them.
func (m values) dropEndpoints() {
	if m.hidesEndpoints() {
		m.clear(endpoints)
	}
}

// hidesEndpoints reports whether the state must not have the endpoints.
func (m values) hidesEndpoints() bool {
	return m.flag("endpoints_in_state").Equal(types.BoolValue(false))
}

// writeOnly reports whether the value of an argument is given by its write-only twin, so that the
// state must not have it. Only a resource has twins, and their version.
func (m values) writeOnly(a attribute) bool {
	version, ok := m[versionName]
	return ok && a.HasTwin() && !version.IsNull() && m[a.Name].IsNull()
}

// missing names the attributes that no response has set yet: required are arguments without which a
// session cannot be imported, fromListing are those that the listing may show.
func (m values) missing() (required, fromListing []string) {
	isMissing := func(a attribute) bool {
		value := m[a.Name]
		return (value.IsNull() || value.IsUnknown()) && a.applies(m).ValueBool() && !m.writeOnly(a)
	}
	for _, a := range attributes {
		switch {
		case a.Listed && isMissing(a):
			fromListing = append(fromListing, a.Name)
		case a.Listed:
		case a.parts != nil:
			for _, part := range a.parts {
				if part.Required && m.part(a.Name, part.Name).ValueString() == "" {
					required = append(required, a.Name+"."+part.Name)
				}
			}
		case (a.Required || a.Optional && a.Needs != nil) && isMissing(a):
			required = append(required, a.Name)
		}
	}
	return required, fromListing
}

// given returns the arguments of a create request: as planned, in the spelling of the
// configuration, and with its write-only URLs. A plan may have the spelling of the session in the
// state. With `ignore_changes`, the configuration has other values than the plan, which do not
// count.
func (m values) given(config values) values {
	s := maps.Clone(m)
	for _, a := range arguments {
		if a.equal(s[a.Name], config[a.Name]) {
			s[a.Name] = config[a.Name]
		}
	}
	for _, a := range twins {
		if s[a.Name].IsNull() {
			s[a.Name] = config[a.twin()]
		}
	}
	return s
}
