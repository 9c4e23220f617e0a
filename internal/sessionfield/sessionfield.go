// Package sessionfield has the only list of the fields of a live session (SERVICE.md, "Sessions").
// The request and the decoder of package api, and the attributes of package livesession, are made
// from it.
package sessionfield

import (
	"slices"
	"strings"
)

// Field is one field of a session.
type Field struct {
	Name, Description string
	Kind              Kind
	// An argument is Required or Optional. A Computed field has a value that the service, or
	// Default, sets.
	Required, Optional, Computed bool

	Rule    string   // ends the description of an argument
	Default string   // of an argument that is optional and computed
	Values  []string // of a Choice
	Parts   []Field  // of a Group: all are texts
	Listed  bool     // only the listing is sure to have the value
	// Needs are the conditions under which the field applies: an argument must be set exactly when
	// all hold, and a computed value is null otherwise.
	Needs []Condition
}

// Kind says what the values of a field are.
type Kind int

// The kinds of fields.
const (
	Text      Kind = iota // a text of the service
	Name                  // a free text of the user
	Choice                // one of Values; the service may write it in another letter case
	Region                // the name of a region, in any letter case
	URL                   // of a stream: its path carries a key, so it is a secret
	Zone                  // a name of the tz database
	LocalTime             // YYYY-MM-DD HH:MM in the time zone of the session
	Flag                  // true or false
	Number                // an integer, of which 0 means none
	Group                 // an object of Parts
)

// Condition is that an argument has one of the values In, and not one of Others.
type Condition struct {
	Argument   string
	In, Others []string
}

// Values of mode.
const (
	HA   = "HA"
	NORM = "NORM"
)

var (
	// Directions are the values of input. output_mode takes them, too: the service documents only
	// the two PULL values for it, but has rules for the PUSH values.
	Directions = []string{"RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH", "RTMPS_PULL"}
	// Modes are the values of mode.
	Modes = []string{HA, NORM}
	// Statuses are those that the service documents. It may add others.
	Statuses = []string{
		"PENDING", "PROVISIONING", "ALLOCATED", "READY", "STOPPING", "STOPPED",
		"TERMINATED", "ERROR", "SCHEDULED", "CANCELLED",
	}

	pulls  = []string{"RTMP_PULL", "RTMPS_PULL"}
	pushes = []string{"RTMP_PUSH", "RTMPS_PUSH"}
)

// The conditions of the service.
var (
	pullIn    = Condition{"input", pulls, pushes}
	pushIn    = Condition{"input", pushes, pulls}
	pullOut   = Condition{"output_mode", pulls, pushes}
	pushOut   = Condition{"output_mode", pushes, pulls}
	ha        = Condition{"mode", []string{HA}, []string{NORM}}
	scheduled = Condition{"is_scheduled", []string{"true"}, []string{"false"}}
)

// Arguments are the fields of a create request, in the order in which configurations have them.
// Those of a condition come before the fields that need it.
var Arguments = []Field{
	{Name: "name", Kind: Name, Required: true, Description: "Name of the session."},
	{
		Name: "region", Kind: Region, Required: true,
		Description: "Region. The data source `vodlive_regions` lists those of the account.",
	},
	{
		Name: "input", Kind: Choice, Values: Directions, Required: true,
		Description: "`RTMP_PUSH` or `RTMPS_PUSH`: your encoder sends the stream to `input_endpoint_a`. `RTMP_PULL` or " +
			"`RTMPS_PULL`: the service fetches it from `input_source_a`.",
	},
	{
		Name: "mode", Kind: Choice, Values: Modes, Required: true,
		Description: "`NORM`: one pipeline. `HA`: a main and a backup pipeline. On failure your client switches between them, not the service.",
	},
	{
		Name: "output_mode", Kind: Choice, Values: Directions, Required: true, Listed: true,
		Description: "`RTMP_PULL` or `RTMPS_PULL`: players fetch the stream from `output_endpoint_a`. `RTMP_PUSH` or " +
			"`RTMPS_PUSH`: the service sends it to `output_destination_a`.",
	},
	{
		Name: "input_preset", Kind: Group, Required: true, Description: "Codec and limits of the input.",
		Parts: []Field{
			{Name: "codec", Kind: Choice, Values: []string{"H264"}, Optional: true, Computed: true, Default: "H264", Description: "Video codec: `H264`."},
			{
				Name: "resolution", Kind: Choice, Values: []string{"SD", "HD", "FULL_HD"}, Required: true,
				Description: "Maximum resolution: `SD`, `HD` or `FULL_HD`.",
			},
			{
				Name: "bitrate", Kind: Choice, Values: []string{"MAX_10_MBPS", "MAX_20_MBPS"}, Required: true,
				Description: "Maximum bit rate: `MAX_10_MBPS` or `MAX_20_MBPS`.",
			},
		},
	},
	{
		Name: "input_source_a", Kind: URL, Optional: true, Listed: true, Needs: []Condition{pullIn},
		Description: "`rtmp://` or `rtmps://` URL from which the service fetches the stream.", Rule: " Required with a PULL `input`.",
	},
	{
		Name: "input_source_b", Kind: URL, Optional: true, Listed: true, Needs: []Condition{pullIn, ha},
		Description: "As `input_source_a`, for the backup pipeline.", Rule: " Required with a PULL `input` and mode `HA`.",
	},
	{
		Name: "output_destination_a", Kind: URL, Optional: true, Listed: true, Needs: []Condition{pushOut},
		Description: "`rtmp://` or `rtmps://` URL to which the service sends the stream.", Rule: " Required with a PUSH `output_mode`.",
	},
	{
		Name: "output_destination_b", Kind: URL, Optional: true, Listed: true, Needs: []Condition{pushOut, ha},
		Description: "As `output_destination_a`, for the backup pipeline.", Rule: " Required with a PUSH `output_mode` and mode `HA`.",
	},
	{
		Name: "enable_input_record", Kind: Flag, Optional: true, Computed: true, Default: "false",
		Description: "Whether to record the input, for a download after the session has completed.",
	},
	{
		Name: "is_scheduled", Kind: Flag, Optional: true, Computed: true, Default: "false",
		Description: "Whether the session starts at `scheduled_at`.",
	},
	{
		Name: "timezone", Kind: Zone, Optional: true, Needs: []Condition{scheduled},
		Description: "Time zone of `scheduled_at`, a name of the tz database such as `Europe/Berlin`.", Rule: " Required with `is_scheduled`.",
	},
	{
		Name: "scheduled_at", Kind: LocalTime, Optional: true, Needs: []Condition{scheduled},
		Description: "Start of the session, `YYYY-MM-DD HH:MM` in `timezone`.",
		Rule: " Required with `is_scheduled`. A time that a clock change skips is an error, " +
			"and so is a time in the past when the session is created. The function `format_scheduled_at` converts an RFC 3339 time.",
	},
}

