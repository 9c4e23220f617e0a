package acctest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
)

// Provider is a provider process as Terraform sees it: spoken to over its protocol, here without a
// process. What Terraform keeps from one run to the next is in instances; see Instance.
type Provider struct {
	// Server and Schema are for tests of the protocol itself.
	Server tfprotov6.ProviderServer
	Schema *tfprotov6.GetProviderSchemaResponse

	tb   testing.TB
	ctx  context.Context //nolint:containedctx // of every call, as Terraform's has its logger
	kill func()
}

// NewProvider starts a provider process that sees exactly these environment variables, and is not
// configured yet. World.Provider starts one that reaches a service.
func NewProvider(tb testing.TB, env map[string]string) *Provider {
	tb.Helper()
	skipWithoutCLI(tb)
	return newProvider(tb, provider.Machine{Env: lookup(env)}, true)
}

func newProvider(tb testing.TB, machine provider.Machine, logs bool) *Provider {
	tb.Helper()
	return &Provider{Server: provider.NewServer("test", machine, logs), Schema: provider.Schemas(), tb: tb, ctx: tb.Context()}
}

// Kill cuts a process of World.Provider off from the service, as SIGKILL does: a call that is under
// way fails after its retries, and the caller ignores its result.
func (p *Provider) Kill() { p.kill() }

// must makes a call that may only fail with diagnostics.
func must[Q, R any](p *Provider, call func(context.Context, Q) (R, error), req Q) R {
	p.tb.Helper()
	resp, err := call(p.ctx, req)
	if err != nil {
		p.tb.Fatal(err)
	}
	return resp
}

// WithCancel is p with calls that the function ends, as an interrupt does.
func (p *Provider) WithCancel() (*Provider, context.CancelFunc) {
	c := *p
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(p.ctx)
	return &c, cancel
}

// Configure validates the provider block and configures the provider. nil is a configuration without
// the block.
func (p *Provider) Configure(config Attrs) Diagnostics {
	p.tb.Helper()
	given := p.Config(p.Schema.Provider, config)
	diags := must(p, p.Server.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: given}).Diagnostics
	return append(diags, must(p, p.Server.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.14.2", Config: given}).Diagnostics...)
}

// Config is a configuration by a schema; nil stands for a block without arguments.
func (p *Provider) Config(schema *tfprotov6.Schema, config Attrs) *tfprotov6.DynamicValue {
	p.tb.Helper()
	if schema == nil {
		p.tb.Fatal("the provider has no such type")
	}
	if config == nil {
		config = Attrs{}
	}
	return p.Dynamic(Value(schema.ValueType(), config))
}

// Dynamic is a value as the protocol has it.
func (p *Provider) Dynamic(v tftypes.Value) *tfprotov6.DynamicValue {
	p.tb.Helper()
	d, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		p.tb.Fatal(err)
	}
	return &d
}

func (p *Provider) value(schema *tfprotov6.Schema, d *tfprotov6.DynamicValue) tftypes.Value {
	p.tb.Helper()
	v, err := d.Unmarshal(schema.ValueType())
	if err != nil {
		p.tb.Fatal(err)
	}
	return v
}

// DataSource validates and reads a data source.
func (p *Provider) DataSource(typ string, config Attrs) (Attrs, Diagnostics) {
	p.tb.Helper()
	schema := p.Schema.DataSourceSchemas[typ]
	given := p.Config(schema, config)
	var diags Diagnostics = must(p, p.Server.ValidateDataResourceConfig, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: typ, Config: given}).Diagnostics
	if diags.Failed() {
		return nil, diags
	}
	read := must(p, p.Server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: typ, Config: given})
	if diags = append(diags, read.Diagnostics...); diags.Failed() {
		return nil, diags
	}
	return attrs(p.value(schema, read.State)), diags
}

