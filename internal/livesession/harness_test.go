package livesession_test

import (
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const resourceType = "vodlive_live_session"

type config = acctest.Attrs

// base is a valid configuration: PUSH in, PULL out, one pipeline.
func base() config {
	return config{
		"name": "match", "region": "eu-central-1", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
		"input_preset": config{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
	}
}

// once is a provider that makes each call once, and only those of the sessions.
var once = config{"max_retries": 0, "skip_region_validation": true}

// pullPush is a session of the service with every optional argument.
var pullPush = simulator.SessionRecord{
	Name: "match", Region: "eu-central-1", Input: "RTMP_PULL", Mode: "HA", OutputMode: "RTMPS_PUSH",
	Codec: "H264", Resolution: "HD", Bitrate: "MAX_10_MBPS",
	InputSourceA: "rtmp://a.example.com/in/1", InputSourceB: "rtmp://b.example.com/in/2",
	OutputDestinationA: "rtmps://a.example.com/out/1", OutputDestinationB: "rtmps://b.example.com/out/2",
	EnableInputRecord: true, IsScheduled: true, Timezone: "Europe/Berlin", ScheduledAt: "2031-05-17 20:15",
	Status: "SCHEDULED",
}
