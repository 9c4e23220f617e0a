// Command terraform-provider-vodlive is the provider without sensitive attributes: what the time
// that Terraform takes for them is measured against.
package main

import (
	"context"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
)

func main() {
	err := tf6server.Serve("registry.terraform.io/vodlive/vodlive", func() tfprotov6.ProviderServer {
		return plain{provider.NewServer("dev", provider.Machine{Env: os.LookupEnv}, false)}
	})
	if err != nil {
		log.Fatal(err)
	}
}

type plain struct{ tfprotov6.ProviderServer }

func (p plain) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	resp, err := p.ProviderServer.GetProviderSchema(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, schemas := range []map[string]*tfprotov6.Schema{resp.ResourceSchemas, resp.DataSourceSchemas} {
		for _, s := range schemas {
			reveal(s.Block.Attributes)
		}
	}
	return resp, nil
}

func reveal(attributes []*tfprotov6.SchemaAttribute) {
	for _, a := range attributes {
		a.Sensitive = false
		if a.NestedType != nil {
			reveal(a.NestedType.Attributes)
		}
	}
}
