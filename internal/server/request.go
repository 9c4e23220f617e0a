package server

import (
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// kind is what a request is about.
type kind struct {
	folder string // of its pages in the documentation, "" for the provider
	schema func(all *tfprotov6.GetProviderSchemaResponse, typeName string) *tfprotov6.Schema
}

var (
	providerBlock = kind{"", func(all *tfprotov6.GetProviderSchemaResponse, _ string) *tfprotov6.Schema { return all.Provider }}
	resource      = kind{"resources", func(all *tfprotov6.GetProviderSchemaResponse, typeName string) *tfprotov6.Schema {
		return all.ResourceSchemas[typeName]
	}}
	dataSource = kind{"data-sources", func(all *tfprotov6.GetProviderSchemaResponse, typeName string) *tfprotov6.Schema {
		return all.DataSourceSchemas[typeName]
	}}
	ephemeral = kind{"ephemeral-resources", func(all *tfprotov6.GetProviderSchemaResponse, typeName string) *tfprotov6.Schema {
		return all.EphemeralResourceSchemas[typeName]
	}}
	list = kind{"list-resources", func(all *tfprotov6.GetProviderSchemaResponse, typeName string) *tfprotov6.Schema {
		return all.ListResourceSchemas[typeName]
	}}
	action = kind{"actions", func(all *tfprotov6.GetProviderSchemaResponse, typeName string) *tfprotov6.Schema {
		if action := all.ActionSchemas[typeName]; action != nil {
			return action.Schema
		}
		return nil
	}}
)

// kinds are those of the requests that have a configuration, a plan or a state.
var kinds = map[reflect.Type]kind{
	reflect.TypeFor[*tfprotov6.ValidateProviderConfigRequest]():          providerBlock,
	reflect.TypeFor[*tfprotov6.ValidateResourceConfigRequest]():          resource,
	reflect.TypeFor[*tfprotov6.UpgradeResourceStateRequest]():            resource,
	reflect.TypeFor[*tfprotov6.ReadResourceRequest]():                    resource,
	reflect.TypeFor[*tfprotov6.PlanResourceChangeRequest]():              resource,
	reflect.TypeFor[*tfprotov6.ApplyResourceChangeRequest]():             resource,
	reflect.TypeFor[*tfprotov6.ValidateDataResourceConfigRequest]():      dataSource,
	reflect.TypeFor[*tfprotov6.ReadDataSourceRequest]():                  dataSource,
	reflect.TypeFor[*tfprotov6.ValidateEphemeralResourceConfigRequest](): ephemeral,
	reflect.TypeFor[*tfprotov6.OpenEphemeralResourceRequest]():           ephemeral,
	reflect.TypeFor[*tfprotov6.ValidateListResourceConfigRequest]():      list,
	reflect.TypeFor[*tfprotov6.ListResourceRequest]():                    list,
	reflect.TypeFor[*tfprotov6.ValidateActionConfigRequest]():            action,
	reflect.TypeFor[*tfprotov6.PlanActionRequest]():                      action,
	reflect.TypeFor[*tfprotov6.InvokeActionRequest]():                    action,
}

// typeOf is the type that a request is about, "" for the provider.
func typeOf(req any) string {
	v := reflect.Indirect(reflect.ValueOf(req))
	for _, name := range []string{"TypeName", "ActionType"} {
		if field := v.FieldByName(name); field.IsValid() {
			return field.String()
		}
	}
	return ""
}

// schemaOf returns the schema of what a request is about, nil for other requests than those of
// kinds.
func (s *server) schemaOf(req any) *tfprotov6.Schema {
	of, ok := kinds[reflect.TypeOf(req)]
	if all := s.schema(); ok && all != nil {
		return of.schema(all, typeOf(req))
	}
	return nil
}

// validated is the configuration that a request validates, nil if it validates none.
func validated(req any) *tfprotov6.DynamicValue {
	if t := reflect.TypeOf(req); t == nil || !strings.HasPrefix(t.Elem().Name(), "Validate") {
		return nil
	}
	config, _ := reflect.TypeAssert[*tfprotov6.DynamicValue](reflect.ValueOf(req).Elem().FieldByName("Config"))
	return config
}

// pageOf returns the page of what a request validates, "" if it validates nothing.
func pageOf(req any) string {
	of := kinds[reflect.TypeOf(req)]
	switch {
	case validated(req) == nil:
		return ""
	case of.folder == "":
		return "index.md"
	}
	return of.folder + "/" + strings.TrimPrefix(typeOf(req), "vodlive_") + ".md"
}
