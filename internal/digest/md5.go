package digest

import (
	"context"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"hash"
	"slices"
	"sync"

	"github.com/minio/crc64nvme"
)

const (
	// laneCount is how many sums SIMD instructions compute at once, each in a lane of the vector
	// registers. md5simd exports the number only on processors that it has such code for.
	laneCount = 16
	// lanesWorth is the smallest number of sums for which SIMD is faster than crypto/md5.
	lanesWorth = 3
	// batchBytes is how much content is enough to start before all lanes are taken. It must fit into the page
	// cache of a small machine twice, or parts are read from disk that were read just before.
	batchBytes = 128 << 20
	// laneLeast is the smallest section in bytes for which SIMD is faster than crypto/md5.
	laneLeast = 256 << 10
	// laneFile is the largest content in bytes whose MD5 is computed with those of others while all of it is
	// sent. Larger ones are limited by the network, so their MD5 is computed on the way.
	laneFile = 64 << 20
	// laneBuffer is how many bytes are read at once for an MD5.
	laneBuffer = 64 << 10
)

// md5Queue computes the MD5 of several parts at once. A single MD5 cannot be computed in parallel and
// takes longer than a SHA-256, but SIMD instructions compute up to 16 in the time of one. The senders do
// not compute the MD5 of what they send: they wait for storage, each at other times, so that most lanes
// would be empty. The sums are collected until there are enough, or one of them is waited for. Then the
// parts are read again, from the page cache.
type md5Queue struct {
	buffers *buffers

	mu      sync.Mutex
	waiting []*partSum
	running int
	uploads int        // in progress; the server is kept for them
	server  laneServer // nil until a sum needs it
	spare   []laneHasher
}

// partSum is the MD5 of a section of a file, and the CRC-64/NVME of the same bytes. The CRC must
// equal that of the first read: it proves that both saw the same bytes.
type partSum struct {
	section *Section
	ctx     context.Context
	cancel  context.CancelFunc
	wanted  bool // start it as soon as a lane is free
	hash    hash.Hash
	file    *file
	close   func() // the file
	read    int64  // bytes added
	done    chan struct{}
	md5     [md5.Size]byte // valid once done, if err is nil
	crc     uint64
	err     error
}

// keepServer keeps what md5simd has allocated until release is called. Allocated anew for each batch,
// it would be most of an upload's garbage.
func (q *md5Queue) keepServer() (release func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.uploads++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.uploads--
		q.closeServer()
	}
}

// closeServer closes the server if no upload needs it. The caller holds q.mu.
func (q *md5Queue) closeServer() {
	if q.uploads > 0 || q.running > 0 || q.server == nil {
		return
	}
	for _, lane := range q.spare {
		lane.Close()
	}
	q.server.Close()
	q.server, q.spare = nil, nil
	q.buffers.account(-laneServerBytes)
}

// add queues a sum. The caller must call wait or drop.
func (q *md5Queue) add(ctx context.Context, s *partSum) *partSum {
	s.done = make(chan struct{})
	// Ignore ctx's cancellation: a part that is already stored is verified and reported after it.
	// wait and drop end the sum.
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, s)
	q.start()
	return s
}

// wait waits for a sum. When ctx ends first, it drops the sum.
func (q *md5Queue) wait(ctx context.Context, s *partSum) error {
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
func (q *md5Queue) drop(s *partSum) {
	s.cancel()
	q.mu.Lock()
	if i := slices.Index(q.waiting, s); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.mu.Unlock()
		s.err = context.Canceled
		close(s.done)
		return
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
	multi := q.running >= lanesWorth
	var together []*partSum
	for _, s := range batch {
		if multi && s.section.Size >= laneLeast {
			s.hash = q.hasher()
			together = append(together, s)
		} else {
			s.hash = md5.New() //nolint:gosec // see above
			go q.run(s)
		}
	}
	for sums := range slices.Chunk(together, inStep) {
		go q.run(sums...)
	}
}

// ready reports whether to start the queued sums. The caller holds q.mu.
func (q *md5Queue) ready() bool {
	var bytes int64
	wanted := false
	for _, s := range q.waiting {
		bytes += s.section.Size
		wanted = wanted || s.wanted
	}
	return wanted || q.running == 0 && (len(q.waiting) >= laneCount || bytes >= batchBytes)
}

// hasher returns a free lane. Lanes are reused and never closed one by one, because md5simd visits
// closed ones in every round. The caller holds q.mu.
func (q *md5Queue) hasher() hash.Hash {
	if q.server == nil {
		q.server = newLaneServer()
		q.buffers.account(laneServerBytes)
	}
	if n := len(q.spare); n > 0 {
		h := q.spare[n-1]
		q.spare = q.spare[:n-1]
		h.Reset()
		return h
	}
	return q.server.NewHash()
}

// run computes sums in step, a chunk of each in turn. md5simd does not wait until all lanes are taken, so
// their next chunks must be there at the same time.
func (q *md5Queue) run(sums ...*partSum) {
	buf := q.buffers.get(laneBuffer)
	for _, s := range sums {
		s.file, s.close, s.err = s.section.of.file.reader()
	}
	for left := len(sums); left > 0; {
		sums = slices.DeleteFunc(sums, func(s *partSum) bool {
			over := s.next(buf)
			if over {
				if left--; left == 0 {
					q.buffers.put(buf)
				}
				q.end(s)
			}
			return over
		})
	}
}

// end notes that a sum has been computed, or has failed. After that the upload may end.
func (q *md5Queue) end(s *partSum) {
	s.close()
	s.cancel()
	defer close(s.done)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if lane, ok := s.hash.(laneHasher); ok {
		q.spare = append(q.spare, lane)
	}
	q.start()
	q.closeServer()
}

// next adds the next chunk, and reports whether that was the last one.
func (s *partSum) next(buf []byte) (last bool) {
	if s.err == nil {
		s.err = context.Cause(s.ctx)
	}
	if s.err != nil {
		return true
	}
	chunk := buf[:min(s.section.Size-s.read, int64(len(buf)))]
	if s.err = s.file.readAt(chunk, s.section.off+s.read); s.err != nil {
		return true
	}
	s.hash.Write(chunk)
	s.crc = crc64nvme.Update(s.crc, chunk)
	s.read += int64(len(chunk))
	if s.read < s.section.Size {
		return false
	}
	s.hash.Sum(s.md5[:0])
	return true
}
