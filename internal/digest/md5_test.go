package digest

import (
	"bytes"
	"crypto/md5"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	md5simd "github.com/minio/md5-simd"
)

// TestLanesEqualCryptoMD5 computes every number of sums that a batch may have at once, of contents
// whose lengths differ, and reuses the lanes as md5Queue does.
func TestLanesEqualCryptoMD5(t *testing.T) {
	t.Parallel()
	compareLanes(t)
}

func compareLanes(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	// Around the length of a block, of its padding, and of md5simd's buffers.
	lengths := []int{0, 1, 55, 56, 57, 63, 64, 65, 127, 128, 32<<10 - 1, 32 << 10, 32<<10 + 1, 64 << 10, laneLeast, laneLeast + 9}
	contents := make([][]byte, 2*laneCount)
	for i := range contents {
		contents[i] = make([]byte, lengths[i%len(lengths)]+i/len(lengths)*random.IntN(1<<16))
		for j := range contents[i] {
			contents[i][j] = byte(random.Uint32())
		}
	}

	server := md5simd.NewServer()
	lanes := make([]md5simd.Hasher, laneCount)
	for i := range lanes {
		lanes[i] = server.NewHash()
	}
	defer func() {
		for _, lane := range lanes {
			lane.Close()
		}
		server.Close()
	}()
	for n := 1; n <= laneCount; n++ {
		var sums sync.WaitGroup
		for i, lane := range lanes[:n] {
			content := contents[(i+n)%len(contents)]
			sums.Go(func() {
				lane.Reset()
				// Without the methods that would have io.CopyBuffer pass the content in one piece.
				_, err := io.CopyBuffer(struct{ io.Writer }{lane}, struct{ io.Reader }{bytes.NewReader(content)}, make([]byte, 4093))
				if got, want := lane.Sum(nil), md5.Sum(content); err != nil || !bytes.Equal(got, want[:]) {
					t.Errorf("%d sums at once, lane %d, %d bytes: %x, want %x (%v)", n, i, len(content), got, want, err)
				}
			})
		}
		sums.Wait()
	}
}
