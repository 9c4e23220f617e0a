package livesession

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/localtime"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/streamurl"
)

// attribute describes one attribute of a session for the schemas, the mappings between Terraform
// and the API, the comparisons and the rules.
type attribute struct {
	name, description            string
	required, optional, computed bool // in the schema of the resource

	access
	listed    bool // only the listing is sure to have the value
	sensitive bool // the value has a stream key
	// needs are the conditions under which the attribute applies: an argument must be set exactly
	// when all hold, and a computed value is null otherwise.
	needs []condition

	// For arguments only:
	rule  string                     // ends the description of the argument
	valid []validator.String         // rules for the value of a string
	same  func(a, b string) bool     // compares two values by their meaning, nil: only equal ones are the same
	twin  func(*model) *types.String // the write-only argument that can be set instead, nil without one
}

// arguments are the attributes that a create request has. Those of a condition come first.
var arguments = []attribute{
	{
		name: "name", required: true,
		description: "Name of the session.",
		access:      text(func(m *session) *types.String { return &m.Name }),
		valid:       rules(notBlank, stringvalidator.LengthAtMost(api.TextLimit)), same: api.SameText,
	},
	{
		name: "region", required: true,
		description: "Region, one of those allocated to the account, which the data source `vodlive_regions` lists.",
		access:      text(func(m *session) *types.String { return &m.Region }),
		valid:       rules(notBlank), same: strings.EqualFold,
	},
	{
		name: "input", required: true,
		description: "`RTMP_PUSH` or `RTMPS_PUSH`: your encoder sends the stream to `input_endpoint_a`. `RTMP_PULL` or " +
			"`RTMPS_PULL`: the service fetches it from `input_source_a`.",
		access: text(func(m *session) *types.String { return &m.Input }),
		valid:  rules(oneOf(directions...)),
	},
	{
		name: "mode", required: true,
		description: "`NORM`: one pipeline. `HA`: a main and a backup pipeline. On failure your client switches between them, not the service.",
		access:      text(func(m *session) *types.String { return &m.Mode }),
		valid:       rules(oneOf(modes...)),
	},
	{
		name: "output_mode", required: true,
		description: "`RTMP_PULL` or `RTMPS_PULL`: players fetch the stream from `output_endpoint_a`. `RTMP_PUSH` or " +
			"`RTMPS_PUSH`: the service sends it to `output_destination_a`.",
		access: text(func(m *session) *types.String { return &m.OutputMode }),
		valid:  rules(oneOf(directions...)),
	},
	{
		name: "input_preset", required: true,
		description: "Codec and limits of the input.",
		access:      preset(),
	},
	optionalURL("input_source_a", "`rtmp://` or `rtmps://` URL from which the service fetches the stream.", "Required with a PULL `input`.",
		func(m *session) *types.String { return &m.InputSourceA }, func(m *model) *types.String { return &m.InputSourceAWO }, pullIn),
	optionalURL("input_source_b", "As `input_source_a`, for the backup pipeline.", "Required with a PULL `input` and mode `HA`.",
		func(m *session) *types.String { return &m.InputSourceB }, func(m *model) *types.String { return &m.InputSourceBWO }, pullIn, ha),
	optionalURL("output_destination_a", "`rtmp://` or `rtmps://` URL to which the service sends the stream.", "Required with a PUSH `output_mode`.",
		func(m *session) *types.String { return &m.OutputDestinationA }, func(m *model) *types.String { return &m.OutputDestinationAWO }, pushOut),
	optionalURL("output_destination_b", "As `output_destination_a`, for the backup pipeline.", "Required with a PUSH `output_mode` and mode `HA`.",
		func(m *session) *types.String { return &m.OutputDestinationB }, func(m *model) *types.String { return &m.OutputDestinationBWO }, pushOut, ha),
	{
		name: "enable_input_record", optional: true, computed: true,
		description: "Whether to record the input, for a download after the session has completed.",
		access:      field(func(m *session) *types.Bool { return &m.EnableInputRecord }, types.BoolValue(false), types.BoolUnknown()),
	},
	{
		name: "is_scheduled", optional: true, computed: true,
		description: "Whether the session starts at `scheduled_at`.",
		access:      field(func(m *session) *types.Bool { return &m.IsScheduled }, types.BoolValue(false), types.BoolUnknown()),
	},
	{
		name: "timezone", optional: true,
		description: "Time zone of `scheduled_at`, a name of the tz database such as `Europe/Berlin`.",
		rule:        " Required with `is_scheduled`.",
		access:      text(func(m *session) *types.String { return &m.Timezone }), needs: []condition{scheduled},
		valid: rules(providerdata.StringRule{Allowed: localtime.ZoneRule, Problem: localtime.ZoneProblem}), same: localtime.SameZone,
	},
	{
		name: "scheduled_at", optional: true,
		description: "Start of the session, `YYYY-MM-DD HH:MM` in `timezone`.",
		rule: " Required with `is_scheduled`. A time that a clock change skips is an error, " +
			"and so is a time in the past when the session is created. The function `format_scheduled_at` converts an RFC 3339 time.",
		access: text(func(m *session) *types.String { return &m.ScheduledAt }), needs: []condition{scheduled},
		valid: rules(localTime), same: sameClock,
	},
}

