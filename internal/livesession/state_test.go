package livesession_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// withOldPrivateState returns the instance with the private state of earlier builds, which had a key
// for each field.
func withOldPrivateState(t *testing.T, o acctest.Instance) acctest.Instance {
	t.Helper()
	var private map[string][]byte
	var session map[string]json.RawMessage
	if err := json.Unmarshal(o.Private, &private); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(private["session"], &session); err != nil {
		t.Fatal(err)
	}
	delete(private, "session")
	for key, value := range session {
		private[key] = value
		if key == "listed" { // it had the quotes of JSON only
			var quoted string
			if err := json.Unmarshal(value, &quoted); err != nil {
				t.Fatal(err)
			}
			private[key] = []byte(quoted)
		}
	}
	o.Private, _ = json.Marshal(private)
	return o
}

// TestPrivateStateOfEarlierBuilds refreshes sessions whose private state has the old keys.
func TestPrivateStateOfEarlierBuilds(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, w *acctest.World, o acctest.Instance, c config) {
		t.Helper()
		p := w.Provider(once)
		for range 2 { // the first refresh writes the new key
			var diags acctest.Diagnostics
			if o, diags = p.Read(o); len(diags) > 0 {
				t.Fatal(diags)
			}
			if planned := p.Plan(o, c); planned.Action != acctest.NoOp {
				t.Fatalf("%s because of %v", planned.Action, planned.Replaces)
			}
		}
	}
	t.Run("renditions", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			shows(w, map[string]string{`"match"`: `"match (1)"`})
			o, diags := w.Provider(once).Create(resourceType, base())
			diags.Must(t)
			read(t, w, withOldPrivateState(t, o), base())
		})
	})
	t.Run("unseen", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			edit(t, w, simulator.CallListSessions, `"match"`, `"match (1)"`)
			c := base().With(config{"wait_for_status": []any{}})
			o, diags := w.Provider(once).Create(resourceType, c)
			diags.Must(t)
			read(t, w, withOldPrivateState(t, o), c)
			w.AssertCalls(t, simulator.CallListSessions, 1)
		})
	})
	t.Run("unconfirmed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
			unreadable(w, 20*time.Second)
			p, cancel := w.Provider(once).WithCancel()
			defer cancel()
			time.AfterFunc(3*time.Second, cancel)
			o, diags := p.Create(resourceType, base())
			if !strings.Contains(diags.String(), "Waiting for the live session was interrupted") {
				t.Fatal(diags)
			}
			read(t, w, withOldPrivateState(t, o.Untainted()), base())
		})
	})
	t.Run("listed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			edit(t, w, simulator.CallListSessions, `"elastic_ip_a"`, `"no_address"`)
			o, diags := w.Provider(once).Create(resourceType, base())
			diags.Must(t)
			pages := w.Count(simulator.CallListSessions)
			read(t, w, withOldPrivateState(t, o), base())
			w.AssertCalls(t, simulator.CallListSessions, pages)
		})
	})
}