// Computed are the fields that the service sets.
var Computed = []Field{
	{Name: "id", Computed: true, Description: "Id of the session."},
	{
		Name: "status", Kind: Choice, Values: Statuses, Computed: true,
		Description: "Status when last read, such as `READY`.",
	},
	{
		Name: "input_endpoint_a", Kind: URL, Computed: true, Needs: []Condition{pushIn},
		Description: "URL to which the encoder sends the stream. Set with a PUSH `input`.",
	},
	{
		Name: "input_endpoint_b", Kind: URL, Computed: true, Needs: []Condition{pushIn, ha},
		Description: "As `input_endpoint_a`, for the backup pipeline. Set with a PUSH `input` and mode `HA`.",
	},
	{
		Name: "output_endpoint_a", Kind: URL, Computed: true, Needs: []Condition{pullOut},
		Description: "URL from which players fetch the stream. Set with a PULL `output_mode`.",
	},
	{
		Name: "output_endpoint_b", Kind: URL, Computed: true, Needs: []Condition{pullOut, ha},
		Description: "As `output_endpoint_a`, for the backup pipeline. Set with a PULL `output_mode` and mode `HA`.",
	},
	{Name: "user_id", Computed: true, Listed: true, Description: "Id of its creator."},
	{Name: "transcoder_id", Computed: true, Listed: true, Description: "Id of the transcoder preset."},
	{Name: "sub_domain_a", Computed: true, Listed: true, Description: "Domain name of the session."},
	{
		Name: "sub_domain_b", Computed: true, Listed: true, Needs: []Condition{ha},
		Description: "Domain name of the backup pipeline. Set with mode `HA`.",
	},
	{
		Name: "elastic_ip_a", Computed: true, Listed: true,
		Description: "IP address of the session. Null until allocated: a scheduled session may get it only when it starts.",
	},
	{
		Name: "elastic_ip_b", Computed: true, Listed: true, Needs: []Condition{ha},
		Description: "As `elastic_ip_a`, for the backup pipeline. Set with mode `HA`.",
	},
	{Name: "port", Kind: Number, Computed: true, Listed: true, Description: "Port of the session. Null until allocated."},
	{Name: "egress_port", Kind: Number, Computed: true, Listed: true, Description: "Egress port of the session. Null until allocated."},
}

// All has the arguments first: they decide which other fields apply.
var All = slices.Concat(Arguments, Computed)

// WriteOnly ends the name of an argument that is the write-only twin of another one.
const WriteOnly = "_wo"

// HasTwin reports whether an argument has a write-only twin.
func (f Field) HasTwin() bool { return f.Kind == URL && f.Optional }

// Canonical returns the element of values that equals value without regard to letter case, else
// value.
func Canonical(value string, values []string) string {
	for _, v := range values {
		if strings.EqualFold(v, value) {
			return v
		}
	}
	return value
}
