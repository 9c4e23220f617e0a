package digest

import (
	"context"
	"crypto/fips140"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"hash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/minio/crc64nvme"
	md5simd "github.com/minio/md5-simd"
)

const (
	// laneCount is how many sums SIMD instructions compute at once, each in a lane of the vector
	// registers. md5simd exports the number only on processors that it has such code for.
	laneCount = 16
	// lanesWorth is the smallest number of sums for which SIMD is faster than crypto/md5.
	lanesWorth = 3
	// batchBytes is how much content is enough to start before all lanes are taken. It must fit
	// into the page cache of a small machine twice, or parts are read from disk that were read just
	// before.
	batchBytes = 128 << 20
	// laneLeast is the smallest section in bytes for which SIMD is faster than crypto/md5.
	laneLeast = 256 << 10
	// laneBuffer is how many bytes are read at once for an MD5.
	laneBuffer = 64 << 10
)

// md5Queue computes the MD5 of several parts at once. A single MD5 cannot be computed in parallel
// and takes longer than a SHA-256, but SIMD instructions compute up to 16 in the time of one. The
// senders do not compute the MD5 of what they send: they wait for storage, each at other times, so
// that most lanes would be empty. The sums are collected until there are enough, or one of them is
// waited for. Then the parts are read again, from the page cache.
//
// A sum is in the queue first, then it runs, then it is done. Dropped ones are done at once or
// after their next chunk.
type md5Queue struct {
	buffers sync.Pool // of *[laneBuffer]byte

	mu      sync.Mutex
	waiting []*md5Sum
	running int
	// What md5simd has allocated is kept while a Content is open. Allocated again for each batch,
	// it would be most of an upload's garbage.
	contents int
	server   md5simd.Server // nil until a sum needs it
	spare    []md5simd.Hasher
}

// md5Sum is the MD5 of a section of a file, and the CRC-64/NVME of the same bytes. The CRC must
// equal that of the first read: it proves that both saw the same bytes.
type md5Sum struct {
	of        *file
	off, left int64 // of the bytes that are not read yet
	wanted    bool  // start it as soon as a lane is free
	dropped   atomic.Bool
	hash      hash.Hash
	reader    *file         // nil until it is running
	done      chan struct{} // closed when nothing reads the file any more
	md5       [md5.Size]byte
	crc       uint64
	err       error
}

// open is called for each Content, and close when none of its sums is left.
func (q *md5Queue) open() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.contents++
}

func (q *md5Queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.contents--
	if q.contents > 0 || q.server == nil {
		return
	}
	for _, lane := range q.spare {
		lane.Close()
	}
	q.server.Close()
	q.server, q.spare = nil, nil
}

// add queues the sum of size bytes of a file from an offset. The caller must call wait or drop.
func (q *md5Queue) add(f *file, off, size int64, wanted bool) *md5Sum {
	s := &md5Sum{of: f, off: off, left: size, wanted: wanted, done: make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, s)
	q.start()
	return s
}

// wait waits for a sum. When ctx ends first, it drops the sum.
func (q *md5Queue) wait(ctx context.Context, s *md5Sum) error {
	q.mu.Lock()
	s.wanted = true
	q.start()
	q.mu.Unlock()
	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
		q.drop(s)
		return context.Cause(ctx)
	}
}

// drop cancels a sum. When it returns, nothing reads the file for it any more.
func (q *md5Queue) drop(s *md5Sum) {
	s.dropped.Store(true)
	q.mu.Lock()
	if i := slices.Index(q.waiting, s); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		s.err = context.Canceled
		close(s.done)
	}
	q.mu.Unlock()
	<-s.done
}

// start moves sums from waiting to running. The caller holds q.mu.
func (q *md5Queue) start() {
	if !q.ready() {
		return
	}
	n := min(len(q.waiting), laneCount-q.running)
	batch := q.waiting[:n]
	q.waiting = slices.Clone(q.waiting[n:])
	q.running += n
	var together []*md5Sum
	for _, s := range batch {
		if lanes && q.running >= lanesWorth && s.left >= laneLeast {
			s.hash = q.lane()
			together = append(together, s)
		} else {
			s.hash = NewMD5()
			go q.run(s)
		}
	}
	if len(together) > 0 {
		go q.run(together...)
	}
}

// ready reports whether to start the queued sums. The caller holds q.mu.
func (q *md5Queue) ready() bool {
	var bytes int64
	wanted := false
	for _, s := range q.waiting {
		bytes += s.left
		wanted = wanted || s.wanted
	}
	return wanted || q.running == 0 && (len(q.waiting) >= laneCount || bytes >= batchBytes)
}

// lane returns a free lane. Lanes are reused and never closed one by one, because md5simd visits
// closed ones in every round. The caller holds q.mu.
func (q *md5Queue) lane() hash.Hash {
	if q.server == nil {
		q.server = md5simd.NewServer()
	}
	if n := len(q.spare); n > 0 {
		h := q.spare[n-1]
		q.spare = q.spare[:n-1]
		h.Reset()
		return h
	}
	return q.server.NewHash()
}

// run computes sums in step, a chunk of each in turn. md5simd does not wait until all lanes are
// taken, so their next chunks must be there at the same time.
func (q *md5Queue) run(sums ...*md5Sum) {
	buf, ok := q.buffers.Get().(*[laneBuffer]byte)
	if !ok {
		buf = new([laneBuffer]byte)
	}
	defer q.buffers.Put(buf)
	for len(sums) > 0 {
		sums = slices.DeleteFunc(sums, func(s *md5Sum) bool {
			over := s.next(buf[:])
			if over {
				q.end(s)
			}
			return over
		})
	}
}

// next adds the next chunk, and reports whether that was the last one.
func (s *md5Sum) next(buf []byte) (last bool) {
	if s.reader == nil {
		s.reader, s.err = s.of.reader()
	}
	if s.dropped.Load() {
		s.err = context.Canceled
	}
	chunk := buf[:min(s.left, int64(len(buf)))]
	if s.err == nil {
		s.err = s.reader.readAt(chunk, s.off)
	}
	if s.err != nil {
		return true
	}
	fips140.WithoutEnforcement(func() { s.hash.Write(chunk) }) // md5simd uses crypto/md5 on processors without AVX2
	s.crc = crc64nvme.Update(s.crc, chunk)
	s.off, s.left = s.off+int64(len(chunk)), s.left-int64(len(chunk))
	if s.left == 0 {
		fips140.WithoutEnforcement(func() { s.hash.Sum(s.md5[:0]) })
	}
	return s.left == 0
}

// end notes that a sum has been computed, or has failed. After that the Content may be closed.
func (q *md5Queue) end(s *md5Sum) {
	if s.reader != nil {
		s.reader.close()
	}
	defer close(s.done)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if lane, ok := s.hash.(md5simd.Hasher); ok {
		q.spare = append(q.spare, lane)
	}
	q.start()
}
