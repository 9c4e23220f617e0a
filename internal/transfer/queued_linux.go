package transfer

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// queued returns how many bytes written to a connection the other side has not confirmed yet, 0 if
// that cannot be told.
func queued(c net.Conn) (n int) {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	socket, ok := c.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if n, err = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ); err != nil {
			n = 0
		}
	})
	return n
}
