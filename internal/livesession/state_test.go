package livesession_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestSecretsStayOut: no stream key is in what the provider says or logs, nor in a value that
// Terraform would print.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
		w.Fail(simulator.Fault{Call: simulator.CallCreateSession, Times: 1, BreakAfter: true})
		w.Fail(simulator.Fault{Call: simulator.CallListSessions, Body: `{"data":{"Sessions":[]}}`})
		c := base().With(config{"input": "RTMP_PULL", "input_source_a": "rtmp://origin.example.com/app/k3y-of-the-stream"})
		_, diags := w.Provider(nil).Create(resourceType, c) // lost
		if !diags.Failed() {
			t.Fatal("the create has not failed")
		}
		w.ClearFaults()
		c["name"] = "another"
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

// TestCreatesShareAListing: the addresses of sessions that become ready one after another come from
// one reading of the listing, which may be long.
func TestCreatesShareAListing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{ReadyAfter: time.Minute})
		p := w.Provider(nil)
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				o, diags := p.Create(resourceType, base().With(config{"name": fmt.Sprint("channel-", i)}))
				if len(diags) > 0 || o.Text("elastic_ip_a") == "" {
					t.Errorf("%s: %v", diags, o.Attrs())
				}
			})
		}
		all.Wait()
		w.AssertCalls(t, simulator.CallListSessions, 2) // before the first create, and after it
	})
}
