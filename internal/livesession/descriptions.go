package livesession

// descriptions are what the attributes mean, wherever they appear: resource,
// data sources, list resource.
var descriptions = map[string]string{
	"id":     "The session's id, made by the service.",
	"name":   "Name of the session. Not blank.",
	"region": "Region in which the session runs: one of those allocated to the account, which the data source `vodlive_regions` lists.",
	"input": "How the stream comes in: `RTMP_PUSH` or `RTMPS_PUSH` (the encoder sends to `input_endpoint_a`), `RTMP_PULL` or " +
		"`RTMPS_PULL` (the service fetches from `input_source_a`).",
	"mode": "`NORM`: one pipeline. `HA`: two, a main and a backup one; whoever plays the stream switches between them on failure.",
	"output_mode": "How the stream goes out: `RTMP_PULL` or `RTMPS_PULL` (players fetch from `output_endpoint_a`), `RTMP_PUSH` or " +
		"`RTMPS_PUSH` (the service sends to `output_destination_a`).",
	"input_preset": "What the incoming stream may be.",
	"codec":        "Video codec: `H264`.",
	"resolution":   "Largest picture: `SD`, `HD` or `FULL_HD`.",
	"bitrate":      "Largest bit rate: `MAX_10_MBPS` or `MAX_20_MBPS`.",

	"input_source_a":       "`rtmp://` or `rtmps://` URL from which the service fetches the stream. Its path may carry a stream key.",
	"input_source_b":       "`rtmp://` or `rtmps://` URL from which the backup pipeline fetches the stream. Its path may carry a stream key.",
	"output_destination_a": "`rtmp://` or `rtmps://` URL to which the service sends the stream. Its path may carry a stream key.",
	"output_destination_b": "`rtmp://` or `rtmps://` URL to which the backup pipeline sends the stream. Its path may carry a stream key.",

	"enable_input_record": "Whether the incoming stream is recorded; the recording can be downloaded after the session has completed.",
	"is_scheduled":        "Whether the session starts at a set time: `scheduled_at` in `timezone`.",
	"timezone":            "Name of the tz database, such as `Europe/Berlin`, in which `scheduled_at` is meant.",
	"scheduled_at":        "Start, as a local time `YYYY-MM-DD HH:MM` in `timezone`.",

	"status": "Status of the session when it was last read: `PENDING`, `PROVISIONING`, `ALLOCATED`, `READY`, `STOPPING`, `STOPPED`, " +
		"`TERMINATED`, `ERROR`, `SCHEDULED` or `CANCELLED`. Status changes never show up as a diff.",
	"input_endpoint_a":  "URL to which the encoder sends, with a PUSH `input`. Its path carries a stream key.",
	"input_endpoint_b":  "URL to which the encoder sends for the backup pipeline, with a PUSH `input` and mode `HA`. Its path carries a stream key.",
	"output_endpoint_a": "URL from which the stream is played, with a PULL `output_mode`. Its path carries a stream key.",
	"output_endpoint_b": "URL from which the stream of the backup pipeline is played, with a PULL `output_mode` and mode `HA`. Its path carries a stream key.",

	"user_id":       "Id of the user who created the session.",
	"transcoder_id": "Id of the transcoder preset that the session uses.",
	"sub_domain_a":  "Domain name of the session.",
	"sub_domain_b":  "Domain name of the backup pipeline, with mode `HA`.",
	"elastic_ip_a":  "IP address allocated to the session, for firewall rules. Null until the service has allocated one.",
	"elastic_ip_b":  "IP address allocated to the backup pipeline, with mode `HA`.",
	"port":          "Port allocated to the session, for firewall rules. Null until the service has allocated one.",
	"egress_port":   "Port from which the stream goes out, for firewall rules. Null until the service has allocated one.",
}

// rules say when an optional argument applies.
var rules = map[string]string{
	"input_source_a":       " Required with a PULL `input`, not allowed with a PUSH one.",
	"input_source_b":       " Required with a PULL `input` and mode `HA`, not allowed otherwise.",
	"output_destination_a": " Required with a PUSH `output_mode`, not allowed with a PULL one.",
	"output_destination_b": " Required with a PUSH `output_mode` and mode `HA`, not allowed otherwise.",
	"timezone":             " Required when `is_scheduled` is true, not allowed otherwise.",
	"scheduled_at": " Required when `is_scheduled` is true, not allowed otherwise. A time that a clock change skips is an error, " +
		"and so is one in the past when the session is about to be created. The function `schedule` makes one from an RFC 3339 time.",
}
