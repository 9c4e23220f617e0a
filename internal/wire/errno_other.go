//go:build !windows

package wire

import "syscall"

// refused is the system's error for a connection that nobody accepted.
const refused = syscall.ECONNREFUSED
