package wire

import "syscall"

// errnoRefused is the system's error for a connection that nobody accepted: WSAECONNREFUSED, which
// package syscall does not name.
const errnoRefused = syscall.Errno(10061)
