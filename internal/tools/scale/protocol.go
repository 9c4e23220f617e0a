package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
)

// protocol is a provider in this process that is spoken to as a CLI does.
type protocol struct {
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

// newProtocol starts a provider that sees the given environment, and configures it.
func newProtocol(ctx context.Context, env map[string]string) (*protocol, error) {
	lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	p := &protocol{server: provider.NewServer(provider.NewWithEnvironment("scale", lookup)(), provider.Unlogged)}
	var err error
	if p.schema, err = p.server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		return nil, err
	}
	config, err := object(p.schema.Provider, nil)
	if err != nil {
		return nil, err
	}
	resp, err := p.server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.11.4", Config: config})
	if err != nil {
		return nil, err
	}
	return p, diagnosed(resp.Diagnostics)
}

// object is a configuration with some attributes, all others null.
func object(schema *tfprotov6.Schema, attributes map[string]tftypes.Value) (*tfprotov6.DynamicValue, error) {
	typ, ok := schema.ValueType().(tftypes.Object)
	if !ok {
		return nil, errors.New("a schema that is no object")
	}
	values := map[string]tftypes.Value{}
	for name, t := range typ.AttributeTypes {
		values[name] = tftypes.NewValue(t, nil)
		if v, ok := attributes[name]; ok {
			values[name] = v
		}
	}
	value, err := tfprotov6.NewDynamicValue(typ, tftypes.NewValue(typ, values))
	return &value, err
}

func diagnosed(list []*tfprotov6.Diagnostic) error {
	for _, d := range list {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return fmt.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	return nil
}

// refresh reads one resource of the state, as a plan does.
func (p *protocol) refresh(ctx context.Context, typ string, attributes json.RawMessage) error {
	state, err := p.upgrade(ctx, typ, attributes)
	if err != nil {
		return err
	}
	return p.read(ctx, typ, state)
}

// upgrade brings a resource of the state to the form that the provider reads.
func (p *protocol) upgrade(ctx context.Context, typ string, attributes json.RawMessage) (*tfprotov6.DynamicValue, error) {
	resp, err := p.server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: typ, RawState: &tfprotov6.RawState{JSON: attributes}})
	if err != nil {
		return nil, err
	}
	return resp.UpgradedState, diagnosed(resp.Diagnostics)
}

func (p *protocol) read(ctx context.Context, typ string, state *tfprotov6.DynamicValue) error {
	resp, err := p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ, CurrentState: state})
	if err != nil {
		return err
	}
	return diagnosed(resp.Diagnostics)
}

// unchanged is what a plan does for one resource that does not change: read it, validate its configuration, plan it.
func (p *protocol) unchanged(ctx context.Context, typ string, state json.RawMessage, arguments map[string]tftypes.Value) error {
	upgraded, err := p.server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: typ, RawState: &tfprotov6.RawState{JSON: state}})
	if err != nil {
		return err
	}
	read, err := p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ, CurrentState: upgraded.UpgradedState})
	if err != nil {
		return err
	}
	if err := errors.Join(diagnosed(read.Diagnostics), p.validate(ctx, typ, arguments)); err != nil {
		return err
	}
	config, err := object(p.schema.ResourceSchemas[typ], arguments)
	if err != nil {
		return err
	}
	plan, err := p.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typ, PriorState: read.NewState, ProposedNewState: read.NewState, Config: config,
	})
	if err != nil {
		return err
	}
	return diagnosed(plan.Diagnostics)
}

// validate validates one resource of a configuration.
func (p *protocol) validate(ctx context.Context, typ string, attributes map[string]tftypes.Value) error {
	config, err := object(p.schema.ResourceSchemas[typ], attributes)
	if err != nil {
		return err
	}
	resp, err := p.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: typ, Config: config})
	if err != nil {
		return err
	}
	return diagnosed(resp.Diagnostics)
}

// create plans and applies one new resource.
func (p *protocol) create(ctx context.Context, typ string, attributes map[string]tftypes.Value) error {
	schema := p.schema.ResourceSchemas[typ]
	config, err := object(schema, attributes)
	if err != nil {
		return err
	}
	proposed := map[string]tftypes.Value{}
	for _, a := range schema.Block.Attributes {
		switch v, ok := attributes[a.Name]; {
		case ok:
			proposed[a.Name] = v
		case a.Computed:
			proposed[a.Name] = tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
		}
	}
	wanted, err := object(schema, proposed)
	if err != nil {
		return err
	}
	null, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), nil))
	if err != nil {
		return err
	}
	plan, err := p.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{TypeName: typ, PriorState: &null, ProposedNewState: wanted, Config: config})
	if err != nil {
		return err
	}
	if err := diagnosed(plan.Diagnostics); err != nil {
		return err
	}
	applied, err := p.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: typ, PriorState: &null, PlannedState: plan.PlannedState, Config: config, PlannedPrivate: plan.PlannedPrivate,
	})
	if err != nil {
		return err
	}
	return diagnosed(applied.Diagnostics)
}

// atOnce is how many resources a CLI works on at the same time.
const atOnce = 10

// walk does something n times, ten at once, in order.
func walk(n int, do func(i int) error) error {
	queue := make(chan int)
	errs := make(chan error, n)
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for i := range queue {
				errs <- do(i)
			}
		})
	}
	for i := range n {
		queue <- i
	}
	close(queue)
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
