// Command schemajson prints the provider's schemas in the format of `terraform providers schema
// -json`.
//
// It uses the plugin protocol and not a CLI, so that the generated documentation does not depend on
// one: Terraform before 1.14 and OpenTofu leave out actions, list resources and identities. It is a
// separate module, because the provider's own module requires an older terraform-json.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/vodlive/terraform-provider-vodlive/internal/provider"
)

// name is the key under which the documentation generator expects a provider without an address.
const name = "vodlive"

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "schemajson:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	server := provider.NewServer("dev", provider.Machine{Env: os.LookupEnv}, false)
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(&tfjson.ProviderSchemas{
		FormatVersion: "1.0",
		Schemas:       map[string]*tfjson.ProviderSchema{name: convert(provider.Schemas(), identities)},
	})
}

func convert(s *tfprotov6.GetProviderSchemaResponse, i *tfprotov6.GetResourceIdentitySchemasResponse) *tfjson.ProviderSchema {
	return &tfjson.ProviderSchema{
		ConfigSchema:             schema(s.Provider),
		ResourceSchemas:          each(s.ResourceSchemas, schema),
		DataSourceSchemas:        each(s.DataSourceSchemas, schema),
		EphemeralResourceSchemas: each(s.EphemeralResourceSchemas, schema),
		ListResourceSchemas:      each(s.ListResourceSchemas, schema),
		Functions:                each(s.Functions, function),
		ActionSchemas: each(s.ActionSchemas, func(a *tfprotov6.ActionSchema) *tfjson.ActionSchema {
			return &tfjson.ActionSchema{Block: block(a.Schema.Block)}
		}),
		ResourceIdentitySchemas: each(i.IdentitySchemas, identity),
	}
}

func each[From, To any](from map[string]From, convert func(From) To) map[string]To {
	to := make(map[string]To, len(from))
	for key, value := range from {
		to[key] = convert(value)
	}
	return to
}

func schema(s *tfprotov6.Schema) *tfjson.Schema {
	return &tfjson.Schema{Version: uint64(s.Version), Block: block(s.Block)}
}

// block converts a block, which has no blocks in it: nested attributes are the rule.
func block(b *tfprotov6.SchemaBlock) *tfjson.SchemaBlock {
	return &tfjson.SchemaBlock{
		Attributes:      attributes(b.Attributes),
		Description:     b.Description,
		DescriptionKind: named[tfjson.SchemaDescriptionKind](b.DescriptionKind),
		Deprecated:      b.Deprecated,
	}
}

func attributes(list []*tfprotov6.SchemaAttribute) map[string]*tfjson.SchemaAttribute {
	out := make(map[string]*tfjson.SchemaAttribute, len(list))
	for _, a := range list {
		converted := &tfjson.SchemaAttribute{
			Description:     a.Description,
			DescriptionKind: named[tfjson.SchemaDescriptionKind](a.DescriptionKind),
			Deprecated:      a.Deprecated,
			Required:        a.Required,
			Optional:        a.Optional,
			Computed:        a.Computed,
			Sensitive:       a.Sensitive,
			WriteOnly:       a.WriteOnly,
		}
		if a.NestedType == nil {
			converted.AttributeType = ctyType(a.Type)
		} else {
			converted.AttributeNestedType = &tfjson.SchemaNestedAttributeType{
				Attributes:  attributes(a.NestedType.Attributes),
				NestingMode: named[tfjson.SchemaNestingMode](a.NestedType.Nesting),
			}
		}
		out[a.Name] = converted
	}
	return out
}

func identity(s *tfprotov6.ResourceIdentitySchema) *tfjson.IdentitySchema {
	out := &tfjson.IdentitySchema{Version: uint64(s.Version), Attributes: map[string]*tfjson.IdentityAttribute{}}
	for _, a := range s.IdentityAttributes {
		out.Attributes[a.Name] = &tfjson.IdentityAttribute{
			IdentityType:      ctyType(a.Type),
			Description:       a.Description,
			RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}
	return out
}

func function(f *tfprotov6.Function) *tfjson.FunctionSignature {
	out := &tfjson.FunctionSignature{
		Description:        f.Description,
		Summary:            f.Summary,
		DeprecationMessage: f.DeprecationMessage,
		ReturnType:         ctyType(f.Return.Type),
	}
	for _, p := range f.Parameters {
		out.Parameters = append(out.Parameters, parameter(p))
	}
	if f.VariadicParameter != nil {
		out.VariadicParameter = parameter(f.VariadicParameter)
	}
	return out
}

func parameter(p *tfprotov6.FunctionParameter) *tfjson.FunctionParameter {
	return &tfjson.FunctionParameter{Name: p.Name, Description: p.Description, IsNullable: p.AllowNullValue, Type: ctyType(p.Type)}
}

// named converts a constant of the protocol, whose name in lower case is the JSON value.
func named[To ~string](of fmt.Stringer) To { return To(strings.ToLower(of.String())) }

// ctyType converts a type by way of JSON, the only encoding that both libraries share.
func ctyType(t tftypes.Type) cty.Type {
	var out cty.Type
	//nolint:staticcheck // deprecated for other uses, but the encoding of types in the protocol
	text, err := t.MarshalJSON()
	if err == nil {
		err = out.UnmarshalJSON(text)
	}
	if err != nil {
		panic(fmt.Sprintf("a type of the schema cannot be converted: %v", err))
	}
	return out
}
