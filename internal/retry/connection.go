package retry

import (
	"context"
	"net"
)

type avoidKey struct{}

// Avoid returns a context for a request that should use none of these addresses, because a request
// to them has failed or lags. If a name has no other address, they are used nevertheless.
func Avoid(ctx context.Context, addresses ...net.Addr) context.Context {
	return context.WithValue(ctx, avoidKey{}, addresses)
}

// Avoided returns what Avoid was called with.
func Avoided(ctx context.Context) []net.Addr {
	addresses, _ := ctx.Value(avoidKey{}).([]net.Addr)
	return addresses
}

type besideKey struct{}

// Beside returns a context for a request beside which n others to its host begin as soon as their
// addresses are known. Their connections may be made with its own.
func Beside(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, besideKey{}, n)
}

// BesideOf returns what Beside was called with, else 0.
func BesideOf(ctx context.Context) int {
	n, _ := ctx.Value(besideKey{}).(int)
	return n
}
