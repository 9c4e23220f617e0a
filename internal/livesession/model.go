package livesession

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// session is what the service knows of a live session (interface 2.5): the data sources as they
// are, the resource with its own arguments beside them.
type session struct {
	ID         types.String `tfsdk:"id"`
	Name       types.String `tfsdk:"name"`
	Region     types.String `tfsdk:"region"`
	Input      types.String `tfsdk:"input"`
	Mode       types.String `tfsdk:"mode"`
	OutputMode types.String `tfsdk:"output_mode"`

	InputPreset types.Object `tfsdk:"input_preset"`

	InputSourceA       types.String `tfsdk:"input_source_a"`
	InputSourceB       types.String `tfsdk:"input_source_b"`
	OutputDestinationA types.String `tfsdk:"output_destination_a"`
	OutputDestinationB types.String `tfsdk:"output_destination_b"`

	EnableInputRecord types.Bool   `tfsdk:"enable_input_record"`
	IsScheduled       types.Bool   `tfsdk:"is_scheduled"`
	Timezone          types.String `tfsdk:"timezone"`
	ScheduledAt       types.String `tfsdk:"scheduled_at"`

	Status          types.String `tfsdk:"status"`
	InputEndpointA  types.String `tfsdk:"input_endpoint_a"`
	InputEndpointB  types.String `tfsdk:"input_endpoint_b"`
	OutputEndpointA types.String `tfsdk:"output_endpoint_a"`
	OutputEndpointB types.String `tfsdk:"output_endpoint_b"`

	UserID       types.String `tfsdk:"user_id"`
	TranscoderID types.String `tfsdk:"transcoder_id"`
	SubDomainA   types.String `tfsdk:"sub_domain_a"`
	SubDomainB   types.String `tfsdk:"sub_domain_b"`
	ElasticIPA   types.String `tfsdk:"elastic_ip_a"`
	ElasticIPB   types.String `tfsdk:"elastic_ip_b"`
	Port         types.Int64  `tfsdk:"port"`
	EgressPort   types.Int64  `tfsdk:"egress_port"`
}

// model is the resource.
type model struct {
	session

	WaitForStatus   types.Set      `tfsdk:"wait_for_status"`
	ReplaceOnStatus types.Set      `tfsdk:"replace_on_status"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`
}

// newModel is a resource of which nothing is known, as import and the list resource begin with: the
// zero values of sets and objects have no type.
func newModel() model {
	return model{
		session:         newSession(),
		WaitForStatus:   types.SetNull(types.StringType),
		ReplaceOnStatus: types.SetNull(types.StringType),
		Timeouts:        timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{"create": types.StringType})},
	}
}

func newSession() session { return session{InputPreset: types.ObjectNull(presetTypes)} }

var presetTypes = map[string]attr.Type{
	"codec":      types.StringType,
	"resolution": types.StringType,
	"bitrate":    types.StringType,
}

// preset is the value of an attribute of input_preset, "" when it has none.
func (m *session) preset(name string) string {
	value, _ := m.InputPreset.Attributes()[name].(basetypes.StringValue)
	return value.ValueString()
}

// spec maps a plan to what create sends.
func (m *session) spec() api.SessionSpec {
	return api.SessionSpec{
		Name:       m.Name.ValueString(),
		Region:     m.Region.ValueString(),
		Input:      m.Input.ValueString(),
		Mode:       m.Mode.ValueString(),
		OutputMode: m.OutputMode.ValueString(),
		InputPreset: api.InputPreset{
			Codec:      m.preset("codec"),
			Resolution: m.preset("resolution"),
			Bitrate:    m.preset("bitrate"),
		},
		InputSourceA:       m.InputSourceA.ValueString(),
		InputSourceB:       m.InputSourceB.ValueString(),
		OutputDestinationA: m.OutputDestinationA.ValueString(),
		OutputDestinationB: m.OutputDestinationB.ValueString(),
		EnableInputRecord:  m.EnableInputRecord.ValueBool(),
		IsScheduled:        m.IsScheduled.ValueBool(),
		Timezone:           m.Timezone.ValueString(),
		ScheduledAt:        m.ScheduledAt.ValueString(),
	}
}

// fill takes over what an answer of the service says. What the answer does not say keeps its value:
// create answers with less than get, get with less than the listing. What does not apply to such a
// session is null, however the service shows it (interface 2.5).
func (m *session) fill(s *api.Session) {
	m.fillArguments(s)
	m.fillComputed(s)
}

func (m *session) fillArguments(s *api.Session) {
	keep(&m.Name, s.Name)
	keep(&m.Region, s.Region)
	keep(&m.Input, canonical(s.Input, directions))
	keep(&m.Mode, canonical(s.Mode, modes))
	keep(&m.OutputMode, canonical(s.OutputMode, directions))
	m.fillPreset(s.InputPreset)

	pull, push, ha := pulls(m.Input), pushes(m.OutputMode), m.Mode.ValueString() == modeHA
	applies(&m.InputSourceA, s.InputSourceA, pull)
	applies(&m.InputSourceB, s.InputSourceB, pull && ha)
	applies(&m.OutputDestinationA, s.OutputDestinationA, push)
	applies(&m.OutputDestinationB, s.OutputDestinationB, push && ha)

	keepBool(&m.EnableInputRecord, s.EnableInputRecord)
	scheduled := s.IsScheduled
	if scheduled == nil && s.ScheduledAt != "" {
		scheduled = new(true)
	}
	keepBool(&m.IsScheduled, scheduled)
	applies(&m.Timezone, s.Timezone, m.IsScheduled.ValueBool())
	applies(&m.ScheduledAt, s.ScheduledAt, m.IsScheduled.ValueBool())
}

