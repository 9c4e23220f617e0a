package livesession_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// What has to know each field besides package sessionfield is the simulator. The decoder and the
// request are made from that list: each test fails for an attribute that one of them lacks.

// ownArguments are those that the service does not know.
var ownArguments = []string{"wait_for_status", "replace_on_status", "on_existing", "deletion_protection", "endpoints_in_state", "urls_wo_version", "timeouts"}

// arguments are the attributes of the resource that a create request has.
func arguments(p *acctest.Provider) map[string]*tfprotov6.SchemaAttribute {
	all := map[string]*tfprotov6.SchemaAttribute{}
	for _, a := range p.Schema.ResourceSchemas[resourceType].Block.Attributes {
		if (a.Required || a.Optional) && !a.WriteOnly && !slices.Contains(ownArguments, a.Name) {
			all[a.Name] = a
		}
	}
	return all
}

// shapes are two sessions to which, together, every attribute applies.
func shapes() []config {
	pull := base().With(config{
		"input": "RTMP_PULL", "output_mode": "RTMPS_PUSH", "mode": "HA",
		"input_source_a": "rtmp://a.example.com/in/1", "input_source_b": "rtmp://b.example.com/in/2",
		"output_destination_a": "rtmps://a.example.com/out/1", "output_destination_b": "rtmps://b.example.com/out/2",
		"input_preset": config{"codec": "H264"}, "enable_input_record": true, "is_scheduled": true,
		"timezone": "Europe/Berlin", "scheduled_at": "2031-05-17 20:15",
	})
	return []config{pull, base().With(config{"mode": "HA", "is_scheduled": false, "input_preset": config{"codec": "H264"}})}
}

// example returns a value for an attribute that the shapes do not name.
func example(a *tfprotov6.SchemaAttribute) any {
	switch {
	case a.Type == nil:
		return config{"codec": "H264", "resolution": "HD", "bitrate": "MAX_10_MBPS"}
	case a.Type.Is(tftypes.Number):
		return 7
	case a.Type.Is(tftypes.Bool):
		return true
	case strings.Contains(a.Name, "_endpoint_"):
		return "rtmp://live.example.com/app/" + a.Name
	case a.Name == "status":
		return "READY"
	}
	return "example of " + a.Name
}

// TestEveryAttributeIsDecoded answers a GET with every attribute of the data source.
func TestEveryAttributeIsDecoded(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	p := w.Provider(once)
	decoded := map[string]bool{}
	own := []string{"include_urls"}
	for _, body := range shapes() {
		for _, a := range p.Schema.DataSourceSchemas[resourceType].Block.Attributes {
			if _, ok := body[a.Name]; !ok && !slices.Contains(own, a.Name) {
				body[a.Name] = example(a)
			}
		}
		id := w.AddSession(simulator.SessionRecord{Name: "match"})
		body["id"] = id
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		w.Fail(simulator.Fault{Call: simulator.CallGetSession, Times: 1, Body: string(text)})
		read, diags := p.DataSource(resourceType, config{"id": id, "include_urls": true})
		diags.Must(t)
		for name, value := range read {
			switch {
			case value == nil || slices.Contains(own, name):
			case fmt.Sprint(value) != fmt.Sprint(body[name]):
				t.Errorf("%s is %v, in the response %v", name, value, body[name])
			default:
				decoded[name] = true
			}
		}
	}
	for _, a := range p.Schema.DataSourceSchemas[resourceType].Block.Attributes {
		if !decoded[a.Name] && !slices.Contains(own, a.Name) {
			t.Errorf("%s is read from no response: look at api.decodeSession", a.Name)
		}
	}
}

// TestEveryArgumentIsSentAndShown creates sessions with every argument at the simulated service,
// which refuses fields that it does not know, and lists them.
func TestEveryArgumentIsSentAndShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		p := w.Provider(once)
		sent, shown := map[string]bool{}, map[string]bool{}
		for _, given := range shapes() {
			for name, a := range arguments(p) {
				if _, ok := given[name]; !ok && !needsCondition(name) {
					given[name] = example(a)
				}
			}
			o, diags := p.Create(resourceType, given)
			diags.Must(t)
			p.AssertNoChanges(o, given)
			read, diags := p.DataSource(resourceType, config{"id": o.Text("id"), "include_urls": true})
			diags.Must(t)
			for name, value := range read {
				shown[name] = shown[name] || value != nil
			}
		}
		for _, r := range w.Journal() {
			if r.Call != simulator.CallCreateSession {
				continue
			}
			var body map[string]any
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Fatal(err)
			}
			for name := range body {
				sent[name] = true
			}
		}
		for name := range arguments(p) {
			if !sent[name] {
				t.Errorf("%s is in no create request: look at its row in sessionfield/sessionfield.go", name)
			}
		}
		for name, ok := range shown {
			if !ok {
				t.Errorf("the simulated service shows no %s: look at simulator/session_record.go, and at generate in session.go for what the service sets", name)
			}
		}
	})
}

// needsCondition tells the arguments that are set only where the shapes set them.
func needsCondition(name string) bool {
	return strings.HasPrefix(name, "input_source_") || strings.HasPrefix(name, "output_destination_") || name == "timezone" || name == "scheduled_at"
}
