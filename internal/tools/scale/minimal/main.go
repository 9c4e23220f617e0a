// Command minimal is the yardstick of start-up time, memory and size: a provider that does nothing, on the same version
// of the plugin framework and built the same way as ours. It has one of each kind that a provider template commonly
// shows (resource, data source, function, ephemeral resource, action), and links an HTTP client as every provider does.
// It must be served by a CLI or the bench; nothing it does has an effect.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run the provider so that a debugger can be attached")
	flag.Parse()
	err := providerserver.Serve(context.Background(), func() provider.Provider { return &minimal{} }, providerserver.ServeOpts{
		Address: "registry.terraform.io/vodlive/minimal",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}

type minimal struct{}

var (
	_ provider.ProviderWithActions            = (*minimal)(nil)
	_ provider.ProviderWithEphemeralResources = (*minimal)(nil)
	_ provider.ProviderWithFunctions          = (*minimal)(nil)
)

func (*minimal) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName, resp.Version = "minimal", version
}

func (*minimal) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"address": schema.StringAttribute{Optional: true, MarkdownDescription: "Address of a service."},
	}}
}

func (*minimal) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config struct {
		Address types.String `tfsdk:"address"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client := &http.Client{Timeout: time.Minute}
	resp.ResourceData, resp.DataSourceData = client, client
	resp.EphemeralResourceData, resp.ActionData = client, client
}

func (*minimal) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &thing{} },
		func() resource.Resource { return &wide{} },
	}
}

func (*minimal) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &look{} }}
}

func (*minimal) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &secret{} }}
}

func (*minimal) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return &press{} }}
}

func (*minimal) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return echo{} }}
}
