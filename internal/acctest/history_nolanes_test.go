//go:build amd64 && !stdlibmd5

package acctest

const severalParts = false
