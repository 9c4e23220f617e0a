package acctest

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestFoundUploadsOfOneContentContinue: two unfinished uploads of one content and name share a
// record. Each goes on where it stopped, whichever of them the record has.
func TestFoundUploadsOfOneContentContinue(t *testing.T) {
	t.Parallel()
	Replay(t, History{
		Steps: []Step{
			{Do: DoConfig, On: "upload.small", N: 2},
			{Do: DoConfig, On: "upload.twin", N: 1},
			{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartComplete, What: "400"}}},
			{Do: DoApply},
		},
	})
}
