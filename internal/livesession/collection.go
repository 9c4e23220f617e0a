package livesession

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A list or map of sessions has the attributes withoutURLs. Their URLs, which carry stream keys, are
// in a map of their own that is sensitive as a whole: Terraform's time for a resource or a data
// source grows with the square of its sensitive values.
var (
	withoutURLs = slices.DeleteFunc(slices.Clone(attributes), func(a attribute) bool { return a.sensitive })
	onlyURLs    = slices.DeleteFunc(slices.Clone(attributes), func(a attribute) bool { return !a.sensitive })
)

// computedAttributes returns attributes of a session as values of the service. A is the interface of
// the schema of a resource, a data source or an ephemeral resource: those of a resource implement all.
func computedAttributes[A any](list []attribute) map[string]A {
	computed := map[string]A{}
	for _, a := range list {
		computed[a.name] = any(a.computed()).(A) //nolint:forcetypeassert // see above
	}
	return computed
}

// urlsAttribute returns the map of the URLs of sessions.
func urlsAttribute(description string) schema.MapAttribute {
	return schema.MapAttribute{Computed: true, Sensitive: true, MarkdownDescription: description, ElementType: objectType(onlyURLs)}
}

// object returns the values of attributes of the session.
func (m *session) object(list []attribute) types.Object {
	kinds, values := map[string]attr.Type{}, map[string]attr.Value{}
	for _, a := range list {
		value := a.value(m)
		kinds[a.name], values[a.name] = value.Type(context.Background()), value
	}
	return types.ObjectValueMust(kinds, values)
}

// objectType returns the type of an object of these attributes.
func objectType(list []attribute) attr.Type {
	none := newSession()
	return none.object(list).Type(context.Background())
}
