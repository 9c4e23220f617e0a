package edge_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/edge"
	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

// fake is a provider with one data source, which fails, and one action, which runs until it is
// interrupted.
type fake struct {
	detail string
	after  time.Duration // that the action takes to end
}

func (f *fake) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "fake"
}
func (f *fake) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (f *fake) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (f *fake) Resources(context.Context) []func() resource.Resource                              { return nil }

func (f *fake) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &failing{f.detail} }}
}

func (f *fake) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return &slow{f.after} }}
}

type failing struct{ detail string }

func (d *failing) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "fake_source"
}

func (d *failing) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = datasourceschema.Schema{Attributes: map[string]datasourceschema.Attribute{"url": datasourceschema.StringAttribute{Optional: true}}}
}

func (d *failing) Read(_ context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.AddAttributeError(path.Root("preset").AtName("codec"), "About "+d.detail, d.detail)
}

type slow struct{ after time.Duration }

func (a *slow) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "fake_action"
}

func (a *slow) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{}
}

func (a *slow) Invoke(ctx context.Context, _ action.InvokeRequest, resp *action.InvokeResponse) {
	resp.SendProgress(action.InvokeProgressEvent{Message: "the known-secret of the action"})
	<-ctx.Done()
	time.Sleep(a.after)
	resp.Diagnostics.AddError("Interrupted", "with the known-secret")
}

func object(t *testing.T, attributes map[string]tftypes.Type, values map[string]tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	typ := tftypes.Object{AttributeTypes: attributes}
	value, err := tfprotov6.NewDynamicValue(typ, tftypes.NewValue(typ, values))
	if err != nil {
		t.Fatal(err)
	}
	return &value
}

// TestDiagnostics: a diagnostic is masked, also for the stream keys of its request, then cut, and
// its path ends where Terraform shows a line.
func TestDiagnostics(t *testing.T) {
	t.Parallel()
	const address = "rtmp://in.example.com/live/stream-key-1"
	for detail, want := range map[string]string{
		"the known-secret\x1b[2J and stream-key-1": `the ***\u001b[2J and ***`,
		strings.Repeat("é", 20<<10):                strings.Repeat("é", 8<<10) + "…",
	} {
		server := edge.New(&fake{detail: detail}, redact.New("known-secret"), false)
		config := object(t, map[string]tftypes.Type{"url": tftypes.String}, map[string]tftypes.Value{"url": tftypes.NewValue(tftypes.String, address)})
		resp, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "fake_source", Config: config})
		if err != nil || len(resp.Diagnostics) != 1 {
			t.Fatalf("%v, %v", resp, err)
		}
		d := resp.Diagnostics[0]
		if d.Detail != want || !d.Attribute.Equal(tftypes.NewAttributePath().WithAttributeName("preset")) || strings.Contains(d.Summary, "known-secret") {
			t.Errorf("got %s: %.100s at %s", d.Summary, d.Detail, d.Attribute)
		}
	}
}

// TestStop: a stop cancels actions, and returns when they have sent their errors, or six seconds
// later.
func TestStop(t *testing.T) {
	t.Parallel()
	for after, ends := range map[time.Duration]bool{4 * time.Second: true, time.Hour: false} {
		synctest.Test(t, func(t *testing.T) {
			server := edge.New(&fake{after: after}, redact.New("known-secret"), false)
			invoker, ok := server.(tfprotov6.ActionServer)
			if !ok {
				t.Fatal(errors.New("it invokes no action"))
			}
			stream, err := invoker.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{ActionType: "fake_action", Config: object(t, nil, nil)})
			if err != nil {
				t.Fatal(err)
			}
			var shown strings.Builder
			var ended atomic.Bool
			go func() {
				for event := range stream.Events {
					switch e := event.Type.(type) {
					case tfprotov6.ProgressInvokeActionEventType:
						shown.WriteString(e.Message)
					case tfprotov6.CompletedInvokeActionEventType:
						shown.WriteString(e.Diagnostics[0].Detail)
						ended.Store(true)
					}
				}
			}()
			time.Sleep(time.Second)
			begun := time.Now()
			if _, err := server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if took := time.Since(begun); ended.Load() != ends || took > 6*time.Second {
				t.Errorf("after %s: %t", took, ended.Load())
			}
			time.Sleep(after) // until the action has ended
			synctest.Wait()
			if want := "the *** of the actionwith the ***"; shown.String() != want {
				t.Errorf("got %s, want %s", shown.String(), want)
			}
		})
	}
}
