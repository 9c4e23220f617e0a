package provider_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// configured is a provider at an address where nothing listens, so that every request is an error.
func configured(t *testing.T, config attrs, deferral bool) *acctest.Provider {
	t.Helper()
	p := acctest.NewProvider(t, map[string]string{
		"VODLIVE_BASE_URL": "http://127.0.0.1:1", "VODLIVE_VOD_BASE_URL": "http://127.0.0.1:1",
		"VODLIVE_ACCESS_TOKEN_ID": "id", "VODLIVE_SECRET_KEY": "key", "VODLIVE_ID_TOKEN": "token",
	})
	resp := respond(t, p.Server.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.2", Config: p.Config(p.Schema.Provider, config),
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: deferral},
	})
	acctest.Diagnostics(resp.Diagnostics).Must(t)
	return p
}

func respond[Q, R any](t *testing.T, call func(context.Context, Q) (R, error), req Q) R {
	t.Helper()
	resp, err := call(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// outcome is what matters of a response.
type outcome struct {
	diags    acctest.Diagnostics
	deferred *tfprotov6.Deferred
}

// deferrable makes each call that the protocol can defer, by name.
func deferrable(t *testing.T, p *acctest.Provider) map[string]outcome {
	t.Helper()
	job := attrs{"paths": []string{"vod/input/c/u/a.mp4"}, "service_modes": []string{"m"}}
	file := clip(t, "auto")
	outcomes := map[string]outcome{}
	for typ, config := range map[string]attrs{"vodlive_live_session": match, "vodlive_media_upload": file, "vodlive_batch_job": job} {
		schema := p.Schema.ResourceSchemas[typ]
		plan := respond(t, p.Server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
			TypeName: typ, PriorState: p.Dynamic(acctest.Value(schema.ValueType(), nil)),
			Config: p.Config(schema, config), ProposedNewState: proposed(p, schema, config),
		})
		outcomes["plan "+typ] = outcome{plan.Diagnostics, plan.Deferred}
	}
	const session = "vodlive_live_session"
	read := respond(t, p.Server.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: session, CurrentState: p.Config(p.Schema.ResourceSchemas[session], match.With(attrs{"id": "a"})),
	})
	outcomes["read"] = outcome{read.Diagnostics, read.Deferred}
	imported := respond(t, p.Server.ImportResourceState, &tfprotov6.ImportResourceStateRequest{TypeName: session, ID: "a"})
	outcomes["import"] = outcome{imported.Diagnostics, imported.Deferred}
	for typ, config := range map[string]attrs{"vodlive_regions": nil, session: {"id": "a"}, "vodlive_live_sessions": nil} {
		data := respond(t, p.Server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{
			TypeName: typ, Config: p.Config(p.Schema.DataSourceSchemas[typ], config),
		})
		outcomes["data "+typ] = outcome{data.Diagnostics, data.Deferred}
	}
	const url = "vodlive_upload_url"
	opened := respond(t, p.Server.OpenEphemeralResource, &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: url, Config: p.Config(p.Schema.EphemeralResourceSchemas[url], attrs{"file_name": "a.mp4"}),
	})
	outcomes["open"] = outcome{opened.Diagnostics, opened.Deferred}
	for typ, config := range map[string]attrs{
		"vodlive_process_media": {"source": file["source"], "service_modes": []string{"m"}}, "vodlive_submit_batch_job": job,
	} {
		plan := respond(t, p.Server.(tfprotov6.ActionServer).PlanAction, &tfprotov6.PlanActionRequest{
			ActionType: typ, Config: p.Config(p.Schema.ActionSchemas[typ].Schema, config),
		})
		outcomes["plan "+typ] = outcome{plan.Diagnostics, plan.Deferred}
	}
	return outcomes
}

// proposed is the proposal for a new resource: its configuration, and unknown for the rest.
func proposed(p *acctest.Provider, schema *tfprotov6.Schema, config attrs) *tfprotov6.DynamicValue {
	proposal := attrs{}
	for _, a := range schema.Block.Attributes {
		if v, ok := config[a.Name]; ok {
			proposal[a.Name] = v
		} else if a.Computed {
			proposal[a.Name] = acctest.Unknown
		}
	}
	return p.Config(schema, proposal)
}

// TestUnknownProviderConfigurationDefers has everything wait for the configuration if the client
// allows it, and nothing be deferred if it does not or if the configuration is known.
func TestUnknownProviderConfigurationDefers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unknown := attrs{"id_token": acctest.Unknown}
		for name, a := range deferrable(t, configured(t, unknown, true)) {
			if len(a.diags) > 0 || a.deferred == nil || a.deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
				t.Errorf("%s is not deferred: %+v, %s", name, a.deferred, a.diags)
			}
		}
		failing := 0
		for name, a := range deferrable(t, configured(t, unknown, false)) {
			if a.deferred != nil {
				t.Errorf("%s is deferred without the client's leave", name)
			}
			if a.diags.Failed() {
				failing++
				if !strings.Contains(a.diags.String(), "The provider configuration is not known yet") {
					t.Errorf("%s: %s", name, a.diags)
				}
			}
		}
		if want := 3 + 1; failing != want { // data sources and the ephemeral resource
			t.Errorf("%d calls fail without deferral, want %d", failing, want)
		}
		known := configured(t, attrs{"max_retries": 0}, true)
		for name, a := range deferrable(t, known) {
			if a.deferred != nil {
				t.Errorf("%s is deferred although the configuration is known", name)
			}
		}
	})
}
