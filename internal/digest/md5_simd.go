//go:build amd64 && !stdlibmd5

package digest

import md5simd "github.com/minio/md5-simd"

type (
	laneServer = md5simd.Server
	laneHasher = md5simd.Hasher
)

// inStep is how many sums one goroutine computes.
const inStep = laneCount

// laneServerBytes is what md5simd allocates: three buffers of 32 KiB for each lane.
const laneServerBytes = 3 * laneCount * 32 << 10

func newLaneServer() laneServer { return md5simd.NewServer() }
