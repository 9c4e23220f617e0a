//go:build amd64 && !stdlibmd5

package digest

import (
	"testing"
	_ "unsafe" // for go:linkname
)

//go:linkname hasAVX512 github.com/minio/md5-simd.hasAVX512
var hasAVX512 bool

// TestLanesWithoutAVX512 computes sums as a processor does that has AVX2 only. It is not parallel,
// so no other test computes sums meanwhile.
func TestLanesWithoutAVX512(t *testing.T) { //nolint:paralleltest // changes a variable of md5simd
	if !hasAVX512 {
		t.Skip("without AVX-512, TestLanesEqualCryptoMD5 does the same")
	}
	hasAVX512 = false
	defer func() { hasAVX512 = true }()
	compareLanes(t)
}
