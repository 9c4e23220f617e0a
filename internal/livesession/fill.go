package livesession

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	if !m.hidesEndpoints() {
		return
	}
	for _, a := range computed {
		if a.sensitive {
			a.clear(&m.session)
		}
	}
}

// hidesEndpoints reports whether the state must not have the endpoints.
func (m *model) hidesEndpoints() bool {
	return !m.EndpointsInState.IsNull() && !m.EndpointsInState.IsUnknown() && !m.EndpointsInState.ValueBool()
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

// given returns the arguments of a create request: as planned, in the spelling of the
// configuration, and with its write-only URLs. A plan may have the spelling of the session in the
// state. With `ignore_changes`, the configuration has other values than the plan, which do not
// count.
func (m *model) given(config *model) session {
	s := m.session
	for _, a := range arguments {
		if a.equal(a.value(&s), a.value(&config.session)) {
			a.copy(&s, &config.session)
		}
	}
	s.InputSourceA = firstSet(s.InputSourceA, config.InputSourceAWO)
	s.InputSourceB = firstSet(s.InputSourceB, config.InputSourceBWO)
	s.OutputDestinationA = firstSet(s.OutputDestinationA, config.OutputDestinationAWO)
	s.OutputDestinationB = firstSet(s.OutputDestinationB, config.OutputDestinationBWO)
	return s
}

// firstSet is a value, or the other one if it is null.
func firstSet(value, other types.String) types.String {
	if value.IsNull() {
		return other
	}
	return value
}
