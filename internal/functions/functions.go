// Package functions has the functions of the provider. They are pure: the result depends on the
// arguments only.
package functions

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// All returns the constructors of every function.
func All() []func() function.Function {
	return []func() function.Function{
		func() function.Function { return importBlocks{} },
		func() function.Function { return parseKeyPath{} },
		func() function.Function { return parseRTMPURL{} },
		func() function.Function { return schedule{} },
		func() function.Function { return scheduleUTC{} },
	}
}

// argumentError returns the error for one argument. The CLI appends the full stop.
func argumentError(argument int64, text string) *function.FuncError {
	return function.NewArgumentFuncError(argument, strings.TrimSuffix(text, "."))
}
