//go:build linux || darwin

package wire

import (
	"net"
	"runtime"
	"syscall"
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
	option := 0x19 // TCP_NOTSENT_LOWAT, which package syscall does not have
	if runtime.GOOS == "darwin" {
		option = 0x201
	}
	// Uploads work without it, too.
	_ = raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, option, unsentBytes) })
}
