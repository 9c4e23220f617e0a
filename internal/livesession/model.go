package livesession

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
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

type model struct {
	session

	// Set in the configuration only: Terraform removes them from plans and states.
	InputSourceAWO       types.String `tfsdk:"input_source_a_wo"`
	InputSourceBWO       types.String `tfsdk:"input_source_b_wo"`
	OutputDestinationAWO types.String `tfsdk:"output_destination_a_wo"`
	OutputDestinationBWO types.String `tfsdk:"output_destination_b_wo"`
	// URLsWOVersion is set in the state of a session whose URLs are given by write-only arguments.
	URLsWOVersion types.Int64 `tfsdk:"urls_wo_version"`

	WaitForStatus      types.Set      `tfsdk:"wait_for_status"`
	ReplaceOnStatus    types.Set      `tfsdk:"replace_on_status"`
	DeletionProtection types.Bool     `tfsdk:"deletion_protection"`
	EndpointsInState   types.Bool     `tfsdk:"endpoints_in_state"` // null: true
	Timeouts           timeouts.Value `tfsdk:"timeouts"`
}

// newModel returns a model of null values with types: zero values of sets and objects have no type.
func newModel() model {
	return model{
		session:         newSession(),
		WaitForStatus:   types.SetNull(types.StringType),
		ReplaceOnStatus: types.SetNull(types.StringType),
		Timeouts:        timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{"create": types.StringType, "update": types.StringType})},
	}
}

func newSession() session { return session{InputPreset: types.ObjectNull(presetTypes)} }

// preset returns an attribute of input_preset, null if there is none.
func (m *session) preset(name string) types.String {
	value, _ := m.InputPreset.Attributes()[name].(types.String)
	return value
}

var presetTypes = map[string]attr.Type{"codec": types.StringType, "resolution": types.StringType, "bitrate": types.StringType}

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

// received returns the values of a response, null for those that it lacks. The service may write
// the values of a fixed set in another letter case.
func received(s *api.Session) session {
	text := providerdata.TextOrNull
	number := func(n *int64) types.Int64 { // 0 stands for none, as "" does for a text
		if n == nil || *n == 0 {
			return types.Int64Null()
		}
		return types.Int64Value(*n)
	}
	m := newSession()
	if p := s.InputPreset; p != (api.InputPreset{}) {
		m.InputPreset = types.ObjectValueMust(presetTypes, map[string]attr.Value{
			"codec": text(canonical(p.Codec, codecs)), "resolution": text(canonical(p.Resolution, resolutions)), "bitrate": text(canonical(p.Bitrate, bitrates)),
		})
	}
	m.ID, m.Name, m.Region, m.UserID = text(s.ID), text(s.Name), text(s.Region), text(s.UserID)
	m.Input, m.OutputMode = text(canonical(s.Input, directions)), text(canonical(s.OutputMode, directions))
	m.Mode, m.Status = text(canonical(s.Mode, modes)), text(canonical(s.Status, statuses))
	m.InputSourceA, m.InputSourceB = text(s.InputSourceA), text(s.InputSourceB)
	m.OutputDestinationA, m.OutputDestinationB = text(s.OutputDestinationA), text(s.OutputDestinationB)
	m.EnableInputRecord, m.IsScheduled = types.BoolPointerValue(s.EnableInputRecord), types.BoolPointerValue(s.IsScheduled)
	if s.IsScheduled == nil && s.ScheduledAt != "" {
		m.IsScheduled = types.BoolValue(true) // a response with a start may leave it out
	}
	m.Timezone, m.ScheduledAt = text(s.Timezone), text(s.ScheduledAt)
	m.InputEndpointA, m.InputEndpointB = text(s.InputEndpointA), text(s.InputEndpointB)
	m.OutputEndpointA, m.OutputEndpointB = text(s.OutputEndpointA), text(s.OutputEndpointB)
	m.TranscoderID = text(s.TranscoderID)
	m.SubDomainA, m.SubDomainB = text(s.SubDomainA), text(s.SubDomainB)
	m.ElasticIPA, m.ElasticIPB = text(s.ElasticIPA), text(s.ElasticIPB)
	m.Port, m.EgressPort = number(s.Port), number(s.EgressPort)
	return m
}

// elements are the known strings of a set, sorted.
func elements(set types.Set) []string {
	var items []string
	for _, e := range set.Elements() {
		if s, ok := e.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			items = append(items, s.ValueString())
		}
	}
	slices.Sort(items)
	return items
}
