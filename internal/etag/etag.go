// Package etag says which ETags of storage can be kept.
package etag

import "strings"

// limit is the length, in bytes, of the longest ETag that is kept.
const limit = 1 << 10

// Valid reports whether an ETag can be kept: it is at most 1 KiB of visible ASCII. S3's are an MD5
// in hexadecimal, or as long as one. What is kept comes back in records, states and requests.
func Valid(etag string) bool {
	return len(etag) <= limit && !strings.ContainsFunc(etag, func(c rune) bool { return c < '!' || c > '~' })
}
