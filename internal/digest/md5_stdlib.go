//go:build !amd64 || stdlibmd5

package digest

// lanes says that md5simd computes several sums at once. It has code for amd64 only. The standard
// library computes one sum after the other on each processor.
const lanes = false
