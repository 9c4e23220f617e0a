//go:build !linux

package main

import (
	"bufio"
	"net"
)

// discard drops n bytes.
func discard(_ net.Conn, r *bufio.Reader, n int64) error {
	_, err := r.Discard(int(n))
	return err
}
