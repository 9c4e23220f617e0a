package wire

import "syscall"

// refused is the system's error for a connection that nobody accepted: WSAECONNREFUSED, which
// package syscall does not name.
const refused = syscall.Errno(10061)