// computed are the attributes that the service sets.
var computed = []attribute{
	computedText("id", "Id of the session.",
		func(m *session) *types.String { return &m.ID }),
	computedText("status", "Status when last read: `PENDING`, `PROVISIONING`, `ALLOCATED`, `READY`, `STOPPING`, `STOPPED`, "+
		"`TERMINATED`, `ERROR`, `SCHEDULED` or `CANCELLED`. Status changes never show up as a diff.",
		func(m *session) *types.String { return &m.Status }),
	computedURL("input_endpoint_a", "URL to which the encoder sends the stream. Set with a PUSH `input`.",
		func(m *session) *types.String { return &m.InputEndpointA }, pushIn),
	computedURL("input_endpoint_b", "As `input_endpoint_a`, for the backup pipeline. Set with a PUSH `input` and mode `HA`.",
		func(m *session) *types.String { return &m.InputEndpointB }, pushIn, ha),
	computedURL("output_endpoint_a", "URL from which players fetch the stream. Set with a PULL `output_mode`.",
		func(m *session) *types.String { return &m.OutputEndpointA }, pullOut),
	computedURL("output_endpoint_b", "As `output_endpoint_a`, for the backup pipeline. Set with a PULL `output_mode` and mode `HA`.",
		func(m *session) *types.String { return &m.OutputEndpointB }, pullOut, ha),
	onlyListed(computedText("user_id", "Id of its creator.",
		func(m *session) *types.String { return &m.UserID })),
	onlyListed(computedText("transcoder_id", "Id of the transcoder preset.",
		func(m *session) *types.String { return &m.TranscoderID })),
	onlyListed(computedText("sub_domain_a", "Domain name of the session.",
		func(m *session) *types.String { return &m.SubDomainA })),
	onlyListed(computedText("sub_domain_b", "Domain name of the backup pipeline. Set with mode `HA`.",
		func(m *session) *types.String { return &m.SubDomainB }, ha)),
	onlyListed(computedText("elastic_ip_a", "IP address, for firewall rules. Null until allocated: a scheduled session may get it only when it starts.",
		func(m *session) *types.String { return &m.ElasticIPA })),
	onlyListed(computedText("elastic_ip_b", "IP address of the backup pipeline. Set with mode `HA`.",
		func(m *session) *types.String { return &m.ElasticIPB }, ha)),
	onlyListed(computedInteger("port", "Port that the service allocated; its documentation does not say for which direction. Null until allocated.",
		func(m *session) *types.Int64 { return &m.Port })),
	onlyListed(computedInteger("egress_port", "Egress port that the service allocated. Null until allocated.",
		func(m *session) *types.Int64 { return &m.EgressPort })),
}

// attributes in the order in which a response is read: the arguments decide which others apply.
var attributes = slices.Concat(arguments, computed)

// presetParts are the arguments in input_preset, all strings. Their access is that of input_preset.
var presetParts = []attribute{
	{
		name: "codec", optional: true, computed: true,
		description: "Video codec: `H264`.", valid: rules(oneOf(codecs...)), access: access{none: types.StringValue("H264")},
	},
	{name: "resolution", required: true, description: "Maximum resolution: `SD`, `HD` or `FULL_HD`.", valid: rules(oneOf(resolutions...))},
	{name: "bitrate", required: true, description: "Maximum bit rate: `MAX_10_MBPS` or `MAX_20_MBPS`.", valid: rules(oneOf(bitrates...))},
}

// optionalURL is the URL of a stream that the service fetches or sends.
func optionalURL(name, description, rule string, at func(*session) *types.String, twin func(*model) *types.String, needs ...condition) attribute {
	return attribute{
		name: name, optional: true, description: description, rule: " " + rule,
		access: text(at), needs: needs, sensitive: true, listed: true, valid: rules(streamURL), same: streamurl.Same, twin: twin,
	}
}

// computedURL is a URL that the service generates.
func computedURL(name, description string, at func(*session) *types.String, needs ...condition) attribute {
	a := computedText(name, description, at, needs...)
	a.sensitive = true
	return a
}

func computedText(name, description string, at func(*session) *types.String, needs ...condition) attribute {
	return attribute{name: name, computed: true, description: description, access: text(at), needs: needs}
}

