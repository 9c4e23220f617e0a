package livesession_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// imported is a session with every argument in the state, imported by an earlier run.
func imported(t *testing.T, w *acctest.World, d *acctest.Provider, record simulator.SessionRecord) acctest.Instance {
	t.Helper()
	o, diags := d.Import(resourceType, w.AddSession(record))
	diags.Must(t)
	o, diags = d.Read(o)
	diags.Must(t)
	return o
}

// TestPlannedNull: what can never apply to a session is known to be null.
func TestPlannedNull(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	d := w.Provider(nil)
	second := []string{"input_endpoint_b", "output_endpoint_b", "sub_domain_b", "elastic_ip_b"}
	endpoints := []string{"input_endpoint_a", "input_endpoint_b", "output_endpoint_a", "output_endpoint_b"}
	for name, tt := range map[string]struct {
		config config
		null   []string
	}{
		"one pipeline":       {base(), second},
		"two pipelines":      {base().With(config{"mode": "HA"}), nil},
		"mode not known":     {base().With(config{"mode": acctest.Unknown}), nil},
		"pull in, push out":  {pullPushConfig().With(config{"scheduled_at": "2931-05-17 20:15"}), endpoints},
		"none in the state":  {base().With(config{"mode": "HA", "endpoints_in_state": false}), endpoints},
		"perhaps none in it": {base().With(config{"mode": "HA", "endpoints_in_state": acctest.Unknown}), nil},
	} {
		for from, prior := range map[string]acctest.Instance{
			"created": d.New(resourceType), "replaced": imported(t, w, d, simulator.SessionRecord{Name: "earlier", Region: "eu-central-1", Mode: "HA"}),
		} {
			pl := d.Plan(prior, tt.config)
			pl.Diags.Must(t)
			for _, attribute := range slices.Concat(second, endpoints) {
				want := any(acctest.Unknown)
				if slices.Contains(tt.null, attribute) {
					want = nil
				}
				if got := pl.Attrs()[attribute]; got != want {
					t.Errorf("%s, %s: %s is planned as %v, want %v", name, from, attribute, got, want)
				}
			}
		}
	}
}

// TestIgnoredArgumentIsNotSent: with ignore_changes, the configuration has another value than the
// plan, which counts.
func TestIgnoredArgumentIsNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		o := imported(t, w, w.Provider(once), matchRecord)
		pl := w.Provider(once).PlanIgnoring(o, base().With(config{"name": "ignored", "mode": "HA"}), "name")
		pl.Diags.Must(t)
		now, diags := w.Provider(once).Apply(pl)
		diags.Must(t)
		if made := w.Sessions()[1]; made.Name != "match" || now.Text("name") != "match" {
			t.Errorf("the service has %q, the state %q", made.Name, now.Text("name"))
		}
	})
}
