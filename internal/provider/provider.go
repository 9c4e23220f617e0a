// Package provider has the provider's schema and configuration, and registers its resources, data
// sources, list resources, ephemeral resources, actions and functions. Configure passes one
// providerdata.Data to all of them. Before Configure, the provider reads no file and opens no
// connection.
package provider

import (
	"context"
	"net"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/batchjob"
	"github.com/vodlive/terraform-provider-vodlive/internal/functions"
	"github.com/vodlive/terraform-provider-vodlive/internal/livesession"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediafolder"
	"github.com/vodlive/terraform-provider-vodlive/internal/mediaupload"
	"github.com/vodlive/terraform-provider-vodlive/internal/processmedia"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

var (
	_ provider.ProviderWithListResources      = (*vodlive)(nil)
	_ provider.ProviderWithEphemeralResources = (*vodlive)(nil)
	_ provider.ProviderWithActions            = (*vodlive)(nil)
	_ provider.ProviderWithFunctions          = (*vodlive)(nil)
	_ provider.ProviderWithValidateConfig     = (*vodlive)(nil)
)

type vodlive struct {
	version  string
	machine  Machine
	redactor *redact.Redactor
}

// Machine is what a provider process runs on. Tests give each process its own.
type Machine struct {
	Env    Environment
	Dial   Dial              // nil uses TCP
	OnRead func(path string) // called before each read of a file that is sent; nil: nothing is
}

// Environment looks up a variable as os.LookupEnv does.
type Environment func(name string) (value string, set bool)

// Dial opens a connection as net.Dialer.DialContext does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

func (p *vodlive) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "vodlive"
	resp.Version = p.version
}

// ValidateConfig applies the rules of Configure to what the provider block has, without the
// environment and without reading a file.
func (p *vodlive) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r := resolver{env: func(string) (string, bool) { return "", false }, withoutFiles: true}
	r.resolve(m)
	resp.Diagnostics.Append(r.diags...)
}

func (p *vodlive) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r := resolver{env: p.machine.Env}
	s := r.resolve(m)
	resp.Diagnostics.Append(r.diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	s.api.UserAgent = userAgent(p.version, p.machine.Env)
	s.api.DialContext, s.engine.OnRead = p.machine.Dial, p.machine.OnRead
	s.api.Redactor, s.engine.Redactor, s.upload.Redactor = p.redactor, p.redactor, p.redactor
	// Without the values that are unknown there is no client, and the engine only hashes files.
	if !s.data.Unknown {
		s.data.API = api.New(s.api)
		s.upload.API, s.engine.Transport = s.data.API, s.data.API.StorageTransport()
	}
	s.upload.Engine = transfer.New(s.engine)
	s.data.Uploader = upload.New(s.upload)
	if s.data.Unknown && req.ClientCapabilities.DeferralAllowed {
		// The framework then defers everything but list resources, which the protocol cannot defer.
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	}
	resp.ResourceData, resp.DataSourceData, resp.ListResourceData = s.data, s.data, s.data
	resp.EphemeralResourceData, resp.ActionData = s.data, s.data
}

func (p *vodlive) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		livesession.NewResource,
		mediaupload.NewResource,
		mediafolder.NewResource,
		batchjob.NewResource,
	}
}

func (p *vodlive) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		livesession.NewRegionsDataSource,
		livesession.NewDataSource,
		livesession.NewListDataSource,
	}
}

func (p *vodlive) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{livesession.NewListResource}
}

func (p *vodlive) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{livesession.NewEphemeralResource, mediaupload.NewEphemeralResource}
}

func (p *vodlive) Actions(context.Context) []func() action.Action {
	return []func() action.Action{batchjob.NewAction, processmedia.NewAction}
}

func (p *vodlive) Functions(context.Context) []func() function.Function { return functions.All() }
