//go:build unix

package digest

import "syscall"

// nonBlock is a flag of os.OpenFile with which opening a pipe does not wait for its other end. For
// a regular file it changes nothing.
const nonBlock = syscall.O_NONBLOCK
