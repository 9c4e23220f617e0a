package main

import (
	"bufio"
	"io"
	"net"
	"sync/atomic"
	"syscall"
)

// discard drops n bytes, and counts them while they come. With MSG_TRUNC the kernel drops what a
// socket has received without copying it.
func discard(c net.Conn, r *bufio.Reader, n int64, count *atomic.Int64) error {
	socket, ok := c.(*net.TCPConn)
	for n > 0 && (!ok || r.Buffered() > 0) {
		if _, err := r.Peek(1); err != nil {
			return err
		}
		have, err := r.Discard(int(min(int64(r.Buffered()), n)))
		if err != nil {
			return err
		}
		n -= int64(have)
		count.Add(int64(have))
	}
	if !ok || n == 0 {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	into := make([]byte, 1<<20) // never written to
	for n > 0 {
		var got int
		var failed error
		err := raw.Read(func(fd uintptr) bool {
			got, _, failed = syscall.Recvfrom(int(fd), into[:min(n, int64(len(into)))], syscall.MSG_TRUNC)
			return failed != syscall.EAGAIN
		})
		switch {
		case err != nil:
			return err
		case failed != nil:
			return failed
		case got == 0:
			return io.ErrUnexpectedEOF
		}
		n -= int64(got)
		count.Add(int64(got))
	}
	return nil
}
