package livesession_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestPrivateState refreshes sessions of which only the private state knows that nothing has
// changed.
func TestPrivateState(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, w *acctest.World, o acctest.Instance, c config) {
		t.Helper()
		p := w.Provider(once)
		for range 2 {
			var diags acctest.Diagnostics
			if o, diags = p.Read(o); len(diags) > 0 {
				t.Fatal(diags)
			}
			if planned := p.Plan(o, c); planned.Action != acctest.NoOp {
				t.Fatalf("%s because of %v", planned.Action, planned.Replaces)
			}
		}
	}
	t.Run("spellings", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			shows(w, map[string]string{`"match"`: `"match (1)"`})
			o, diags := w.Provider(once).Create(resourceType, base())
			diags.Must(t)
			read(t, w, o, base())
		})
	})
	t.Run("not read by the listing", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := acctest.NewWorld(t, simulator.Options{})
			edit(t, w, simulator.CallListSessions, `"match"`, `"match (1)"`)
			c := base().With(config{"wait_for_status": []any{}})
			o, diags := w.Provider(once).Create(resourceType, c)
			diags.Must(t)
			read(t, w, o, c)
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
			read(t, w, o.Untainted(), base())
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
			read(t, w, o, base())
			w.AssertCalls(t, simulator.CallListSessions, pages)
		})
	})
}

// TestSecretsStayOut: no stream key is in what the provider says or logs, nor in a value that
// Terraform would print.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
		w.Fail(simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true})
		w.Fail(simulator.Fault{Call: simulator.CallListSessions, Times: 1, Body: `{"data":{"Sessions":[]}}`})
		c := base().With(config{"input": "RTMP_PULL", "input_source_a": "rtmp://origin.example.com/app/k3y-of-the-stream"})
		_, diags := w.Provider(nil).Create(resourceType, c) // ambiguous: looks for it
		if !diags.Failed() {
			t.Fatal("the create has not failed")
		}
		w.Env["VODLIVE_RESUME_DIR"] = t.TempDir() // else the session is told
		p := w.Provider(nil)
		o, more := p.Create(resourceType, c)
		more.Must(t)
		pl := p.Plan(o, nil)
		pl.Diags.Must(t)
		log := w.Log.String()
		if !strings.Contains(log, "Waiting for the live session") {
			t.Error("the log does not say what is waited for")
		}
		var shown strings.Builder
		for _, diags := range []acctest.Diagnostics{diags, more, pl.Diags} {
			shown.WriteString(diags.String())
		}
		for _, a := range p.Schema.ResourceSchemas[resourceType].Block.Attributes {
			if !a.Sensitive {
				fmt.Fprintln(&shown, a.Name, o.Attrs()[a.Name])
			}
		}
		records := w.Sessions()
		if len(records) != 2 || o.Text("output_endpoint_a") != records[1].OutputEndpointA {
			t.Fatalf("the state has %v, the service %v", o.Attrs(), records)
		}
		for name, secret := range map[string]string{
			"stream key": "k3y-of-the-stream", "secret key": simulator.DefaultSecretKey,
			"lost endpoint": records[0].OutputEndpointA, "endpoint": records[1].OutputEndpointA,
		} {
			if secret == "" || strings.Contains(shown.String(), secret) {
				t.Errorf("Terraform would show the %s: %s", name, shown.String())
			}
			for line := range strings.Lines(log) {
				if strings.Contains(line, secret) {
					t.Errorf("the log shows the %s: %s", name, line)
					break
				}
			}
		}
	})
}
