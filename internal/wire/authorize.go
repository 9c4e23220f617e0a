package wire

import (
	"context"
	"errors"
	"net/http"
)

// authorize adds the credential. After a 401 it gets another one, once in a call, and repeats the
// attempt, whichever call it is: a request with 401 was refused before anything was done.
func (x *exchange) authorize(ctx context.Context) (*response, error) {
	if err := x.setCredential(ctx, ""); err != nil {
		return nil, err
	}
	res, err := x.throttle(ctx)
	if err != nil || res.status != http.StatusUnauthorized || x.renewed || !x.Endpoint.credential.Renewable() {
		return res, err
	}
	x.renewed = true
	if err := x.setCredential(ctx, x.authorization); err != nil {
		return res, err
	}
	return x.throttle(ctx)
}

func (x *exchange) setCredential(ctx context.Context, rejected string) error {
	header, err := x.Endpoint.credential.Header(ctx, rejected)
	switch {
	case err == nil:
		x.mask.AddToken(header)
		x.authorization = header
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ended(ctx)
	}
	return &callError{fault: faultFinal, text: x.mask.Line(err.Error()), cause: err}
}
