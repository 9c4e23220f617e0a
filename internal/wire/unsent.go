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

// limitUnsent lets what is handed over be nearly what is sent (TCP_NOTSENT_LOWAT): otherwise the
// end of a part waits in the send buffer for as long as a slow connection needs, and counts as
// sent.
func limitUnsent(conn net.Conn) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return
	}
	// Uploads work without it, too.
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentBytes)
	})
}
