package providerdata

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Getter is a plan, a state or a configuration.
type Getter interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

// Setter is a plan or a state.
type Setter interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}

// Get reads a plan, state or configuration that is not null into a model: a pointer to a struct
// with fields of framework types, tagged as for the framework's Get. The framework's Get compiles a
// regular expression for each field of each call, a sixth of the time of reading a resource. This
// Get reads the tags of a type once.
func Get(ctx context.Context, from Getter, model any) diag.Diagnostics {
	var object types.Object
	diags := from.Get(ctx, &object)
	if diags.HasError() {
		return diags
	}
	values := object.Attributes()
	target := reflect.ValueOf(model).Elem()
	fields := fieldsOf(target.Type())
	if len(fields) < len(values) {
		diags.AddError("The provider has a bug", fmt.Sprintf("Its schema has %d attributes, its model %d. Please report this.", len(values), len(fields)))
		return diags
	}
	for _, f := range fields {
		value, ok := values[f.attribute]
		if !ok || !reflect.TypeOf(value).AssignableTo(f.typ) {
			diags.AddError("The provider has a bug", fmt.Sprintf("Its model holds the attribute `%s` as %s, its schema as %T. Please report this.", f.attribute, f.typ, value))
			return diags
		}
		target.FieldByIndex(f.index).Set(reflect.ValueOf(value))
	}
	return diags
}

// Set writes a model, as read by Get, to a plan or state.
func Set(ctx context.Context, to Setter, model any) diag.Diagnostics {
	source := reflect.ValueOf(model)
	fields := fieldsOf(source.Type())
	values, kinds := make(map[string]attr.Value, len(fields)), make(map[string]attr.Type, len(fields))
	for _, f := range fields {
		value, ok := reflect.TypeAssert[attr.Value](source.FieldByIndex(f.index))
		if !ok {
			return diag.Diagnostics{diag.NewErrorDiagnostic("The provider has a bug",
				fmt.Sprintf("Its model holds the attribute `%s` as %s, which is not a framework type. Please report this.", f.attribute, f.typ))}
		}
		values[f.attribute], kinds[f.attribute] = value, value.Type(ctx)
	}
	object, diags := types.ObjectValue(kinds, values)
	if diags.HasError() {
		return diags
	}
	return append(diags, to.Set(ctx, object)...)
}

// field is a field of a model or of a struct embedded in it.
type field struct {
	attribute string
	index     []int
	typ       reflect.Type
}

var models sync.Map // reflect.Type of a model -> []field

func fieldsOf(model reflect.Type) []field {
	if known, ok := models.Load(model); ok {
		return known.([]field) //nolint:forcetypeassert // nothing else is stored
	}
	var fields []field
	for _, f := range reflect.VisibleFields(model) {
		if name := f.Tag.Get("tfsdk"); name != "" {
			fields = append(fields, field{attribute: name, index: f.Index, typ: f.Type})
		}
	}
	models.Store(model, fields)
	return fields
}
