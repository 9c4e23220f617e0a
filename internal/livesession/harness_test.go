package livesession_test

import (
	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
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
