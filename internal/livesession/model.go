package livesession

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

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

	// Set in the configuration only: Terraform removes them from plans and states.
	InputSourceAWO       types.String `tfsdk:"input_source_a_wo"`
	InputSourceBWO       types.String `tfsdk:"input_source_b_wo"`
	OutputDestinationAWO types.String `tfsdk:"output_destination_a_wo"`
	OutputDestinationBWO types.String `tfsdk:"output_destination_b_wo"`
	// URLsWOVersion is set in the state of a session whose URLs are given by write-only arguments.
	URLsWOVersion types.Int64 `tfsdk:"urls_wo_version"`

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

// spec returns the arguments of the create request.
func (m *session) spec() api.SessionSpec {
	return api.SessionSpec{
		Name: m.Name.ValueString(), Region: m.Region.ValueString(),
		Input: m.Input.ValueString(), Mode: m.Mode.ValueString(), OutputMode: m.OutputMode.ValueString(),
		InputPreset: api.InputPreset{
			Codec: m.preset("codec").ValueString(), Resolution: m.preset("resolution").ValueString(), Bitrate: m.preset("bitrate").ValueString(),
		},
		InputSourceA: m.InputSourceA.ValueString(), InputSourceB: m.InputSourceB.ValueString(),
		OutputDestinationA: m.OutputDestinationA.ValueString(), OutputDestinationB: m.OutputDestinationB.ValueString(),
		EnableInputRecord: m.EnableInputRecord.ValueBool(), IsScheduled: m.IsScheduled.ValueBool(),
		Timezone: m.Timezone.ValueString(), ScheduledAt: m.ScheduledAt.ValueString(),
	}
}

// fill sets the values of a response, of the attributes in the list. A value that the response
// lacks stays: create returns fewer fields than get, and get fewer than the listing. A value that
// does not apply to the session is null, whether the service sent it as absent, null or "".
func (m *session) fill(s *api.Session, list []attribute) {
	for _, a := range list {
		if a.applies(m).ValueBool() {
			a.read(m, s, a.values)
		} else {
			a.clear(m)
		}
	}
}

// writeOnly reports whether the value of an argument is given by its write-only twin, so that the
// state must not have it.
func (m *model) writeOnly(a attribute) bool {
	return a.twin != nil && !m.URLsWOVersion.IsNull() && a.value(&m.session).IsNull()
}

// untold names the applicable attributes that no response has set yet, except for values that the
// state must not have: required are arguments without which a session cannot be imported, listed are
// those that the listing may show.
func (m *model) untold() (required, listed []string) {
	missing := func(a attribute) bool {
		value := a.value(&m.session)
		return (value.IsNull() || value.IsUnknown()) && a.applies(&m.session).ValueBool() && !m.writeOnly(a)
	}
	for _, a := range arguments {
		if !a.listed && a.name != "input_preset" && missing(a) {
			required = append(required, a.name)
		}
	}
	for _, part := range presetParts {
		if m.preset(part.name).ValueString() == "" && part.name != "codec" { // codec has a default
			required = append(required, "input_preset."+part.name)
		}
	}
	for _, a := range attributes {
		if a.listed && missing(a) {
			listed = append(listed, a.name)
		}
	}
	return required, listed
}

// given returns the planned session with the URLs of the configuration's write-only arguments. The
// name is that of the configuration, too: the plan may have it with escapes, as the service's.
func (m *model) given(config *model) session {
	s := m.session
	s.Name = config.Name
	for _, a := range arguments {
		if a.twin != nil && !a.twin(config).IsNull() {
			*a.at(&s) = *a.twin(config)
		}
	}
	return s
}
