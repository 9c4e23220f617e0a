//go:build stdlibmd5

package transfer

import (
	"crypto/md5" //nolint:gosec // see md5.go
	"hash"
)

// The build tag stdlibmd5 replaces md5simd by the standard library: the same sums, one after the
// other on each processor.
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

const laneServerBytes = 0

func newLaneServer() laneServer { return stdlibServer{} }

func (stdlibServer) NewHash() laneHasher { return stdlibHasher{md5.New()} } //nolint:gosec // see md5.go
func (stdlibServer) Close()              {}
func (stdlibHasher) Close()              {}
