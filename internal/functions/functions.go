// Package functions has the functions of the provider. They are pure: the result depends on the
// arguments only.
package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// pure is one function of the provider.
type pure struct {
	name       string
	definition function.Definition
	run        func(context.Context, function.ArgumentsData) (any, *function.FuncError)
}

// All returns the constructors of every function.
func All() []func() function.Function {
	var all []func() function.Function
	for _, f := range []*pure{&formatScheduledAt, &parseRTMPURL} {
		all = append(all, func() function.Function { return f })
	}
	return all
}

func (f *pure) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f *pure) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = f.definition
}

func (f *pure) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, err := f.run(ctx, req.Arguments)
	if err == nil {
		err = resp.Result.Set(ctx, result)
	}
	resp.Error = err
}

// argumentError returns the error for one argument. The CLI appends the full stop. The text does
// not repeat the argument: it may be a secret, which the masker does not know without a
// configuration.
func argumentError(argument int64, text string) *function.FuncError {
	return function.NewArgumentFuncError(argument, text)
}