func (m *session) fillComputed(s *api.Session) {
	keep(&m.ID, s.ID)
	keep(&m.Status, s.Status)

	push, pull, ha := pushes(m.Input), pulls(m.OutputMode), m.Mode.ValueString() == modeHA
	applies(&m.InputEndpointA, s.InputEndpointA, push)
	applies(&m.InputEndpointB, s.InputEndpointB, push && ha)
	applies(&m.OutputEndpointA, s.OutputEndpointA, pull)
	applies(&m.OutputEndpointB, s.OutputEndpointB, pull && ha)

	keep(&m.UserID, s.UserID)
	keep(&m.TranscoderID, s.TranscoderID)
	keep(&m.SubDomainA, s.SubDomainA)
	applies(&m.SubDomainB, s.SubDomainB, ha)
	keep(&m.ElasticIPA, s.ElasticIPA)
	applies(&m.ElasticIPB, s.ElasticIPB, ha)
	keepInt(&m.Port, s.Port)
	keepInt(&m.EgressPort, s.EgressPort)
}

func (m *session) fillPreset(p api.InputPreset) {
	part := func(name, value string) attr.Value {
		before, ok := m.InputPreset.Attributes()[name].(basetypes.StringValue)
		if !ok {
			before = types.StringNull()
		}
		keep(&before, value)
		return before
	}
	if m.InputPreset.IsNull() && p == (api.InputPreset{}) {
		return
	}
	m.InputPreset = types.ObjectValueMust(presetTypes, map[string]attr.Value{
		"codec":      part("codec", canonical(p.Codec, codecs)),
		"resolution": part("resolution", canonical(p.Resolution, resolutions)),
		"bitrate":    part("bitrate", canonical(p.Bitrate, bitrates)),
	})
}

// keep sets a value that the answer has; without one it leaves what was known before, and null
// where nothing was.
func keep(to *types.String, value string) {
	switch {
	case value != "":
		*to = types.StringValue(value)
	case to.IsUnknown() || to.ValueString() == "":
		*to = types.StringNull()
	}
}

// applies is keep for a value that only some sessions have.
func applies(to *types.String, value string, yes bool) {
	if !yes {
		*to = types.StringNull()
		return
	}
	keep(to, value)
}

// keepBool is keep for a flag; one that was never told is false, the service's own default.
func keepBool(to *types.Bool, value *bool) {
	switch {
	case value != nil:
		*to = types.BoolValue(*value)
	case to.IsUnknown() || to.IsNull():
		*to = types.BoolValue(false)
	}
}

func keepInt(to *types.Int64, value *int64) {
	switch {
	case value != nil:
		*to = types.Int64Value(*value)
	case to.IsUnknown():
		*to = types.Int64Null()
	}
}

// untold names what applies to the session and no answer has told yet: required are arguments,
// without which the session cannot be described; listed is what the listing can tell (interface
// 2.5).
func (m *session) untold() (required, listed []string) {
	pull, push, ha := pulls(m.Input), pushes(m.OutputMode), m.Mode.ValueString() == modeHA
	add := func(to *[]string, name string, value attr.Value, applies bool) {
		if applies && (value.IsNull() || value.IsUnknown()) {
			*to = append(*to, name)
		}
	}
	add(&required, "name", m.Name, true)
	add(&required, "region", m.Region, true)
	add(&required, "input", m.Input, true)
	add(&required, "mode", m.Mode, true)
	add(&required, "output_mode", m.OutputMode, true)
	add(&required, "input_preset", m.InputPreset, true)
	add(&required, "timezone", m.Timezone, m.IsScheduled.ValueBool())
	add(&required, "scheduled_at", m.ScheduledAt, m.IsScheduled.ValueBool())

	add(&listed, "input_source_a", m.InputSourceA, pull)
	add(&listed, "input_source_b", m.InputSourceB, pull && ha)
	add(&listed, "output_destination_a", m.OutputDestinationA, push)
	add(&listed, "output_destination_b", m.OutputDestinationB, push && ha)
	add(&listed, "user_id", m.UserID, true)
	add(&listed, "transcoder_id", m.TranscoderID, true)
	add(&listed, "sub_domain_a", m.SubDomainA, true)
	add(&listed, "sub_domain_b", m.SubDomainB, ha)
	add(&listed, "elastic_ip_a", m.ElasticIPA, true)
	add(&listed, "elastic_ip_b", m.ElasticIPB, ha)
	add(&listed, "port", m.Port, true)
	add(&listed, "egress_port", m.EgressPort, true)
	return required, listed
}
