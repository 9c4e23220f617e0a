package transfer

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/minio/crc64nvme"
)

const (
	// refusalGrace is how long Close waits for the beginning of a response. The response has
	// reached this machine before the connection broke.
	refusalGrace = 2 * time.Second
	// answerGrace is how long Close waits for the rest of the response.
	answerGrace = 10 * time.Second
)

var errBodyStopped = errors.New("the request is over")

// body is the request body of a PUT: a section of a file, read from the page cache straight into the
// transport's buffer.
//
// net/http drops the response of a server that refuses early and closes the connection, because the
// write error gets to RoundTrip first. But the transport closes the body before it passes that error
// on, and accepts a response until then. So Close of a body that was cut short waits for the response.
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
	over    bool // all is read, or reading failed: there is no early response to wait for
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
	// The transport has sent what it got before. The time until it gets more is spent here, so it
	// does not count as a stall.
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
		// Withhold the last bytes unless the whole section is what was hashed.
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

// stop makes further reads fail, waits for one in progress and reports whether all was read.
func (b *body) stop() (complete bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	return b.left == 0
}
