// Package provider is the provider itself: its schema, its configuration (configuration over environment, attribute by
// attribute), and the registration of everything it offers. What it configures it hands to the nouns as one
// providerdata.Data. It does nothing before it is asked to: no file is read and nothing is dialled while Terraform
// only wants the schema or validates.
package provider

import (
	"context"
	"net"
	"os"

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
	"github.com/vodlive/terraform-provider-vodlive/internal/mediaupload"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/region"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessions"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

var (
	_ provider.ProviderWithListResources      = (*vodlive)(nil)
	_ provider.ProviderWithEphemeralResources = (*vodlive)(nil)
	_ provider.ProviderWithActions            = (*vodlive)(nil)
	_ provider.ProviderWithFunctions          = (*vodlive)(nil)
)

// vodlive is the provider. One value serves one process.
type vodlive struct {
	version string
	env     Environment
	dial    Dial
}

// Environment looks a variable up as os.LookupEnv does.
type Environment func(name string) (value string, set bool)

// Dial makes a connection as net.Dialer.DialContext does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// New returns the constructor that a provider server wants. version is that of the build, "dev" outside a release.
func New(version string) func() provider.Provider { return NewWithEnvironment(version, os.LookupEnv) }

// NewWithEnvironment is New with the environment given, so that tests in one process do not share theirs.
func NewWithEnvironment(version string, env Environment) func() provider.Provider {
	return NewWithNetwork(version, env, nil)
}

// NewWithNetwork is NewWithEnvironment with the network given, too: tests in virtual time need one in memory. nil is TCP.
func NewWithNetwork(version string, env Environment, dial Dial) func() provider.Provider {
	return func() provider.Provider { return &vodlive{version: version, env: env, dial: dial} }
}

func (p *vodlive) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "vodlive"
	resp.Version = p.version
}

func (p *vodlive) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r := resolver{env: p.env}
	set := r.resolve(m)
	resp.Diagnostics.Append(r.diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	set.userAgent = userAgent(p.version, req.TerraformVersion, p.env)
	data, err := set.data(p.dial)
	if err != nil {
		resp.Diagnostics.AddError("The provider cannot be configured", err.Error())
		return
	}
	resp.ResourceData = data
	resp.DataSourceData = data
	resp.ListResourceData = data
	resp.EphemeralResourceData = data
	resp.ActionData = data
}

// data makes the shared client and engine of this process.
func (s *settings) data(dial Dial) (*providerdata.Data, error) {
	d := providerdata.Settings{
		Unknown:              s.unknown,
		LiveAddress:          s.baseURL,
		VODAddress:           s.vodBaseURL,
		MissingLive:          s.missingLive,
		MissingUpload:        s.missingUpload,
		CheckToken:           s.checkToken,
		SkipRegionValidation: s.skipRegionValidation,
		Account:              s.account,
		Resume:               resume.New(s.resumeDir),
		ProgressFile:         s.progressFile,
	}
	if s.unknown {
		d.Transfer = transfer.New(transfer.Config{Concurrency: s.uploadConcurrency}) // a plan hashes files; nothing is sent
		return providerdata.New(d), nil
	}
	client, err := api.New(api.Config{
		LiveBaseURL:    s.baseURL,
		VODBaseURL:     s.vodBaseURL,
		AccessTokenID:  s.accessTokenID,
		SecretKey:      s.secretKey,
		Token:          s.token,
		MaxRetries:     s.maxRetries,
		RequestTimeout: s.requestTimeout,
		UserAgent:      s.userAgent,
		RootCAs:        s.rootCAs,
		DialContext:    dial,
	})
	if err != nil {
		return nil, err
	}
	d.API = client
	d.Sessions = sessions.New(client)
	d.Transfer = transfer.New(transfer.Config{
		Transport:    client.StorageTransport(),
		Concurrency:  s.uploadConcurrency,
		Bandwidth:    s.uploadBandwidth,
		StallTimeout: s.stallTimeout,
		MaxRetries:   s.maxRetries,
	})
	return providerdata.New(d), nil
}

func (p *vodlive) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		livesession.NewResource,
		mediaupload.NewResource,
		batchjob.NewResource,
	}
}

func (p *vodlive) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		region.NewDataSource,
		livesession.NewDataSource,
		livesession.NewListDataSource,
	}
}

func (p *vodlive) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{livesession.NewListResource}
}

func (p *vodlive) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{mediaupload.NewEphemeralResource}
}

func (p *vodlive) Actions(context.Context) []func() action.Action {
	return []func() action.Action{batchjob.NewAction, mediaupload.NewAction}
}

func (p *vodlive) Functions(context.Context) []func() function.Function { return functions.All() }
