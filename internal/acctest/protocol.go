package acctest

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Protocol is a configured provider that is spoken to as Terraform does, in process: for what needs a newer CLI than
// the one at hand.
type Protocol struct {
	tb     testing.TB
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

// Protocol configures a provider by s.Environment with the changes of overrides over it.
func (s *Server) Protocol(tb testing.TB, overrides ...map[string]string) *Protocol {
	tb.Helper()
	server, err := s.Factories(tb, overrides...)["vodlive"]()
	if err != nil {
		tb.Fatal(err)
	}
	p := &Protocol{tb: tb, server: server}
	if p.schema, err = server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		tb.Fatal(err)
	}
	resp, err := server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.2", Config: p.config(p.schema.Provider, nil),
	})
	if err != nil || len(resp.Diagnostics) > 0 {
		tb.Fatalf("configuring the provider: %v%s", err, Diagnostics(resp.Diagnostics))
	}
	return p
}

// Diagnostics is a list of diagnostics as text, a line each.
func Diagnostics(diags []*tfprotov6.Diagnostic) string {
	var b strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&b, "\n%s: %s: %s", d.Severity, d.Summary, d.Detail)
	}
	return b.String()
}

// config is a configuration in which every attribute that is not given is null.
func (p *Protocol) config(schema *tfprotov6.Schema, attributes map[string]tftypes.Value) *tfprotov6.DynamicValue {
	p.tb.Helper()
	if schema == nil {
		p.tb.Fatal("the provider has no such type")
	}
	object, ok := schema.ValueType().(tftypes.Object)
	if !ok {
		p.tb.Fatalf("a schema of type %T", schema.ValueType())
	}
	values := map[string]tftypes.Value{}
	for name, typ := range object.AttributeTypes {
		values[name] = tftypes.NewValue(typ, nil)
	}
	maps.Copy(values, attributes)
	value, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		p.tb.Fatal(err)
	}
	return &value
}

// Text and Texts are attribute values of a configuration.
func Text(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

// Texts is a list of strings.
func Texts(s ...string) tftypes.Value {
	elements := make([]tftypes.Value, len(s))
	for i, v := range s {
		elements[i] = Text(v)
	}
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, elements)
}

// Invoke validates, plans and runs an action, and returns its progress messages. It stops at the first diagnostics
// with an error.
func (p *Protocol) Invoke(ctx context.Context, name string, attributes map[string]tftypes.Value) (progress []string, diags []*tfprotov6.Diagnostic) {
	p.tb.Helper()
	server, ok := p.server.(tfprotov6.ActionServer)
	if !ok {
		p.tb.Fatal("the provider has no actions")
	}
	if p.schema.ActionSchemas[name] == nil {
		p.tb.Fatalf("the provider has no action %s", name)
	}
	config := p.config(p.schema.ActionSchemas[name].Schema, attributes)
	validated, err := server.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
	if err != nil {
		p.tb.Fatal(err)
	}
	if failed(validated.Diagnostics) {
		return nil, validated.Diagnostics
	}
	planned, err := server.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: name, Config: config})
	if err != nil {
		p.tb.Fatal(err)
	}
	if failed(planned.Diagnostics) {
		return nil, planned.Diagnostics
	}
	stream, err := server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: name, Config: config})
	if err != nil {
		p.tb.Fatal(err)
	}
	for event := range stream.Events {
		switch e := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, e.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			diags = append(diags, e.Diagnostics...)
		}
	}
	return progress, diags
}

func failed(diags []*tfprotov6.Diagnostic) bool {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}

// Open validates and opens an ephemeral resource and returns its string attributes.
func (p *Protocol) Open(ctx context.Context, name string, attributes map[string]tftypes.Value) (map[string]string, []*tfprotov6.Diagnostic) {
	p.tb.Helper()
	schema := p.schema.EphemeralResourceSchemas[name]
	config := p.config(schema, attributes)
	validated, err := p.server.ValidateEphemeralResourceConfig(ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config})
	if err != nil {
		p.tb.Fatal(err)
	}
	if failed(validated.Diagnostics) {
		return nil, validated.Diagnostics
	}
	opened, err := p.server.OpenEphemeralResource(ctx, &tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: config})
	if err != nil {
		p.tb.Fatal(err)
	}
	if failed(opened.Diagnostics) {
		return nil, opened.Diagnostics
	}
	value, err := opened.Result.Unmarshal(schema.ValueType())
	if err != nil {
		p.tb.Fatal(err)
	}
	var object map[string]tftypes.Value
	if err := value.As(&object); err != nil {
		p.tb.Fatal(err)
	}
	texts := map[string]string{}
	for key, v := range object {
		var text string
		if v.IsKnown() && !v.IsNull() && v.As(&text) == nil {
			texts[key] = text
		}
	}
	return texts, opened.Diagnostics
}
