package parse

import "strings"

// longestETag is the length, in bytes, of the longest ETag that is kept.
const longestETag = 1 << 10

// ValidETag reports whether an ETag can be kept: it is at most 1 KiB of visible ASCII. S3's are an
// MD5 in hexadecimal, or as long as one. What is kept comes back in records, states and requests.
func ValidETag(etag string) bool {
	return len(etag) <= longestETag && !strings.ContainsFunc(etag, func(c rune) bool { return c < '!' || c > '~' })
}
