//go:build !windows

package api

import "syscall"

// What the system says of a connection that nobody accepted, and of one that the other end broke.
var (
	errnosRefused = []error{syscall.ECONNREFUSED}
	errnosBroken  = []error{syscall.ECONNRESET, syscall.EPIPE}
)
