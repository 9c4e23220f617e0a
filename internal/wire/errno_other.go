//go:build !windows

package wire

import "syscall"

// errnoRefused is the system's error for a connection that nobody accepted.
const errnoRefused = syscall.ECONNREFUSED
