//go:build !amd64 || stdlibmd5

package digest

import (
	"crypto/md5" //nolint:gosec // see md5.go
	"hash"
)

// The standard library replaces md5simd, which has code for amd64 only, and with the build tag
// stdlibmd5: the same sums, one after the other on each processor.
type (
	laneServer interface {
		NewHash() laneHasher
		Close()
	}
	laneHasher interface {
		hash.Hash
		Close()
	}

	stdlibServer struct{}
	stdlibHasher struct{ hash.Hash }
)

const (
	inStep          = 1
	laneServerBytes = 0
)

func newLaneServer() laneServer { return stdlibServer{} }

func (stdlibServer) NewHash() laneHasher { return stdlibHasher{md5.New()} } //nolint:gosec // see md5.go
func (stdlibServer) Close()              {}
func (stdlibHasher) Close()              {}
