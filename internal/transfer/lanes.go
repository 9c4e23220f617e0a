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

// lanes computes the MD5 of several parts at once. One sum by itself cannot be
// split up, and runs at half the speed of SHA-256; but a processor with AVX2
// or AVX-512 computes up to 16 of them in the time of one. The parts in flight
// are too few for that, so the sums are no business of the senders: they are
// collected until there are enough, or nothing more is to come, or one has waited
// long enough, and are then computed from the page cache.
type lanes struct {
	buffers *buffers

	mu      sync.Mutex
	waiting []*partSum
	running int
	urgent  bool // all that wait are to be started as lanes get free
	timer   *time.Timer
	due     time.Time
	starved int            // uploads that read on only when parts are done with
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

// hold keeps what md5simd has allocated until release is called: made anew for each batch of sums, it would be most of
// the garbage of an upload.
func (l *lanes) hold() (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.uploads++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.uploads--
		l.dismiss()
	}
}

// dismiss ends the server that nobody needs any more; l.mu is held.
func (l *lanes) dismiss() {
	if l.uploads > 0 || l.running > 0 || l.server == nil {
		return
	}
	for _, lane := range l.spare {
		lane.Close()
	}
	l.server.Close()
	l.server, l.spare = nil, nil
	l.buffers.account(-laneServerBytes)
}

// add asks for a sum, which starts within the delay.
func (l *lanes) add(ctx context.Context, s *partSum, delay time.Duration) *partSum {
	s.done = make(chan struct{})
	// It ends with finish or drop, not with ctx: a part that storage holds
	// already is verified and reported although the upload was cancelled.
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, s)
	l.start()
	if len(l.waiting) > 0 {
		l.wakeAt(time.Now().Add(delay))
	}
	return s
}

// flush starts what waits as soon as there are lanes.
func (l *lanes) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.urgent = len(l.waiting) > 0
	l.start()
}

// starve says that an upload waits for parts to be done with, until fed is called.
func (l *lanes) starve() (fed func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starved++
	l.start()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.starved--
	}
}

// finish waits for the sum; when ctx ends first, the sum is dropped.
func (l *lanes) finish(ctx context.Context, s *partSum) error {
	l.mu.Lock()
	s.wanted = true
	l.start()
	l.mu.Unlock()
	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
		l.drop(s)
		return context.Cause(ctx)
	}
}

// drop ends a sum nobody needs any more. When it returns the file is not read
// any more.
func (l *lanes) drop(s *partSum) {
	s.cancel()
	l.mu.Lock()
	if i := slices.Index(l.waiting, s); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		l.rest()
		l.mu.Unlock()
		s.err = context.Canceled
		close(s.done)
		return
	}
	l.mu.Unlock()
	<-s.done
}

// start moves sums from waiting to running; l.mu is held.
func (l *lanes) start() {
	if !l.ready() {
		return
	}
	n := min(len(l.waiting), laneCount-l.running)
	batch := l.waiting[:n]
	l.waiting = slices.Clone(l.waiting[n:])
	l.rest()
	l.running += n
	multi := l.running >= lanesWorth
	for _, s := range batch {
		if multi && s.size >= laneLeast {
			go l.run(s, l.hasher())
		} else {
			go l.run(s, md5.New()) //nolint:gosec // see above
		}
	}
}

// ready reports whether to start what waits. A part that is stored and only lacks its MD5 is not to
// keep another one from being read; l.mu is held.
func (l *lanes) ready() bool {
	return l.urgent || l.running == 0 && len(l.waiting) >= lanesBatch ||
		l.starved > 0 && slices.ContainsFunc(l.waiting, func(s *partSum) bool { return s.wanted })
}

// rest disarms the timer once nothing waits: one that stayed armed, or spent,
// would keep the next sum from getting its own; l.mu is held.
func (l *lanes) rest() {
	if len(l.waiting) > 0 {
		return
	}
	l.urgent = false
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}

// wake is what the timer does.
func (l *lanes) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
	l.urgent = len(l.waiting) > 0
	l.start()
}

func (l *lanes) wakeAt(due time.Time) {
	if l.timer != nil {
		if !due.Before(l.due) {
			return
		}
		l.timer.Stop()
	}
	l.due = due
	l.timer = time.AfterFunc(time.Until(due), l.wake)
}

// hasher lends a lane; l.mu is held. Lanes are reused, never closed one by
// one: md5simd does not forget closed ones and looks at each in every round.
func (l *lanes) hasher() hash.Hash {
	if l.server == nil {
		l.server = md5simd.NewServer()
		l.buffers.account(laneServerBytes)
	}
	if n := len(l.spare); n > 0 {
		h := l.spare[n-1]
		l.spare = l.spare[:n-1]
		h.Reset()
		return h
	}
	return l.server.NewHash()
}

func (l *lanes) run(s *partSum, h hash.Hash) {
	s.err = s.compute(h, l.buffers)
	close(s.done)
	s.cancel()

	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	if lane, ok := h.(md5simd.Hasher); ok {
		l.spare = append(l.spare, lane)
	}
	l.start()
	l.dismiss()
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
