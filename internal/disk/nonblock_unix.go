//go:build unix

package disk

import "syscall"

// NonBlock is a flag of os.OpenFile with which opening a pipe does not wait for its other end. For
// a regular file it changes nothing.
const NonBlock = syscall.O_NONBLOCK
