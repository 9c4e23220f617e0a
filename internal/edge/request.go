package edge

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// object is what a request is about.
type object struct {
	page   string                    // of the documentation, with an anchor
	schema *tfprotov6.Schema         // nil if the provider has no such object
	config *tfprotov6.DynamicValue   // nil if the request has none, or may not be refused because of it
	values []*tfprotov6.DynamicValue // all that the request has; some may be nil
}

func (s *server) about(folder, typeName string, schema *tfprotov6.Schema, config *tfprotov6.DynamicValue, more []*tfprotov6.DynamicValue) object {
	page := folder + "/" + strings.TrimPrefix(typeName, "vodlive_") + ".md#schema"
	return object{page, schema, config, append(more, config)}
}

func (s *server) providerBlock(config *tfprotov6.DynamicValue) object {
	return object{"index.md#schema", s.config.Schema().Provider, config, nil}
}

func (s *server) resource(typeName string, config *tfprotov6.DynamicValue, more ...*tfprotov6.DynamicValue) object {
	return s.about("resources", typeName, s.config.Schema().ResourceSchemas[typeName], config, more)
}

func (s *server) dataSource(typeName string, config *tfprotov6.DynamicValue) object {
	return s.about("data-sources", typeName, s.config.Schema().DataSourceSchemas[typeName], config, nil)
}

func (s *server) ephemeral(typeName string, config *tfprotov6.DynamicValue) object {
	return s.about("ephemeral-resources", typeName, s.config.Schema().EphemeralResourceSchemas[typeName], config, nil)
}

func (s *server) list(typeName string, config *tfprotov6.DynamicValue) object {
	return s.about("list-resources", typeName, s.config.Schema().ListResourceSchemas[typeName], config, nil)
}

func (s *server) action(typeName string, config *tfprotov6.DynamicValue) object {
	var schema *tfprotov6.Schema
	if action := s.config.Schema().ActionSchemas[typeName]; action != nil {
		schema = action.Schema
	}
	return s.about("actions", typeName, schema, config, nil)
}
