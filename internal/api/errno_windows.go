package api

import "syscall"

// What the system says of a connection that nobody accepted, and of one that the other end broke. Windows has numbers of
// its own for them, of which package syscall names only some.
var (
	errnosRefused = []error{syscall.Errno(10061)} // WSAECONNREFUSED
	errnosBroken  = []error{syscall.WSAECONNRESET, syscall.WSAECONNABORTED}
)
