// Command terraform-provider-vodlive, built of this folder, has the schema of the real provider and does nothing: what
// is proposed is planned, what is planned is applied. An apply with it shows what the CLI takes by itself, which with
// the CLI's own terraform_data it does not: talking to a provider is work of the CLI, too.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
)

type idle struct {
	tfprotov6.ProviderServer // for the schema
}

func main() {
	err := tf6server.Serve("registry.terraform.io/vodlive/vodlive", func() tfprotov6.ProviderServer {
		return idle{provider.NewServer(provider.New("idle")(), provider.Unlogged)}
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

func (idle) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.ProposedNewState}, nil
}

func (idle) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState}, nil
}
