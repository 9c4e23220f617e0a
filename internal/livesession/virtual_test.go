package livesession_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/livesession"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessions"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// inMemory hands requests to a service in the same process, without a connection: in a bubble of testing/synctest, only
// then all waits are virtual.
type inMemory struct{ service *simulator.Service }

func (m inMemory) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	defer func() {
		if broken := recover(); broken != nil {
			resp, err = nil, io.ErrUnexpectedEOF
		}
	}()
	recorder := httptest.NewRecorder()
	served := req.Clone(req.Context())
	if served.Body == nil {
		served.Body = http.NoBody
	}
	m.service.ServeHTTP(recorder, served)
	return recorder.Result(), nil
}

// sessionsOnly is a provider that has the resource and a service in memory.
type sessionsOnly struct{ data *providerdata.Data }

func (sessionsOnly) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "vodlive"
}

func (sessionsOnly) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (p sessionsOnly) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = p.data
}

func (sessionsOnly) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (sessionsOnly) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{livesession.NewResource}
}

// connectInMemory is connect for a bubble of testing/synctest. Each call is another run of the provider.
func connectInMemory(t testing.TB, service *simulator.Service) *direct {
	t.Helper()
	client, err := api.New(api.Config{
		LiveBaseURL: "https://live.example.com", AccessTokenID: simulator.DefaultAccessTokenID, SecretKey: simulator.DefaultSecretKey,
		Transport: inMemory{service},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := sessionsOnly{providerdata.New(providerdata.Settings{
		API: client, Sessions: sessions.New(client), LiveAddress: "https://live.example.com", SkipRegionValidation: true,
	})}
	server := providerserver.NewProtocol6(p)()
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: dynamic(t, schema.Provider.ValueType(), config{})}); err != nil {
		t.Fatal(err)
	}
	return &direct{tb: t, server: server, schema: schema, typ: schema.ResourceSchemas[resourceType].ValueType()}
}

// create plans and creates a session as Terraform does; the object has what Terraform would keep.
func (d *direct) create(ctx context.Context, c config) (object, []*tfprotov6.Diagnostic) {
	d.tb.Helper()
	planned := d.plan(nil, c)
	d.must(nil, planned.Diagnostics)
	return d.apply(ctx, nil, c, planned)
}

// apply carries out a plan.
func (d *direct) apply(ctx context.Context, prior *object, c config, planned *tfprotov6.PlanResourceChangeResponse) (object, []*tfprotov6.Diagnostic) {
	d.tb.Helper()
	before := tftypes.NewValue(d.typ, nil)
	if prior != nil {
		before = prior.state
	}
	resp, err := d.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: resourceType, PriorState: d.dynamic(before), Config: d.dynamic(value(d.typ, c)),
		PlannedState: planned.PlannedState, PlannedPrivate: planned.PlannedPrivate,
	})
	if err != nil {
		d.tb.Fatal(err)
	}
	return object{state: d.value(resp.NewState), private: resp.Private}, resp.Diagnostics
}

// after calls f so much later.
func after(d time.Duration, f func()) { time.AfterFunc(d, f) }

func joined(diags []*tfprotov6.Diagnostic) string { return strings.Join(texts(diags), "\n") }
