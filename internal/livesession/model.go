package livesession

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

// session has the fields of the service (SERVICE.md, "Sessions"). The data sources use it as it is,
// model adds the provider's own arguments.
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

// newModel returns a model of null values with types: zero values of sets and objects have no type.
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

// preset returns an attribute of input_preset, "" for null.
func (m *session) preset(name string) string {
	value, _ := m.InputPreset.Attributes()[name].(basetypes.StringValue)
	return value.ValueString()
}

// spec returns the arguments of the create request.
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

// fill sets the values of a response. A value that the response lacks stays: create returns fewer
// fields than get, and get fewer than the listing. A value that does not apply to the session is
// null, whether the service sent it as absent, null or "".
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
	keep(&m.Status, canonical(s.Status, statuses))

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
	codec := part("codec", canonical(p.Codec, codecs))
	if codec.IsNull() {
		codec = types.StringValue(codecs[0]) // the default of the argument, too
	}
	m.InputPreset = types.ObjectValueMust(presetTypes, map[string]attr.Value{
		"codec":      codec,
		"resolution": part("resolution", canonical(p.Resolution, resolutions)),
		"bitrate":    part("bitrate", canonical(p.Bitrate, bitrates)),
	})
}

// keep sets a value of a response. If the response lacks it, a known value stays and an unknown one
// becomes null.
func keep(to *types.String, value string) {
	switch {
	case value != "":
		*to = types.StringValue(value)
	case to.IsUnknown() || to.ValueString() == "":
		*to = types.StringNull()
	}
}

// applies is keep for a value that is null unless applicable.
func applies(to *types.String, value string, applicable bool) {
	if !applicable {
		*to = types.StringNull()
		return
	}
	keep(to, value)
}

// keepBool is keep for a flag, whose default is false.
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

// untold names the applicable attributes that no response has set yet: required are arguments
// without which a session cannot be imported, listed are those that the listing may show.
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
	for _, part := range []string{"resolution", "bitrate"} {
		value := types.StringNull()
		keep(&value, m.preset(part))
		add(&required, "input_preset."+part, value, true)
	}
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
