//go:build !windows

package wire

import "syscall"

// The errors of the system for a connection that nobody accepted, and for one that the other end
// broke.
var (
	errnosRefused = []error{syscall.ECONNREFUSED}
	errnosBroken  = []error{syscall.ECONNRESET, syscall.EPIPE}
)
