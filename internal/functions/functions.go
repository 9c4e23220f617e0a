// Package functions is the provider's functions. They are pure: the same arguments give the same result on every
// machine, without configuration or network.
package functions

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// All returns the constructors of every function.
func All() []func() function.Function {
	return []func() function.Function{
		func() function.Function { return parseKeyPath{} },
		func() function.Function { return schedule{} },
		func() function.Function { return scheduleUTC{} },
	}
}

// argumentError is an error of one argument. The CLI ends the text with a full stop of its own.
func argumentError(argument int64, text string) *function.FuncError {
	return function.NewArgumentFuncError(argument, strings.TrimSuffix(text, "."))
}
