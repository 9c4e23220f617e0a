package wire

import (
	"context"
	"errors"
	"net/http"
)

// authorize adds the credential. After a 401 it gets another one, once in a call, and repeats the
// attempt, whichever call it is: a request with 401 was refused before anything was done.
func authorize(next handler) handler {
	return func(ctx context.Context, x *exchange) (*response, error) {
		if err := x.authorize(ctx, ""); err != nil {
			return nil, err
		}
		res, err := next(ctx, x)
		if err != nil || res.status != http.StatusUnauthorized || x.renewed || !x.Endpoint.credential.Renewable() {
			return res, err
		}
		x.renewed = true
		if err := x.authorize(ctx, x.authorization); err != nil {
			return res, err
		}
		return next(ctx, x)
	}
}

func (x *exchange) authorize(ctx context.Context, rejected string) error {
	header, err := x.Endpoint.credential.Header(ctx, rejected)
	switch {
	case err == nil:
		x.mask.Add(header)
		x.authorization = header
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ended(ctx)
	}
	return &callError{fault: faultFinal, text: x.mask.Line(err.Error()), cause: err}
}