// Open validates and opens an ephemeral resource.
func (p *Provider) Open(typ string, config Attrs) (Attrs, Diagnostics) {
	p.tb.Helper()
	schema := p.Schema.EphemeralResourceSchemas[typ]
	given := p.Config(schema, config)
	var diags Diagnostics = must(p, p.Server.ValidateEphemeralResourceConfig, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: typ, Config: given}).Diagnostics
	if diags.Failed() {
		return nil, diags
	}
	opened := must(p, p.Server.OpenEphemeralResource, &tfprotov6.OpenEphemeralResourceRequest{TypeName: typ, Config: given})
	if diags = append(diags, opened.Diagnostics...); diags.Failed() {
		return nil, diags
	}
	return attrs(p.value(schema, opened.Result)), diags
}

// PlanAction validates and plans an action, as the plan of the resource that triggers it does.
func (p *Provider) PlanAction(typ string, config Attrs) Diagnostics {
	p.tb.Helper()
	server, given := p.action(typ, config)
	diags := Diagnostics(must(p, server.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{ActionType: typ, Config: given}).Diagnostics)
	if diags.Failed() {
		return diags
	}
	return append(diags, must(p, server.PlanAction, &tfprotov6.PlanActionRequest{ActionType: typ, Config: given}).Diagnostics...)
}

func (p *Provider) action(typ string, config Attrs) (tfprotov6.ActionServer, *tfprotov6.DynamicValue) {
	p.tb.Helper()
	server, ok := p.Server.(tfprotov6.ActionServer)
	if !ok || p.Schema.ActionSchemas[typ] == nil {
		p.tb.Fatalf("the provider has no action %s", typ)
	}
	return server, p.Config(p.Schema.ActionSchemas[typ].Schema, config)
}

// Invoke plans and runs an action, and returns its progress messages.
func (p *Provider) Invoke(typ string, config Attrs) (progress []string, diags Diagnostics) {
	p.tb.Helper()
	if diags = p.PlanAction(typ, config); diags.Failed() {
		return nil, diags
	}
	server, given := p.action(typ, config)
	for event := range must(p, server.InvokeAction, &tfprotov6.InvokeActionRequest{ActionType: typ, Config: given}).Events {
		switch e := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, e.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diags = append(diags, e.Diagnostics...)
		}
	}
	return progress, diags
}

// Listed is one result of a list resource.
type Listed struct {
	Instance // without a state unless that was asked for
	Name     string
	Diags    Diagnostics
}

// List validates a list resource and asks for its results, as `terraform query` does.
func (p *Provider) List(typ string, config Attrs, includeResource bool, limit int64) iter.Seq[Listed] {
	p.tb.Helper()
	server, ok := p.Server.(tfprotov6.ListResourceServer)
	if !ok {
		p.tb.Fatal("the provider has no list resources")
	}
	given := p.Config(p.Schema.ListResourceSchemas[typ], config)
	diags := must(p, server.ValidateListResourceConfig, &tfprotov6.ValidateListResourceConfigRequest{TypeName: typ, Config: given}).Diagnostics
	if len(diags) > 0 {
		return slices.Values([]Listed{{Diags: diags}})
	}
	stream := must(p, server.ListResource, &tfprotov6.ListResourceRequest{TypeName: typ, Config: given, IncludeResource: includeResource, Limit: limit})
	return func(yield func(Listed) bool) {
		for r := range stream.Results {
			listed := Listed{Instance: p.New(typ), Name: r.DisplayName, Diags: r.Diagnostics}
			listed.Identity = r.Identity
			if r.Resource != nil {
				listed.State = p.value(p.Schema.ResourceSchemas[typ], r.Resource)
			}
			if !yield(listed) {
				return
			}
		}
	}
}

// Diagnostics are errors and warnings.
type Diagnostics []*tfprotov6.Diagnostic

// Failed tells whether there is an error.
func (d Diagnostics) Failed() bool {
	return slices.ContainsFunc(d, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError })
}

// Must ends the test if there is an error.
func (d Diagnostics) Must(tb testing.TB) {
	tb.Helper()
	if d.Failed() {
		tb.Fatal(d)
	}
}

