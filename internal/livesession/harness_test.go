package livesession_test

import (
	"bytes"
	"testing"

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

// edit has every answer to a call come with a text replaced in the body.
func edit(t *testing.T, w *acctest.World, call, from, to string) {
	t.Helper()
	w.Fail(simulator.Fault{Call: call, Rewrite: func(body []byte) []byte {
		if !bytes.Contains(body, []byte(from)) {
			t.Errorf("the answer has no %s: %s", from, body)
		}
		return bytes.ReplaceAll(body, []byte(from), []byte(to))
	}})
}
