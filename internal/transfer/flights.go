package transfer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	lookEvery = 250 * time.Millisecond // between two looks at a part in flight
	mostPUTs  = 4                      // of one part, in one turn
)

var (
	// errOvertaken ends a PUT of a part that another PUT stores.
	errOvertaken = errors.New("another PUT of the part is faster")
	// errGrounded withholds the last bytes of a part whose upload has ended.
	errGrounded = errors.New("the upload has ended")
	// errSurplus ends a PUT that is made again when fewer are in flight.
	errSurplus = errors.New("too many PUTs are in flight")
)

// flights are the PUTs of one part that are in flight: a PUT, and a second one if the first lags.
//
// A connection that has lost packets carries, for a long time, a fraction of what it did when it
// was new. So a part that lags is sent once more, over a new connection. The PUT that first comes
// to its last bytes sends them, the others do not: no part is stored twice.
//
// A PUT whose answer is late is sent once more, too. Then both may be stored, and the one that is
// answered first counts. That is allowed only where ETags are MD5s: otherwise nobody can tell whose
// ETag the part ends with.
//
// A single PUT is sent once: two would make two objects.
type flights struct {
	sender  *sender
	turn    *pace.Turn
	size    int64                                 // bytes of the part
	address func(context.Context) (string, error) // for another PUT
	md5s    func() bool                           // whether storage is known to have MD5s for ETags

	mu     sync.Mutex
	flying []*flight // in flight, and the one that has stored the part
	made   int
	last   *flight // sends the last bytes, or has sent them; nil: none

	grounded bool // nobody sends them any more
}

// flight is one PUT.
type flight struct {
	*request
	lastSent time.Time // when it was allowed to send its last bytes
	end      func()    // of another PUT: gives its slot back
	stored   stored
	err      error
}

// handed returns how many bytes of the part were handed over.
func (fs *flights) handed() (most int64) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.flying {
		most = max(most, f.handed.Load())
	}
	return most
}

// progress returns how many bytes of the part were handed over, and how many it has.
func (fs *flights) progress() (handed, all int64) { return fs.handed(), fs.size }

// send sends a part. It returns the first PUT's error, else the second's.
func (fs *flights) send(ctx context.Context, p put) (res stored, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan *flight, mostPUTs)
	fs.begin(ctx, p, &flight{}, ended)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var won *flight
	var failed error
	for inFlight := 1; inFlight > 0; {
		select {
		case f := <-ended:
			inFlight--
			fs.ended(f)
			switch {
			case f.err == nil && won == nil:
				won = f
				fs.turn.Stored(fs.size, f.began, f.lastSent)
				cancel(errOvertaken)
			case f.err == nil || errors.Is(f.err, errOvertaken):
			case failed == nil || f.end == nil:
				if failed = f.err; f.end == nil && kindOf(f.err) == retry.Final {
					cancel(f.err)
				}
			}
		case <-look.C:
			switch {
			case failed != nil || won != nil || p.part == 0:
			case inFlight == 1 && fs.turn.Surplus(fs.handed(), fs.size):
				cancel(errSurplus)
			case fs.repeat(ctx, p, ended):
				inFlight++
			}
		}
	}
	if won == nil {
		return stored{}, failed
	}
	won.stored.repeated = failed != nil
	return won.stored, nil
}

// begin begins a PUT.
func (fs *flights) begin(ctx context.Context, p put, f *flight, ended chan<- *flight) {
	p.last = func() error { return fs.sendsLast(f) }
	f.request = &request{put: p, sender: fs.sender}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.flying = append(fs.flying, f)
	fs.made++
	go func() {
		if f.end != nil {
			f.url, f.err = fs.address(ctx)
		}
		if f.err == nil {
			f.stored, f.err = f.send(ctx)
		}
		if cause := context.Cause(ctx); f.err != nil && cause != nil {
			f.err = cause
		}
		ended <- f
	}()
}

// sendsLast lets a PUT send the last bytes, unless another one does.
func (fs *flights) sendsLast(f *flight) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.grounded {
		return errGrounded
	}
	if fs.last != nil && fs.last != f {
		return errOvertaken
	}
	fs.last, f.lastSent = f, time.Now()
	return nil
}

// lands reports whether the part may still be stored: soon allows it, or its last bytes are sent.
// If not, they are withheld: a PUT that is cut off then stores nothing.
func (fs *flights) lands(soon bool) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.grounded = fs.last == nil && !soon
	return !fs.grounded
}

// ended notes that a PUT has ended.
func (fs *flights) ended(f *flight) {
	if f.end != nil {
		f.end()
	}
	if f.err == nil {
		return
	}
	if _, refused := errors.AsType[*StatusError](f.err); refused {
		fs.turn.Refused()
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.flying = slices.DeleteFunc(fs.flying, func(o *flight) bool { return o == f })
	if fs.last == f {
		fs.last = nil
	}
}

// repeat begins another PUT if the only one lags, or if its answer is late.
func (fs *flights) repeat(ctx context.Context, p put, ended chan<- *flight) bool {
	fs.mu.Lock()
	only := fs.flying[0]
	alone, last, lastSent := len(fs.flying) == 1 && fs.made < mostPUTs, fs.last == only, only.lastSent
	fs.mu.Unlock()
	late := last && fs.md5s() && fs.turn.Late(lastSent)
	if !alone || !late && (last || !fs.turn.Lags()) {
		return false
	}
	f := &flight{}
	ctx, stop := context.WithCancelCause(ctx)
	end, ok := fs.turn.Again(func() {
		fs.mu.Lock()
		defer fs.mu.Unlock()
		if fs.last != f {
			stop(errOvertaken)
		}
	})
	if !ok {
		stop(nil)
		return false
	}
	f.end = func() { stop(nil); end() }
	if late {
		fs.mu.Lock()
		fs.last = nil
		fs.mu.Unlock()
	}
	fs.begin(ctx, p, f, ended)
	return true
}