func computedInteger(name, description string, at func(*session) *types.Int64) attribute {
	return attribute{name: name, computed: true, description: description, access: field(at, types.Int64Null(), types.Int64Unknown())}
}

func onlyListed(a attribute) attribute {
	a.listed = true
	return a
}

func rules(list ...validator.String) []validator.String { return list }

// access reads and writes the value of an attribute.
type access struct {
	value func(*session) attr.Value
	copy  func(to, from *session)
	clear func(*session) // sets the value to none
	open  func(*session) // sets the value to unknown
	none  attr.Value     // the value of a session for which none is known: null, or the default
}

func field[T attr.Value](at func(*session) *T, none, unknown T) access {
	return access{
		value: func(m *session) attr.Value { return *at(m) },
		copy:  func(to, from *session) { *at(to) = *at(from) },
		clear: func(m *session) { *at(m) = none },
		open:  func(m *session) { *at(m) = unknown },
		none:  none,
	}
}

func text(at func(*session) *types.String) access {
	return field(at, types.StringNull(), types.StringUnknown())
}

// preset keeps the parts that a response lacks.
func preset() access {
	a := field(func(m *session) *types.Object { return &m.InputPreset }, types.ObjectNull(presetTypes), types.ObjectUnknown(presetTypes))
	a.copy = func(to, from *session) {
		parts := map[string]attr.Value{}
		for _, part := range presetParts {
			byDefault, _ := part.none.(types.String)
			parts[part.name] = cmp.Or(from.preset(part.name), to.preset(part.name), byDefault)
		}
		to.InputPreset = types.ObjectValueMust(presetTypes, parts)
	}
	return a
}

// condition is that an argument has one of the values in, and not one of the others.
type condition struct {
	argument   string
	value      func(*session) types.String
	in, others []string
}

// The conditions of the service (SERVICE.md, "Sessions").
var (
	pullIn    = condition{"input", func(m *session) types.String { return m.Input }, pullValues, pushValues}
	pushIn    = condition{"input", func(m *session) types.String { return m.Input }, pushValues, pullValues}
	pullOut   = condition{"output_mode", func(m *session) types.String { return m.OutputMode }, pullValues, pushValues}
	pushOut   = condition{"output_mode", func(m *session) types.String { return m.OutputMode }, pushValues, pullValues}
	ha        = condition{"mode", func(m *session) types.String { return m.Mode }, []string{modeHA}, []string{modeNORM}}
	scheduled = condition{"is_scheduled", func(m *session) types.String { return boolText(m.IsScheduled) }, []string{"true"}, []string{"false"}}
)

// boolText returns a bool with the default false as text.
func boolText(b types.Bool) types.String {
	if b.IsUnknown() {
		return types.StringUnknown()
	}
	return types.StringValue(strconv.FormatBool(b.ValueBool()))
}

// holds is unknown if the value is, or is none of the known ones. A required argument that is null
// is not judged: Terraform itself reports that it is missing.
func (c condition) holds(m *session) types.Bool {
	switch value := c.value(m).ValueString(); {
	case slices.Contains(c.in, value):
		return types.BoolValue(true)
	case slices.Contains(c.others, value):
		return types.BoolValue(false)
	}
	return types.BoolUnknown()
}

// set is what to write so that the condition holds, and otherwise so that it does not.
func (c condition) set(holds bool) string {
	values := c.others
	if holds {
		values = c.in
	}
	return fmt.Sprintf("`%s` to %s", c.argument, enumerate(values, "or"))
}

func (c condition) String() string {
	return fmt.Sprintf("`%s` is %s", c.argument, enumerate(c.in, "or"))
}

// applies returns whether all conditions hold: false if one does not hold, even if others are
// unknown.
func (a attribute) applies(m *session) types.Bool {
	all := types.BoolValue(true)
	for _, c := range a.needs {
		switch holds := c.holds(m); {
		case holds.IsUnknown():
			all = holds
		case !holds.ValueBool():
			return holds
		}
	}
	return all
}

// equal reports whether two values of the argument have the same meaning.
func (a attribute) equal(x, y attr.Value) bool {
	if x.Equal(y) {
		return true
	}
	one, text := x.(types.String)
	other, _ := y.(types.String)
	known := !one.IsNull() && !one.IsUnknown() && !other.IsNull() && !other.IsUnknown()
	return text && a.same != nil && known && a.same(one.ValueString(), other.ValueString())
}

// differing returns the arguments whose values do not have the same meaning.
func differing(one, other *session) (list []attribute) {
	for _, a := range arguments {
		if !a.equal(a.value(one), a.value(other)) {
			list = append(list, a)
		}
	}
	return list
}
