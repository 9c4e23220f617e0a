package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestNoDiagnosticIsLongerThan16KiB: what it quotes may be of any size, and is not cut within a
// character or an escape, wherever the limit falls.
func TestNoDiagnosticIsLongerThan16KiB(t *testing.T) {
	t.Parallel()
	p := acctest.NewWorld(t, simulator.Options{}).Provider(nil)
	for name, piece := range map[string]string{
		"words": "some words ", "letters": "x", "two bytes": "é", "four bytes": "😀",
	} {
		for shift := range 12 {
			timezone := strings.Repeat("x", shift) + strings.Repeat(piece, 40<<10/len(piece))
			diags := p.Validate("vodlive_live_session", attrs{
				"name": "n", "region": "eu-central-1", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
				"input_preset": attrs{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
				"is_scheduled": true, "scheduled_at": "2030-01-01 10:00", "timezone": timezone,
			})
			found := false
			for _, d := range diags {
				if len(d.Summary)+len(d.Detail) > 16<<10 {
					t.Errorf("%s: %d bytes", name, len(d.Summary)+len(d.Detail))
				}
				before, after, cut := strings.Cut(d.Detail, "\n\n(The provider cut this text, which has ")
				if !cut {
					continue
				}
				found = true
				guide := d.Severity != tfprotov6.DiagnosticSeverityError || strings.Contains(after, ".md#")
				if !guide || !utf8.ValidString(d.Detail) {
					t.Errorf("%s, shifted by %d, is cut to …%s", name, shift, fmt.Sprintf("%q", d.Detail[max(0, len(before)-50):]))
				}
			}
			if !found {
				t.Errorf("%s: no diagnostic was cut: %.300s", name, diags)
			}
		}
	}
}
