//go:build linux || darwin

package wire

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsentBytes is how many bytes the kernel takes for a connection beyond those that it can send
// now.
const unsentBytes = 128 << 10

// limitUnsent makes what is handed over nearly what is sent (TCP_NOTSENT_LOWAT): otherwise the end
// of a part counts as sent while it waits in the send buffer of a slow connection.
func limitUnsent(conn net.Conn) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := socket.SyscallConn(); err == nil {
		// Uploads work without it, too.
		_ = raw.Control(func(fd uintptr) {
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentBytes)
		})
	}
}
