package livesession_test

// invalid are configurations with exactly what is said of each, as "severity path: summary: detail".
var invalid = []struct {
	name   string
	change config
	want   []string
}{
	{"empty name", config{"name": ""}, []string{
		`error name: Invalid name: "" was given; it must not be blank.`,
	}},
	{"blank name", config{"name": " \t "}, []string{
		`error name: Invalid name: " \t " was given; it must not be blank.`,
	}},
	{"empty region", config{"region": ""}, []string{
		`error region: Invalid region: "" was given; it must not be blank.`,
	}},
	{"blank region", config{"region": "  "}, []string{
		`error region: Invalid region: "  " was given; it must not be blank.`,
	}},
	{"input in lower case", config{"input": "rtmp_push"}, []string{
		`error input: Invalid input: "rtmp_push" was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL". Write "RTMP_PUSH".`,
	}},
	{"input with a hyphen", config{"input": "RTMPS-PUSH"}, []string{
		`error input: Invalid input: "RTMPS-PUSH" was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL". Write "RTMPS_PUSH".`,
	}},
	{"input without a direction", config{"input": "RTMP"}, []string{
		`error input: Invalid input: "RTMP" was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL".`,
	}},
	{"input of another protocol", config{"input": "SRT_PUSH"}, []string{
		`error input: Invalid input: "SRT_PUSH" was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL".`,
	}},
	{"empty input", config{"input": ""}, []string{
		`error input: Invalid input: "" was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL".`,
	}},
	{"mode in lower case", config{"mode": "ha"}, []string{
		`error mode: Invalid mode: "ha" was given; it must be "HA" or "NORM". Write "HA".`,
	}},
	{"mode spelled out", config{"mode": "NORMAL"}, []string{
		`error mode: Invalid mode: "NORMAL" was given; it must be "HA" or "NORM".`,
	}},
	{"empty mode", config{"mode": ""}, []string{
		`error mode: Invalid mode: "" was given; it must be "HA" or "NORM".`,
	}},
	{"output mode with a space", config{"output_mode": "rtmps pull"}, []string{
		`error output_mode: Invalid output_mode: "rtmps pull" was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL". Write "RTMPS_PULL".`,
	}},
	{"output mode of another protocol", config{"output_mode": "HLS"}, []string{
		`error output_mode: Invalid output_mode: "HLS" was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL".`,
	}},
	{"output mode with a trailing space", config{"output_mode": "RTMP_PULL "}, []string{
		`error output_mode: Invalid output_mode: "RTMP_PULL " was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL". Write "RTMP_PULL".`,
	}},
	{"empty output mode", config{"output_mode": ""}, []string{
		`error output_mode: Invalid output_mode: "" was given; it must be "RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH" or "RTMPS_PULL".`,
	}},
	{"codec in lower case", config{"input_preset": config{"codec": "h264"}}, []string{
		`error input_preset.codec: Invalid input_preset.codec: "h264" was given; it must be "H264". Write "H264".`,
	}},
	{"codec with a dot", config{"input_preset": config{"codec": "H.264"}}, []string{
		`error input_preset.codec: Invalid input_preset.codec: "H.264" was given; it must be "H264". Write "H264".`,
	}},
	{"another codec", config{"input_preset": config{"codec": "H265"}}, []string{
		`error input_preset.codec: Invalid input_preset.codec: "H265" was given; it must be "H264".`,
	}},
	{"empty codec", config{"input_preset": config{"codec": ""}}, []string{
		`error input_preset.codec: Invalid input_preset.codec: "" was given; it must be "H264".`,
	}},
	{"resolution in lines", config{"input_preset": config{"resolution": "1080p"}}, []string{
		`error input_preset.resolution: Invalid input_preset.resolution: "1080p" was given; it must be "SD", "HD" or "FULL_HD".`,
	}},
	{"resolution with a space", config{"input_preset": config{"resolution": "Full HD"}}, []string{
		`error input_preset.resolution: Invalid input_preset.resolution: "Full HD" was given; it must be "SD", "HD" or "FULL_HD". Write "FULL_HD".`,
	}},
	{"resolution 4K", config{"input_preset": config{"resolution": "4K"}}, []string{
		`error input_preset.resolution: Invalid input_preset.resolution: "4K" was given; it must be "SD", "HD" or "FULL_HD".`,
	}},
	{"bitrate too high", config{"input_preset": config{"bitrate": "MAX_50_MBPS"}}, []string{
		`error input_preset.bitrate: Invalid input_preset.bitrate: "MAX_50_MBPS" was given; it must be "MAX_10_MBPS" or "MAX_20_MBPS".`,
	}},
	{"bitrate with spaces", config{"input_preset": config{"bitrate": "max 10 mbps"}}, []string{
		`error input_preset.bitrate: Invalid input_preset.bitrate: "max 10 mbps" was given; it must be "MAX_10_MBPS" or "MAX_20_MBPS". Write "MAX_10_MBPS".`,
	}},
	{"bitrate as a number", config{"input_preset": config{"bitrate": "10"}}, []string{
		`error input_preset.bitrate: Invalid input_preset.bitrate: "10" was given; it must be "MAX_10_MBPS" or "MAX_20_MBPS".`,
	}},
	{"pull without a source", config{"input": "RTMP_PULL"}, []string{
		"error input_source_a: input_source_a is missing: `input_source_a` is required when `input` is RTMP_PULL or RTMPS_PULL. It is not set, and here `input` is RTMP_PULL. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"secure pull without a source", config{"input": "RTMPS_PULL"}, []string{
		"error input_source_a: input_source_a is missing: `input_source_a` is required when `input` is RTMP_PULL or RTMPS_PULL. It is not set, and here `input` is RTMPS_PULL. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"pull in HA without sources", config{"input": "RTMP_PULL", "mode": "HA"}, []string{
		"error input_source_a: input_source_a is missing: `input_source_a` is required when `input` is RTMP_PULL or RTMPS_PULL. It is not set, and here `input` is RTMP_PULL. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
		"error input_source_b: input_source_b is missing: `input_source_b` is required when `input` is RTMP_PULL or RTMPS_PULL and `mode` is HA. It is not set, and here `input` is RTMP_PULL and `mode` is HA. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"pull in HA without a second source", config{"input": "RTMPS_PULL", "mode": "HA", "input_source_a": source}, []string{
		"error input_source_b: input_source_b is missing: `input_source_b` is required when `input` is RTMP_PULL or RTMPS_PULL and `mode` is HA. It is not set, and here `input` is RTMPS_PULL and `mode` is HA. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"pull in HA without a first source", config{"input": "RTMP_PULL", "mode": "HA", "input_source_b": source}, []string{
		"error input_source_a: input_source_a is missing: `input_source_a` is required when `input` is RTMP_PULL or RTMPS_PULL. It is not set, and here `input` is RTMP_PULL. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"push with a source", config{"input_source_a": source}, []string{
		"error input_source_a: input_source_a does not apply: `input_source_a` may only be set when `input` is RTMP_PULL or RTMPS_PULL. It is set, and here `input` is RTMP_PUSH. Remove `input_source_a`.",
	}},
	{"push with an empty source", config{"input_source_a": ""}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) is an empty string, which is not the same as null; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
		"error input_source_a: input_source_a does not apply: `input_source_a` may only be set when `input` is RTMP_PULL or RTMPS_PULL. It is set, and here `input` is RTMP_PUSH. Remove `input_source_a`, or write null: an empty string counts as set.",
	}},
	{"secure push in HA with sources", config{"input": "RTMPS_PUSH", "mode": "HA", "input_source_a": source, "input_source_b": source2}, []string{
		"error input_source_a: input_source_a does not apply: `input_source_a` may only be set when `input` is RTMP_PULL or RTMPS_PULL. It is set, and here `input` is RTMPS_PUSH. Remove `input_source_a`.",
		"error input_source_b: input_source_b does not apply: `input_source_b` may only be set when `input` is RTMP_PULL or RTMPS_PULL and `mode` is HA. It is set, and here `input` is RTMPS_PUSH and `mode` is HA. Remove `input_source_b`.",
	}},
	{"pull in NORM with a second source", config{"input": "RTMP_PULL", "input_source_a": source, "input_source_b": source2}, []string{
		"error input_source_b: input_source_b does not apply: `input_source_b` may only be set when `input` is RTMP_PULL or RTMPS_PULL and `mode` is HA. It is set, and here `input` is RTMP_PULL and `mode` is NORM. Remove `input_source_b`.",
	}},
	{"push with a second source that is not known yet, and a mode that is", config{"input_source_b": source, "mode": unknown{}}, []string{
		"error input_source_b: input_source_b does not apply: `input_source_b` may only be set when `input` is RTMP_PULL or RTMPS_PULL and `mode` is HA. It is set, and here `input` is RTMP_PUSH. Remove `input_source_b`.",
	}},
	{"second source in NORM with an input that is not known yet", config{"input_source_b": source, "input": unknown{}}, []string{
		"error input_source_b: input_source_b does not apply: `input_source_b` may only be set when `input` is RTMP_PULL or RTMPS_PULL and `mode` is HA. It is set, and here `mode` is NORM. Remove `input_source_b`.",
	}},
	{"push out without a destination", config{"output_mode": "RTMP_PUSH"}, []string{
		"error output_destination_a: output_destination_a is missing: `output_destination_a` is required when `output_mode` is RTMP_PUSH or RTMPS_PUSH. It is not set, and here `output_mode` is RTMP_PUSH. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"secure push out without a destination", config{"output_mode": "RTMPS_PUSH"}, []string{
		"error output_destination_a: output_destination_a is missing: `output_destination_a` is required when `output_mode` is RTMP_PUSH or RTMPS_PUSH. It is not set, and here `output_mode` is RTMPS_PUSH. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"push out in HA without destinations", config{"output_mode": "RTMP_PUSH", "mode": "HA"}, []string{
		"error output_destination_a: output_destination_a is missing: `output_destination_a` is required when `output_mode` is RTMP_PUSH or RTMPS_PUSH. It is not set, and here `output_mode` is RTMP_PUSH. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
		"error output_destination_b: output_destination_b is missing: `output_destination_b` is required when `output_mode` is RTMP_PUSH or RTMPS_PUSH and `mode` is HA. It is not set, and here `output_mode` is RTMP_PUSH and `mode` is HA. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"push out in HA without a second destination", config{"output_mode": "RTMPS_PUSH", "mode": "HA", "output_destination_a": source}, []string{
		"error output_destination_b: output_destination_b is missing: `output_destination_b` is required when `output_mode` is RTMP_PUSH or RTMPS_PUSH and `mode` is HA. It is not set, and here `output_mode` is RTMPS_PUSH and `mode` is HA. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
	}},
	{"pull out with a destination", config{"output_destination_a": source}, []string{
		"error output_destination_a: output_destination_a does not apply: `output_destination_a` may only be set when `output_mode` is RTMP_PUSH or RTMPS_PUSH. It is set, and here `output_mode` is RTMP_PULL. Remove `output_destination_a`.",
	}},
	{"pull out with an empty destination", config{"output_destination_a": ""}, []string{
		`error output_destination_a: Invalid output_destination_a: The value given (sensitive, so not shown) is an empty string, which is not the same as null; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
		"error output_destination_a: output_destination_a does not apply: `output_destination_a` may only be set when `output_mode` is RTMP_PUSH or RTMPS_PUSH. It is set, and here `output_mode` is RTMP_PULL. Remove `output_destination_a`, or write null: an empty string counts as set.",
	}},
	{"pull out in HA with a second destination", config{"mode": "HA", "output_destination_b": source}, []string{
		"error output_destination_b: output_destination_b does not apply: `output_destination_b` may only be set when `output_mode` is RTMP_PUSH or RTMPS_PUSH and `mode` is HA. It is set, and here `output_mode` is RTMP_PULL and `mode` is HA. Remove `output_destination_b`.",
	}},
	{"push out in NORM with a second destination", config{"output_mode": "RTMP_PUSH", "output_destination_a": source, "output_destination_b": source2}, []string{
		"error output_destination_b: output_destination_b does not apply: `output_destination_b` may only be set when `output_mode` is RTMP_PUSH or RTMPS_PUSH and `mode` is HA. It is set, and here `output_mode` is RTMP_PUSH and `mode` is NORM. Remove `output_destination_b`.",
	}},
	{"http source", config{"input": "RTMP_PULL", "input_source_a": "http://example.org/app/s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) begins with "http://"; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"https source", config{"input": "RTMP_PULL", "input_source_a": "HTTPS://example.org/app/s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) begins with "https://"; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"srt source", config{"input": "RTMP_PULL", "input_source_a": "srt://example.org:9000?streamid=s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) begins with "srt://"; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"tunnelled rtmp source", config{"input": "RTMP_PULL", "input_source_a": "rtmpt://example.org/s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) begins with "rtmpt://"; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source without a scheme", config{"input": "RTMP_PULL", "input_source_a": "example.org/app/s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) does not begin with "rtmp://" or "rtmps://"; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source with a key for a scheme", config{"input": "RTMP_PULL", "input_source_a": "s3cret://example.org/app"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) does not begin with "rtmp://" or "rtmps://"; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source without a host", config{"input": "RTMP_PULL", "input_source_a": "rtmp:///app/s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) has no host; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source that is only a scheme", config{"input": "RTMP_PULL", "input_source_a": "rtmp://"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) has no host; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source with a port alone", config{"input": "RTMP_PULL", "input_source_a": "rtmp://:1935/s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) has no host; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source with a space", config{"input": "RTMP_PULL", "input_source_a": "rtmp://example.org/app/s3cret x"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) has a space or a control character in it; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source with a line break", config{"input": "RTMP_PULL", "input_source_a": "rtmp://example.org/app/s3cret\n"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) has a space or a control character in it; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source with a port that is no number", config{"input": "RTMP_PULL", "input_source_a": "rtmp://example.org:port/s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) cannot be read as a URL; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"source with a broken escape", config{"input": "RTMP_PULL", "input_source_a": "rtmp://example.org/%zz/s3cret"}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) cannot be read as a URL; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"empty source", config{"input": "RTMP_PULL", "input_source_a": ""}, []string{
		`error input_source_a: Invalid input_source_a: The value given (sensitive, so not shown) is an empty string, which is not the same as null; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"file for a destination", config{"output_mode": "RTMP_PUSH", "output_destination_a": "file:///example.org/s3cret"}, []string{
		`error output_destination_a: Invalid output_destination_a: The value given (sensitive, so not shown) begins with "file://"; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"bad second destination", config{"output_mode": "RTMP_PUSH", "mode": "HA", "output_destination_a": source, "output_destination_b": "example.org"}, []string{
		`error output_destination_b: Invalid output_destination_b: The value given (sensitive, so not shown) does not begin with "rtmp://" or "rtmps://"; it must be an rtmp:// or rtmps:// URL with a host, such as "rtmps://live.example.com/app/key".`,
	}},
	{"scheduled without a time", config{"is_scheduled": true}, []string{
		"error scheduled_at: scheduled_at is missing: `scheduled_at` is required when `is_scheduled` is true. It is not set, and here `is_scheduled` is true.",
		"error timezone: timezone is missing: `timezone` is required when `is_scheduled` is true. It is not set, and here `is_scheduled` is true.",
	}},
	{"scheduled without a zone", config{"is_scheduled": true, "scheduled_at": "2031-05-17 20:15"}, []string{
		"error timezone: timezone is missing: `timezone` is required when `is_scheduled` is true. It is not set, and here `is_scheduled` is true.",
	}},
	{"scheduled without a start", config{"is_scheduled": true, "timezone": "Europe/Berlin"}, []string{
		"error scheduled_at: scheduled_at is missing: `scheduled_at` is required when `is_scheduled` is true. It is not set, and here `is_scheduled` is true.",
	}},
	{"not scheduled, with a zone", config{"is_scheduled": false, "timezone": "Europe/Berlin"}, []string{
		"error timezone: timezone does not apply: `timezone` may only be set when `is_scheduled` is true. It is set, and here `is_scheduled` is false. Remove `timezone`.",
	}},
	{"not scheduled, with a time", config{"timezone": "UTC", "scheduled_at": "2031-05-17 20:15"}, []string{
		"error scheduled_at: scheduled_at does not apply: `scheduled_at` may only be set when `is_scheduled` is true. It is set, and here `is_scheduled` is false. Remove `scheduled_at`.",
		"error timezone: timezone does not apply: `timezone` may only be set when `is_scheduled` is true. It is set, and here `is_scheduled` is false. Remove `timezone`.",
	}},
	{"not scheduled, with empty strings", config{"timezone": "", "scheduled_at": ""}, []string{
		`error scheduled_at: Invalid scheduled_at: "" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as "2031-05-17 20:15".`,
		"error scheduled_at: scheduled_at does not apply: `scheduled_at` may only be set when `is_scheduled` is true. It is set, and here `is_scheduled` is false. Remove `scheduled_at`, or write null: an empty string counts as set.",
		`error timezone: Invalid timezone: "" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC".`,
		"error timezone: timezone does not apply: `timezone` may only be set when `is_scheduled` is true. It is set, and here `is_scheduled` is false. Remove `timezone`, or write null: an empty string counts as set.",
	}},
	{"misspelt zone", config{"is_scheduled": true, "timezone": "Europe/Berln", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "Europe/Berln" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC".`,
	}},
	{"zone in lower case", config{"is_scheduled": true, "timezone": "europe/berlin", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "europe/berlin" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC". Write "Europe/Berlin".`,
	}},
	{"zone with a space", config{"is_scheduled": true, "timezone": "America/New York", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "America/New York" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC". Write "America/New_York".`,
	}},
	{"zone utc in lower case", config{"is_scheduled": true, "timezone": "utc", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "utc" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC". Write "UTC".`,
	}},
	{"offset from UTC", config{"is_scheduled": true, "timezone": "UTC+2", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "UTC+2" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC". An offset is not enough: it does not say when clocks change.`,
	}},
	{"offset", config{"is_scheduled": true, "timezone": "+02:00", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "+02:00" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC". An offset is not enough: it does not say when clocks change.`,
	}},
	{"zone of this machine", config{"is_scheduled": true, "timezone": "Local", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "Local" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC".`,
	}},
	{"zone of this machine by its file", config{"is_scheduled": true, "timezone": "localtime", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "localtime" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC".`,
	}},
	{"abbreviation", config{"is_scheduled": true, "timezone": "CEST", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "CEST" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC".`,
	}},
	{"zone by a path", config{"is_scheduled": true, "timezone": "../UTC", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "../UTC" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC".`,
	}},
	{"copy of a zone", config{"is_scheduled": true, "timezone": "posix/Europe/Berlin", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "posix/Europe/Berlin" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC".`,
	}},
	{"empty zone", config{"is_scheduled": true, "timezone": "", "scheduled_at": "2031-05-17 20:15"}, []string{
		`error timezone: Invalid timezone: "" was given; it must be a name of the tz database, such as "Europe/Berlin", "America/New_York" or "UTC".`,
	}},
	{"day alone", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-05-17"}, []string{
		`error scheduled_at: Invalid scheduled_at: "2031-05-17" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as "2031-05-17 20:15".`,
	}},
	{"start with a T", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-05-17T20:15"}, []string{
		"error scheduled_at: Invalid scheduled_at: \"2031-05-17T20:15\" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as \"2031-05-17 20:15\". Write \"2031-05-17 20:15\", and the zone in `timezone`.",
	}},
	{"start with a zone", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-05-17T20:15:00+02:00"}, []string{
		"error scheduled_at: Invalid scheduled_at: \"2031-05-17T20:15:00+02:00\" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as \"2031-05-17 20:15\". Write \"2031-05-17 20:15\", and the zone in `timezone`.",
	}},
	{"start with seconds", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-05-17 20:15:00"}, []string{
		"error scheduled_at: Invalid scheduled_at: \"2031-05-17 20:15:00\" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as \"2031-05-17 20:15\". Write \"2031-05-17 20:15\", and the zone in `timezone`.",
	}},
	{"start with slashes", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031/05/17 20:15"}, []string{
		"error scheduled_at: Invalid scheduled_at: \"2031/05/17 20:15\" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as \"2031-05-17 20:15\". Write \"2031-05-17 20:15\", and the zone in `timezone`.",
	}},
	{"start without leading zeros", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-5-7 20:15"}, []string{
		"error scheduled_at: Invalid scheduled_at: \"2031-5-7 20:15\" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as \"2031-05-17 20:15\". Write \"2031-05-07 20:15\", and the zone in `timezone`.",
	}},
	{"day that does not exist", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-02-29 10:00"}, []string{
		`error scheduled_at: Invalid scheduled_at: "2031-02-29 10:00" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as "2031-05-17 20:15". This day or hour does not exist.`,
	}},
	{"hour 24", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-05-17 24:00"}, []string{
		`error scheduled_at: Invalid scheduled_at: "2031-05-17 24:00" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as "2031-05-17 20:15". This day or hour does not exist.`,
	}},
	{"month 13", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-13-01 10:00"}, []string{
		`error scheduled_at: Invalid scheduled_at: "2031-13-01 10:00" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as "2031-05-17 20:15". This day or hour does not exist.`,
	}},
	{"start in words", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "tomorrow"}, []string{
		`error scheduled_at: Invalid scheduled_at: "tomorrow" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as "2031-05-17 20:15".`,
	}},
	{"start with a space before it", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": " 2031-05-17 20:15"}, []string{
		"error scheduled_at: Invalid scheduled_at: \" 2031-05-17 20:15\" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as \"2031-05-17 20:15\". Write \"2031-05-17 20:15\", and the zone in `timezone`.",
	}},
	{"empty start", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": ""}, []string{
		`error scheduled_at: Invalid scheduled_at: "" was given; it must be a local time of the form YYYY-MM-DD HH:MM, such as "2031-05-17 20:15".`,
	}},
	{"hour skipped in Berlin", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-03-30 02:30"}, []string{
		`error scheduled_at: scheduled_at does not exist: "2031-03-30 02:30" was given, but in Europe/Berlin a clock change skips this time. The nearest valid times are "2031-03-30 01:59" and "2031-03-30 03:00".`,
	}},
	{"first minute skipped in Berlin", config{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2031-03-30 02:00"}, []string{
		`error scheduled_at: scheduled_at does not exist: "2031-03-30 02:00" was given, but in Europe/Berlin a clock change skips this time. The nearest valid times are "2031-03-30 01:59" and "2031-03-30 03:00".`,
	}},
	{"hour skipped in New York", config{"is_scheduled": true, "timezone": "America/New_York", "scheduled_at": "2031-03-09 02:15"}, []string{
		`error scheduled_at: scheduled_at does not exist: "2031-03-09 02:15" was given, but in America/New_York a clock change skips this time. The nearest valid times are "2031-03-09 01:59" and "2031-03-09 03:00".`,
	}},
	{"half hour skipped on Lord Howe", config{"is_scheduled": true, "timezone": "Australia/Lord_Howe", "scheduled_at": "2031-10-05 02:10"}, []string{
		`error scheduled_at: scheduled_at does not exist: "2031-10-05 02:10" was given, but in Australia/Lord_Howe a clock change skips this time. The nearest valid times are "2031-10-05 01:59" and "2031-10-05 02:30".`,
	}},
	{"day skipped on Samoa", config{"is_scheduled": true, "timezone": "Pacific/Apia", "scheduled_at": "2011-12-30 12:00"}, []string{
		`error scheduled_at: scheduled_at does not exist: "2011-12-30 12:00" was given, but in Pacific/Apia a clock change skips this time. The nearest valid times are "2011-12-29 23:59" and "2011-12-31 00:00".`,
	}},
	{"midnight skipped in Beirut", config{"is_scheduled": true, "timezone": "Asia/Beirut", "scheduled_at": "2031-03-30 00:20"}, []string{
		`error scheduled_at: scheduled_at does not exist: "2031-03-30 00:20" was given, but in Asia/Beirut a clock change skips this time. The nearest valid times are "2031-03-29 23:59" and "2031-03-30 01:00".`,
	}},
	{"empty status to wait for", config{"wait_for_status": []any{""}}, []string{
		`error wait_for_status.[]: Invalid wait_for_status: "" was given; a status must not be blank. The known ones are PENDING, PROVISIONING, ALLOCATED, READY, STOPPING, STOPPED, TERMINATED, ERROR, SCHEDULED and CANCELLED.`,
	}},
	{"null status to wait for", config{"wait_for_status": []any{"READY", nil}}, []string{
		`error wait_for_status: Null Set Value: This attribute contains a null value.`,
	}},
	{"blank status to replace on", config{"replace_on_status": []any{" "}}, []string{
		`error replace_on_status.[]: Invalid replace_on_status: " " was given; a status must not be blank. The known ones are PENDING, PROVISIONING, ALLOCATED, READY, STOPPING, STOPPED, TERMINATED, ERROR, SCHEDULED and CANCELLED.`,
	}},
	{"time-out without a unit", config{"timeouts": config{"create": "20"}}, []string{
		`error timeouts.create: Invalid timeouts.create: "20" was given; it must be a duration longer than 0, such as "90s", "20m" or "1h30m".`,
	}},
	{"empty time-out", config{"timeouts": config{"create": ""}}, []string{
		`error timeouts.create: Invalid timeouts.create: "" was given; it must be a duration longer than 0, such as "90s", "20m" or "1h30m".`,
	}},
	{"time-out of nothing", config{"timeouts": config{"create": "0s"}}, []string{
		`error timeouts.create: Invalid timeouts.create: "0s" was given; it must be a duration longer than 0, such as "90s", "20m" or "1h30m".`,
	}},
	{"negative time-out", config{"timeouts": config{"create": "-5m"}}, []string{
		`error timeouts.create: Invalid timeouts.create: "-5m" was given; it must be a duration longer than 0, such as "90s", "20m" or "1h30m".`,
	}},
	{"several at once", config{"name": "", "mode": "single", "input": "RTMP_PULL", "is_scheduled": true}, []string{
		"error input_source_a: input_source_a is missing: `input_source_a` is required when `input` is RTMP_PULL or RTMPS_PULL. It is not set, and here `input` is RTMP_PULL. A configuration that Terraform generated for an import leaves this value out because it is sensitive: fill it in.",
		`error mode: Invalid mode: "single" was given; it must be "HA" or "NORM".`,
		`error name: Invalid name: "" was given; it must not be blank.`,
		"error scheduled_at: scheduled_at is missing: `scheduled_at` is required when `is_scheduled` is true. It is not set, and here `is_scheduled` is true.",
		"error timezone: timezone is missing: `timezone` is required when `is_scheduled` is true. It is not set, and here `is_scheduled` is true.",
	}},
}
