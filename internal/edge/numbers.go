package edge

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// checkNumbers returns an error for each number of a configuration that the types of the provider
// cannot hold: all are int64. The framework calls such a value an error in the provider.
func checkNumbers(of object) (errors []*tfprotov6.Diagnostic) {
	if of.config == nil || of.schema == nil || !slices.ContainsFunc(of.schema.Block.Attributes, isNumber) {
		return nil
	}
	value, unreadable := of.config.Unmarshal(of.schema.ValueType())
	if unreadable != nil { // the framework says what is wrong with it
		return nil
	}
	_ = tftypes.Walk(value, func(path *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		var n big.Float
		if !v.Type().Is(tftypes.Number) || !v.IsKnown() || v.IsNull() {
			return true, nil
		}
		if err := v.As(&n); err != nil {
			return false, err
		}
		var problem string
		switch _, accuracy := n.Int64(); {
		case !n.IsInt():
			problem = "which is not a whole number"
		case accuracy != big.Exact:
			problem = fmt.Sprintf("which is out of range: whole numbers are from %d to %d", int64(math.MinInt64), int64(math.MaxInt64))
		default:
			return true, nil
		}
		name := path.LastStep().(tftypes.AttributeName) //nolint:forcetypeassert // no collection of the provider has numbers
		errors = append(errors, &tfprotov6.Diagnostic{
			Severity: tfprotov6.DiagnosticSeverityError, Attribute: path, Summary: "Invalid value",
			Detail: fmt.Sprintf("`%s` is %s, %s.", name, decimal(&n), problem),
		})
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
