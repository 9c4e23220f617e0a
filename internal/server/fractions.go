package server

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// fractions returns an error for each number of a configuration that is not whole. All numbers of
// the provider are, and the framework calls such a value an error in the provider.
func (s *server) fractions(req any) (errors []*tfprotov6.Diagnostic) {
	config, schema := validated(req), s.schemaOf(req)
	if config == nil || schema == nil || !slices.ContainsFunc(schema.Block.Attributes, isNumber) {
		return nil
	}
	value, err := config.Unmarshal(schema.ValueType())
	if err != nil { // the framework says what is wrong with it
		return nil
	}
	_ = tftypes.Walk(value, func(path *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		var n big.Float
		if v.Type().Is(tftypes.Number) && v.IsKnown() && !v.IsNull() && v.As(&n) == nil && !n.IsInt() {
			name := path.LastStep().(tftypes.AttributeName) //nolint:forcetypeassert // no collection of the provider has numbers
			errors = append(errors, &tfprotov6.Diagnostic{
				Severity: tfprotov6.DiagnosticSeverityError, Attribute: path, Summary: fmt.Sprintf("Invalid %s", name),
				Detail: fmt.Sprintf("`%s` is %s, which is not a whole number.", name, decimal(&n)),
			})
		}
		return true, nil
	})
	return errors
}

// decimal is a number as people write it, with an exponent only where there would be many zeros.
func decimal(n *big.Float) string {
	const bits = 64
	if exponent := n.MantExp(nil); exponent > -bits && exponent < bits {
		return n.Text('f', -1)
	}
	return n.Text('g', -1)
}

func isNumber(a *tfprotov6.SchemaAttribute) bool {
	return a.Type != nil && a.Type.Is(tftypes.Number) && (a.Optional || a.Required)
}

// refusal returns a response that has only these errors.
func refusal[R any](errors []*tfprotov6.Diagnostic) R {
	resp := reflect.New(reflect.TypeFor[R]().Elem())
	resp.Elem().FieldByName("Diagnostics").Set(reflect.ValueOf(errors))
	return resp.Interface().(R) //nolint:forcetypeassert // made as such
}
