// Command terraform-provider-vodlive, built of this folder, has the schema of the real provider and does nothing: what
// is computed is unknown in the plan, and some text or number once applied. An apply with it shows what the CLI takes by
// itself, which with the CLI's own terraform_data it does not: talking to a provider, and showing and keeping what that
// says, is work of the CLI, too.
package main

import (
	"context"
	"log"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
)

type idle struct {
	tfprotov6.ProviderServer // for the schema
	schemas                  map[string]*tfprotov6.Schema
}

func main() {
	served := provider.NewServer(provider.New("idle")(), provider.Unlogged)
	schema, err := served.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		log.Fatal(err)
	}
	err = tf6server.Serve("registry.terraform.io/vodlive/vodlive", func() tfprotov6.ProviderServer {
		return idle{served, schema.ResourceSchemas}
	})
	if err != nil {
		log.Fatal(err)
	}
}

func (idle) ValidateProviderConfig(_ context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

func (idle) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (idle) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (p idle) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	planned, err := p.change(req.TypeName, req.ProposedNewState, func(a *tfprotov6.SchemaAttribute, v tftypes.Value) tftypes.Value {
		if a.Computed && v.IsNull() {
			return tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
		}
		return v
	})
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: planned}, err
}

func (p idle) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	state, err := p.change(req.TypeName, req.PlannedState, func(a *tfprotov6.SchemaAttribute, v tftypes.Value) tftypes.Value {
		switch typ := a.ValueType(); {
		case v.IsKnown():
			return v
		case typ.Is(tftypes.String):
			return tftypes.NewValue(typ, strings.Repeat("x", 64))
		case typ.Is(tftypes.Number):
			return tftypes.NewValue(typ, big.NewFloat(1<<20))
		default:
			return tftypes.NewValue(typ, nil)
		}
	})
	return &tfprotov6.ApplyResourceChangeResponse{NewState: state}, err
}

// change makes a resource anew, attribute by attribute. What is null stays null: it is removed.
func (p idle) change(typeName string, from *tfprotov6.DynamicValue, attribute func(*tfprotov6.SchemaAttribute, tftypes.Value) tftypes.Value) (*tfprotov6.DynamicValue, error) {
	schema := p.schemas[typeName]
	value, err := from.Unmarshal(schema.ValueType())
	if err != nil || value.IsNull() {
		return from, err
	}
	var values map[string]tftypes.Value
	if err := value.As(&values); err != nil {
		return nil, err
	}
	for _, a := range schema.Block.Attributes {
		values[a.Name] = attribute(a, values[a.Name])
	}
	changed, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), values))
	return &changed, err
}
