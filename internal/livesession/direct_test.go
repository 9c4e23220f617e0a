package livesession_test

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const resourceType = "vodlive_live_session"

var identityType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}

// direct talks to a configured provider over its protocol, in this process, as
// Terraform does: for what a CLI would only make slower to test.
type direct struct {
	tb     testing.TB
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
	typ    tftypes.Type
}

// object is a state with what Terraform keeps beside it.
type object struct {
	state   tftypes.Value
	private []byte
}

func connect(t testing.TB, s *acctest.Server, overrides ...map[string]string) *direct {
	t.Helper()
	return connectWith(t, s, config{}, overrides...)
}

// connectWith is connect with a provider block.
func connectWith(t testing.TB, s *acctest.Server, c config, overrides ...map[string]string) *direct {
	t.Helper()
	p, err := s.Factories(t, overrides...)["vodlive"]()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := p.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.4", Config: dynamic(t, schema.Provider.ValueType(), c),
	})
	if err != nil || len(resp.Diagnostics) > 0 {
		t.Fatalf("configuring the provider: %v %v", err, resp)
	}
	return &direct{tb: t, server: p, schema: schema, typ: schema.ResourceSchemas[resourceType].ValueType()}
}

func (d *direct) must(err error, diags []*tfprotov6.Diagnostic) {
	d.tb.Helper()
	if err != nil || slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }) {
		d.tb.Fatalf("%v %s", err, strings.Join(texts(diags), "\n"))
	}
}

func (d *direct) value(v *tfprotov6.DynamicValue) tftypes.Value {
	d.tb.Helper()
	got, err := v.Unmarshal(d.typ)
	if err != nil {
		d.tb.Fatal(err)
	}
	return got
}

func (d *direct) dynamic(v tftypes.Value) *tfprotov6.DynamicValue {
	d.tb.Helper()
	got, err := tfprotov6.NewDynamicValue(d.typ, v)
	if err != nil {
		d.tb.Fatal(err)
	}
	return &got
}

// imported is the object after an import by id and the read that follows it.
func (d *direct) imported(id string) (object, []*tfprotov6.Diagnostic) {
	d.tb.Helper()
	resp, err := d.server.ImportResourceState(d.tb.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: resourceType, ID: id})
	d.must(err, resp.Diagnostics)
	r := resp.ImportedResources[0]
	return d.read(object{state: d.value(r.State), private: r.Private})
}

// read refreshes an object.
func (d *direct) read(o object) (object, []*tfprotov6.Diagnostic) {
	d.tb.Helper()
	return d.readWith(d.tb.Context(), o)
}

func (d *direct) readWith(ctx context.Context, o object) (object, []*tfprotov6.Diagnostic) {
	d.tb.Helper()
	resp, err := d.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: resourceType, CurrentState: d.dynamic(o.state), Private: o.private,
	})
	if err != nil {
		d.tb.Fatal(err)
	}
	return object{state: d.value(resp.NewState), private: resp.Private}, resp.Diagnostics
}

// plan plans an object (nil: none yet) towards a configuration (nil: destroy).
func (d *direct) plan(prior *object, c config) *tfprotov6.PlanResourceChangeResponse {
	d.tb.Helper()
	before, private := tftypes.NewValue(d.typ, nil), []byte(nil)
	if prior != nil {
		before, private = prior.state, prior.private
	}
	wanted := tftypes.NewValue(d.typ, nil)
	if c != nil {
		wanted = value(d.typ, c)
	}
	resp, err := d.server.PlanResourceChange(d.tb.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: resourceType, PriorState: d.dynamic(before), PriorPrivate: private,
		Config: d.dynamic(wanted), ProposedNewState: d.dynamic(d.proposed(before, wanted)),
	})
	if err != nil {
		d.tb.Fatal(err)
	}
	return resp
}

// proposed is Terraform's proposal: the configuration, and for what is computed
// and not configured the prior value.
func (d *direct) proposed(before, wanted tftypes.Value) tftypes.Value {
	d.tb.Helper()
	if before.IsNull() || wanted.IsNull() {
		return wanted
	}
	was, want := fields(d.tb, before), fields(d.tb, wanted)
	for _, a := range d.schema.ResourceSchemas[resourceType].Block.Attributes {
		if a.Computed && want[a.Name].IsNull() {
			want[a.Name] = was[a.Name]
		}
	}
	if preset := want["input_preset"]; !preset.IsNull() && preset.IsKnown() && !was["input_preset"].IsNull() {
		inner := fields(d.tb, preset)
		if inner["codec"].IsNull() {
			inner["codec"] = fields(d.tb, was["input_preset"])["codec"]
		}
		want["input_preset"] = tftypes.NewValue(preset.Type(), inner)
	}
	return tftypes.NewValue(d.typ, want)
}

func fields(tb testing.TB, v tftypes.Value) map[string]tftypes.Value {
	tb.Helper()
	out := map[string]tftypes.Value{}
	if err := v.As(&out); err != nil {
		tb.Fatal(err)
	}
	return out
}

// str is a string attribute; "<null>" when it is null.
func (d *direct) str(o object, name string) string {
	d.tb.Helper()
	var s *string
	if err := fields(d.tb, o.state)[name].As(&s); err != nil {
		d.tb.Fatal(err)
	}
	if s == nil {
		return "<null>"
	}
	return *s
}

// empty tells whether a plan changes nothing.
func (d *direct) empty(prior object, resp *tfprotov6.PlanResourceChangeResponse) bool {
	return prior.state.Equal(d.value(resp.PlannedState)) && len(resp.RequiresReplace) == 0
}

// edit has every GET of a session answer with a text replaced in the body.
func edit(t testing.TB, s *acctest.Server, call, from, to string) {
	t.Helper()
	s.Fail(simulator.Fault{Call: call, Rewrite: func(body []byte) []byte {
		if !bytes.Contains(body, []byte(from)) {
			t.Errorf("the answer has no %s: %s", from, body)
		}
		return bytes.ReplaceAll(body, []byte(from), []byte(to))
	}})
}

// data reads the data source of all sessions and returns their names.
func (d *direct) data(t testing.TB, name, filters string) []string {
	t.Helper()
	var items []tftypes.Value
	if err := d.dataSource(t, name, filters)["sessions"].As(&items); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, item := range items {
		var name string
		if err := fields(t, item)["name"].As(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// dataSource reads a data source. Its arguments are written as in a configuration.
func (d *direct) dataSource(t testing.TB, name, arguments string) map[string]tftypes.Value {
	t.Helper()
	typ := d.schema.DataSourceSchemas[name].ValueType()
	c := config{}
	for line := range strings.Lines(arguments) {
		key, text, _ := strings.Cut(strings.TrimSpace(line), " = ")
		if n, err := strconv.Atoi(text); err == nil {
			c[key] = n
		} else {
			c[key] = strings.Trim(text, `"`)
		}
	}
	resp, err := d.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: dynamic(t, typ, c)})
	if err != nil {
		t.Fatal(err)
	}
	d.must(nil, resp.Diagnostics)
	state, err := resp.State.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	return fields(t, state)
}
