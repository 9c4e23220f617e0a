package retry

import (
	"context"
	"net"
)

type elsewhereKey struct{}

// Elsewhere returns a context for a request that should use none of these addresses, because a request to them
// has failed or lags. Where a name has no other address they are used all the same.
func Elsewhere(ctx context.Context, avoid ...net.Addr) context.Context {
	if len(avoid) == 0 {
		return ctx
	}
	return context.WithValue(ctx, elsewhereKey{}, avoid)
}

// Avoided returns what Elsewhere was called with.
func Avoided(ctx context.Context) []net.Addr {
	avoid, _ := ctx.Value(elsewhereKey{}).([]net.Addr)
	return avoid
}
