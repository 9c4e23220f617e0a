package transfer

import (
	"context"
	"crypto/md5" //nolint:gosec // the ETag of S3 is an MD5
	"hash"
	"slices"
	"sync"
	"time"

	"github.com/minio/crc64nvme"
	md5simd "github.com/minio/md5-simd"
)

const (
	// laneCount is how many sums the multi-lane code computes at once. md5simd
	// names it only where it has such code; elsewhere it computes one by one.
	laneCount = 16
	// lanesWorth is the fewest sums at once for which the multi-lane code beats
	// the standard library's.
	lanesWorth = 3
	// lanesBatch is how many sums are collected: half of the parts of default size that may be read
	// ahead, so that as many can be read while these are computed. AVX2 has no more lanes anyway.
	lanesBatch = int(aheadBytes / DefaultPartSize / 2)
	// laneLeast is the least bytes for which a lane is worth its preparation.
	laneLeast = 256 << 10
	// partDelay is how long a part's sum may wait for others to fill the lanes.
	// Nobody waits for it meanwhile; and where 16 parts take longer, the line is
	// so slow that the processor has time to spare.
	partDelay = time.Second
	// fileDelay is the same for a small file, of which several may come at once. It
	// is about what sending one takes at least.
	fileDelay = 6 * time.Millisecond

	// laneServerBytes is what md5simd holds for its lanes: three buffers of 32 KiB each.
	laneServerBytes = 3 * laneCount * 32 << 10
)

// md5Queue computes the MD5 of several parts at once. One sum by itself cannot be
// split up, and runs at half the speed of SHA-256; but a processor with AVX2
// or AVX-512 computes up to 16 of them in the time of one. The parts in flight
// are too few for that, so the sums are no business of the senders: they are
// collected until there are enough, or nothing more is to come, or one has waited
// long enough, and are then computed from the page cache.
type md5Queue struct {
	buffers *buffers

	mu      sync.Mutex
	waiting []*partSum
	running int
	urgent  bool // all that wait are to be started as lanes get free
	timer   *time.Timer
	due     time.Time
	blocked int            // uploads that read on only when parts are done with
	uploads int            // in progress, which keep the server
	server  md5simd.Server // nil until a sum needs it
	spare   []md5simd.Hasher
}

// partSum is the MD5 of a section of a file, with the CRC-64/NVME of the same bytes: it must equal
// that of the first read, or the MD5 is that of other content.
type partSum struct {
	section
	ctx    context.Context
	cancel context.CancelFunc
	wanted bool // somebody waits for it
	done   chan struct{}
	md5    [md5.Size]byte // valid once done, if err is nil
	crc    uint64
	err    error
}

// keepServer keeps what md5simd has allocated until release is called: made anew for each batch of sums, it would be most of
// the garbage of an upload.
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

// closeServer ends the server that nobody needs any more; q.mu is held.
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

// add asks for a sum, which starts within the delay.
func (q *md5Queue) add(ctx context.Context, s *partSum, delay time.Duration) *partSum {
	s.done = make(chan struct{})
	// It ends with wait or drop, not with ctx: a part that storage holds
	// already is verified and reported although the upload was cancelled.
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, s)
	q.start()
	if len(q.waiting) > 0 {
		q.wakeAt(time.Now().Add(delay))
	}
	return s
}

// flush starts what waits as soon as there are lanes.
func (q *md5Queue) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.urgent = len(q.waiting) > 0
	q.start()
}

// readerWaits says that an upload waits for parts to be done with, until fed is called.
func (q *md5Queue) readerWaits() (fed func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.blocked++
	q.start()
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.blocked--
	}
}

// wait waits for the sum; when ctx ends first, the sum is dropped.
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

// drop ends a sum nobody needs any more. When it returns the file is not read
// any more.
func (q *md5Queue) drop(s *partSum) {
	s.cancel()
	q.mu.Lock()
	if i := slices.Index(q.waiting, s); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.stopTimer()
		q.mu.Unlock()
		s.err = context.Canceled
		close(s.done)
		return
	}
	q.mu.Unlock()
	<-s.done
}

// start moves sums from waiting to running; q.mu is held.
func (q *md5Queue) start() {
	if !q.ready() {
		return
	}
	n := min(len(q.waiting), laneCount-q.running)
	batch := q.waiting[:n]
	q.waiting = slices.Clone(q.waiting[n:])
	q.stopTimer()
	q.running += n
	multi := q.running >= lanesWorth
	for _, s := range batch {
		if multi && s.size >= laneLeast {
			go q.run(s, q.hasher())
		} else {
			go q.run(s, md5.New()) //nolint:gosec // see above
		}
	}
}

// ready reports whether to start what waits. A part that is stored and only lacks its MD5 is not to
// keep another one from being read; q.mu is held.
func (q *md5Queue) ready() bool {
	return q.urgent || q.running == 0 && len(q.waiting) >= lanesBatch ||
		q.blocked > 0 && slices.ContainsFunc(q.waiting, func(s *partSum) bool { return s.wanted })
}

// stopTimer disarms the timer once nothing waits: one that stayed armed, or spent,
// would keep the next sum from getting its own; q.mu is held.
func (q *md5Queue) stopTimer() {
	if len(q.waiting) > 0 {
		return
	}
	q.urgent = false
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
}

// wake is what the timer does.
func (q *md5Queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.timer = nil
	q.urgent = len(q.waiting) > 0
	q.start()
}

func (q *md5Queue) wakeAt(due time.Time) {
	if q.timer != nil {
		if !due.Before(q.due) {
			return
		}
		q.timer.Stop()
	}
	q.due = due
	q.timer = time.AfterFunc(time.Until(due), q.wake)
}

// hasher lends a lane; q.mu is held. Lanes are reused, never closed one by
// one: md5simd does not forget closed ones and looks at each in every round.
func (q *md5Queue) hasher() hash.Hash {
	if q.server == nil {
		q.server = md5simd.NewServer()
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

func (q *md5Queue) run(s *partSum, h hash.Hash) {
	s.err = s.compute(h, q.buffers)
	close(s.done)
	s.cancel()

	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if lane, ok := h.(md5simd.Hasher); ok {
		q.spare = append(q.spare, lane)
	}
	q.start()
	q.closeServer()
}

func (s *partSum) compute(h hash.Hash, pool *buffers) error {
	src, done, err := s.src.reader()
	if err != nil {
		return err
	}
	defer done()
	buf := pool.get(laneBuffer)
	defer pool.put(buf)
	err = section{src, s.off, s.size}.chunks(s.ctx, buf, func(chunk []byte) error {
		h.Write(chunk)
		s.crc = crc64nvme.Update(s.crc, chunk)
		return nil
	})
	h.Sum(s.md5[:0])
	return err
}