// Texts are the diagnostics as "severity path: summary: detail", without the link to the guide.
func (d Diagnostics) Texts() []string {
	var all []string
	for _, d := range d {
		var at []string
		for _, step := range d.Attribute.Steps() {
			name, ok := step.(tftypes.AttributeName)
			if !ok {
				name = "[]"
			}
			at = append(at, string(name))
		}
		all = append(all, fmt.Sprintf("%s %s: %s: %s", strings.ToLower(d.Severity.String()), strings.Join(at, "."), d.Summary, d.Detail))
	}
	return all
}

// String has a line for each diagnostic; "" if there are none.
func (d Diagnostics) String() string { return strings.Join(d.Texts(), "\n") }

// Attrs are attributes by name. A value is nil, Unknown, a string, a number, a bool, a []any, a
// []string or, for an object or a map, Attrs.
type Attrs map[string]any

type unknown string

// Unknown is a value that Terraform does not know yet.
const Unknown unknown = "unknown"

// With is a copy of a with changes over it, object by object.
func (a Attrs) With(changes Attrs) Attrs {
	merged := maps.Clone(a)
	for name, v := range changes {
		if inner, ok := v.(Attrs); ok {
			if before, ok := merged[name].(Attrs); ok {
				v = before.With(inner)
			}
		}
		merged[name] = v
	}
	return merged
}

// Value converts a plain Go value; see Attrs. Attributes that are not given are null.
func Value(typ tftypes.Type, v any) tftypes.Value {
	switch v := v.(type) {
	case Attrs:
		return attrsValue(typ, v)
	case []string:
		return list(typ, v)
	case []any:
		return list(typ, v)
	case unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	default:
		return tftypes.NewValue(typ, v)
	}
}

func attrsValue(typ tftypes.Type, a Attrs) tftypes.Value {
	if a == nil {
		return tftypes.NewValue(typ, nil)
	}
	values := map[string]tftypes.Value{}
	switch typ := typ.(type) {
	case tftypes.Map:
		for name, v := range a {
			values[name] = Value(typ.ElementType, v)
		}
	case tftypes.Object:
		for name := range a {
			if typ.AttributeTypes[name] == nil {
				panic("there is no attribute " + name)
			}
		}
		for name, t := range typ.AttributeTypes {
			values[name] = Value(t, a[name])
		}
	}
	return tftypes.NewValue(typ, values)
}

func list[E any](typ tftypes.Type, items []E) tftypes.Value {
	var element tftypes.Type
	switch typ := typ.(type) {
	case tftypes.List:
		element = typ.ElementType
	case tftypes.Set:
		element = typ.ElementType
	}
	values := []tftypes.Value{}
	for _, item := range items {
		values = append(values, Value(element, item))
	}
	return tftypes.NewValue(typ, values)
}

// goValue is the opposite of Value. Numbers are ints: the provider has no others.
func goValue(v tftypes.Value) any {
	switch {
	case !v.IsKnown():
		return Unknown
	case v.IsNull():
		return nil
	}
	switch typ := v.Type(); {
	case typ.Is(tftypes.String):
		return as[string](v)
	case typ.Is(tftypes.Bool):
		return as[bool](v)
	case typ.Is(tftypes.Number):
		n, _ := as[*big.Float](v).Int64()
		return int(n)
	case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
		return attrs(v)
	default:
		items := []any{}
		for _, item := range as[[]tftypes.Value](v) {
			items = append(items, goValue(item))
		}
		return items
	}
}

// attrs are the attributes of an object, nil if it is null or unknown.
func attrs(v tftypes.Value) Attrs {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	a := Attrs{}
	for name, inner := range as[map[string]tftypes.Value](v) {
		a[name] = goValue(inner)
	}
	return a
}

func as[T any](v tftypes.Value) T {
	var t T
	if err := v.As(&t); err != nil {
		panic(err)
	}
	return t
}
