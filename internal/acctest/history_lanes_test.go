//go:build !amd64 || stdlibmd5

package acctest

// severalParts tells whether several files of several parts may be sent at once. With md5-simd they
// may not: its goroutines serve a whole process, and a bubble may wait for none outside.
const severalParts = true
