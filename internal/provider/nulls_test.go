package provider_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
)

// meaningfulNulls are the collections in which a null means something.
var meaningfulNulls = map[string]string{
	"triggers": "a map of nulls is like no map",
}

// TestNullsInCollections puts a null into every collection of every object in turn. Variables that
// may be null bring them there. It is an error that names the argument, or it has a meaning.
func TestNullsInCollections(t *testing.T) {
	t.Parallel()
	p := acctest.NewProvider(t, nil)
	tested := 0
	for kind, of := range validations(p) {
		for name, schema := range of.schemas {
			for _, a := range schema.Block.Attributes {
				config := attrs{}
				switch {
				case !a.Required && !a.Optional || a.NestedType != nil:
					continue
				case a.Type.Is(tftypes.Map{}):
					config[a.Name] = attrs{"key": nil}
				case a.Type.Is(tftypes.Set{}) || a.Type.Is(tftypes.List{}):
					config[a.Name] = []any{nil}
				default:
					continue
				}
				tested++
				id := strings.Join([]string{kind, name, a.Name}, " ")
				diags, err := of.validate(t.Context(), name, p.Config(schema, config))
				if err != nil {
					t.Fatalf("%s: %s", id, err)
				}
				refused := slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool {
					return d.Severity == tfprotov6.DiagnosticSeverityError && d.Attribute != nil &&
						d.Attribute.Steps()[0] == tftypes.AttributeName(a.Name) && strings.Contains(d.Detail, "null")
				})
				if _, meaningful := meaningfulNulls[a.Name]; refused == meaningful {
					t.Errorf("%s: a null is refused: %v\n%s", id, refused, acctest.Diagnostics(diags))
				}
			}
		}
	}
	if tested < 15 {
		t.Errorf("%d collections are tested", tested)
	}
}

// validation validates configurations of one kind of objects.
type validation struct {
	schemas  map[string]*tfprotov6.Schema
	validate func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error)
}

func validations(p *acctest.Provider) map[string]validation {
	actions := map[string]*tfprotov6.Schema{}
	for name, s := range maps.All(p.Schema.ActionSchemas) {
		actions[name] = s.Schema
	}
	return map[string]validation{
		"provider": {map[string]*tfprotov6.Schema{"vodlive": p.Schema.Provider}, func(ctx context.Context, _ string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			resp, err := p.Server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
			return resp.Diagnostics, err
		}},
		"resource": {p.Schema.ResourceSchemas, func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			resp, err := p.Server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		}},
		"data": {p.Schema.DataSourceSchemas, func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			resp, err := p.Server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		}},
		"ephemeral": {p.Schema.EphemeralResourceSchemas, func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			resp, err := p.Server.ValidateEphemeralResourceConfig(ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		}},
		"list": {p.Schema.ListResourceSchemas, func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			lists, ok := p.Server.(tfprotov6.ListResourceServer)
			if !ok {
				return nil, errors.New("the server has no list resources")
			}
			resp, err := lists.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		}},
		"action": {actions, func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			actions, ok := p.Server.(tfprotov6.ActionServer)
			if !ok {
				return nil, errors.New("the server has no actions")
			}
			resp, err := actions.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
			return resp.Diagnostics, err
		}},
	}
}
