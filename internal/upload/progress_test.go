package upload

import (
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

func TestProgressLine(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]transfer.Progress{
		"promo.mp4 42 %, 3.1 of 7.4 GB, 88 MB/s, 49 s left":     {Name: "promo.mp4", Sent: 3_108_000_000, Total: 7_400_000_000, Rate: 88_000_000, Remaining: 49 * time.Second},
		"a.mp4 50 %, 5.0 of 10 MB, 1.0 MB/s, 5 s left":          {Name: "a.mp4", Sent: 2_000_000, Reused: 3_000_000, Total: 10_000_000, Rate: 1_000_000, Remaining: 5 * time.Second},
		"a.mp4 100 %, 10 of 10 MB, 12 MB/s":                     {Name: "a.mp4", Sent: 10_000_000, Total: 10_000_000, Rate: 12_000_000},
		"a.mp4 0 %, 0 of 3 B, 0 B/s":                            {Name: "a.mp4", Total: 3},
		"big.mxf 1 %, 0.1 of 5.5 TB, 100 MB/s, 15 h 1 min left": {Name: "big.mxf", Sent: 100_000_000_000, Total: 5_500_000_000_000, Rate: 100_000_000, Remaining: 15*time.Hour + time.Minute},
		"mid.mov 10 %, 1.0 of 10 GB, 50 MB/s, 3 min 0 s left":   {Name: "mid.mov", Sent: 1_000_000_000, Total: 10_000_000_000, Rate: 50_000_000, Remaining: 180 * time.Second},
	} {
		if got := progressLine(p); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
