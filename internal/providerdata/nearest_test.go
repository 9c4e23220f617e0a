package providerdata_test

import (
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"READY", "READ_Y2", "CANCELLED"}
	for given, want := range map[string]struct {
		near      string
		respelled bool
	}{
		"READY":      {"READY", true},
		"re-ady":     {"READY", true},
		"read.y2":    {"READ_Y2", true}, // although READY comes first, and is near
		"REDY":       {"READY", false},
		"READDY":     {"READY", false},
		"RAEDY":      {"READY", false},
		"canceled":   {"CANCELLED", false},
		"canceld":    {},
		"TERMINATED": {},
		"":           {},
	} {
		if near, respelled := providerdata.Nearest(given, known...); near != want.near || respelled != want.respelled {
			t.Errorf("%q: %q, respelled %t", given, near, respelled)
		}
	}
}
