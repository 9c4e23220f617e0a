package livesession

import (
	"cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// fill sets the values of a response, of the attributes in the list. A value that the response
// lacks stays: create returns fewer fields than get, and get fewer than the listing. A value that
// does not apply to the session is null, whether the service sent it as absent, null or "".
func (m *session) fill(s *api.Session, list []attribute) {
	shown := received(s)
	for _, a := range list {
		value := a.value(m)
		switch {
		case !a.applies(m).ValueBool():
			a.clear(m)
		case !a.value(&shown).IsNull():
			a.copy(m, &shown)
		case value.IsNull() || value.IsUnknown():
			a.clear(m)
		}
	}
}

// fillComputed sets what the service computes, except for endpoints that the state must not have.
func (m *model) fillComputed(s *api.Session) {
	m.fill(s, computed)
	m.dropEndpoints()
}

// dropEndpoints clears the endpoints if the state must not have them.
func (m *model) dropEndpoints() {
	if m.EndpointsInState.IsNull() || m.EndpointsInState.IsUnknown() || m.EndpointsInState.ValueBool() {
		return
	}
	for _, a := range computed {
		if a.sensitive {
			a.clear(&m.session)
		}
	}
}

// writeOnly reports whether the value of an argument is given by its write-only twin, so that the
// state must not have it.
func (m *model) writeOnly(a attribute) bool {
	return a.twin != nil && !m.URLsWOVersion.IsNull() && a.value(&m.session).IsNull()
}

// missing names the attributes that no response has set yet: required are arguments without which a
// session cannot be imported, fromListing are those that the listing may show.
func (m *model) missing() (required, fromListing []string) {
	isMissing := func(a attribute) bool {
		value := a.value(&m.session)
		return (value.IsNull() || value.IsUnknown()) && a.applies(&m.session).ValueBool() && !m.writeOnly(a)
	}
	for _, a := range attributes {
		switch {
		case a.listed && isMissing(a):
			fromListing = append(fromListing, a.name)
		case a.listed, a.name == "input_preset":
		case (a.required || a.optional && a.needs != nil) && isMissing(a):
			required = append(required, a.name)
		}
	}
	for _, part := range presetParts {
		if part.required && m.preset(part.name).ValueString() == "" {
			required = append(required, "input_preset."+part.name)
		}
	}
	return required, fromListing
}

// given returns the planned session with the URLs of the configuration's write-only arguments. The
// name is that of the configuration, too: the plan may have it with escapes, as the service's.
func (m *model) given(config *model) session {
	s := m.session
	s.Name = config.Name
	s.InputSourceA = cmp.Or(config.InputSourceAWO, s.InputSourceA)
	s.InputSourceB = cmp.Or(config.InputSourceBWO, s.InputSourceB)
	s.OutputDestinationA = cmp.Or(config.OutputDestinationAWO, s.OutputDestinationA)
	s.OutputDestinationB = cmp.Or(config.OutputDestinationBWO, s.OutputDestinationB)
	return s
}
