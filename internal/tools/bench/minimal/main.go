// Command terraform-provider-minimal is what the provider's own cost is measured against: one
// resource as wide as a live session, on the same framework, without a rule and without a call.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return minimal{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/vodlive/minimal", ProtocolVersion: 6})
	if err != nil {
		log.Fatal(err)
	}
}

type minimal struct{}

func (minimal) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "minimal"
}
func (minimal) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (minimal) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (minimal) DataSources(context.Context) []func() datasource.DataSource                        { return nil }

func (minimal) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return wide{} }}
}

type wide struct{}

func (wide) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "minimal_wide"
}

func (wide) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"preset": schema.SingleNestedAttribute{Required: true, Attributes: map[string]schema.Attribute{
			"resolution": schema.StringAttribute{Required: true},
			"bitrate":    schema.StringAttribute{Required: true},
		}},
	}
	for i := range 14 {
		attributes[fmt.Sprintf("argument_%d", i)] = schema.StringAttribute{Optional: true}
	}
	for i := range 16 {
		attributes[fmt.Sprintf("value_%d", i)] = schema.StringAttribute{Computed: true}
	}
	resp.Schema = schema.Schema{Attributes: attributes}
}

func (wide) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}
func (wide) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (wide) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (wide) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
