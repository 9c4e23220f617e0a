package wire

import "syscall"

// The errors of the system for a connection that nobody accepted, and for one that the other end
// broke. Windows has numbers of its own, of which package syscall names only some.
var (
	errnosRefused = []error{syscall.Errno(10061)} // WSAECONNREFUSED
	errnosBroken  = []error{syscall.WSAECONNRESET, syscall.WSAECONNABORTED}
)
