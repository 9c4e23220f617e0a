//go:build amd64 && !stdlibmd5

package digest

// lanes says that md5simd computes several sums at once.
const lanes = true
