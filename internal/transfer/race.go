package transfer

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/retry"
)

const (
	lookEvery = 500 * time.Millisecond // between two looks at the parts in flight
	lookBack  = 3                      // looks over which rates are measured
	mostPUTs  = 4                      // of one part in one race
	aging     = 0.9                    // of the best goodput, at each look while slots are taken
	// A part lags if it would take longer than lagging times the fastest one, and than leastLag.
	lagging  = 1.5
	leastLag = 2.0 // seconds
)

// errOvertaken ends a PUT of a part that another PUT stores.
var errOvertaken = errors.New("another PUT of the part is faster")

// races are the parts of one upload that are in flight. They let its last parts end together.
//
// A connection that has lost packets carries, for a long time, a fraction of what it did when it was
// new. So towards the end of a file, when slots are free and the goodput falls, a part that lags is
// sent by one more PUT over a new connection, a hedged request. The PUT that first hands over the last
// bytes stores the part. The others never send theirs: unless an answer is lost, no part is stored twice.
//
// Before that, a slot whose connection is slow is not filled again if each of the parts that wait would
// end earlier in another slot. net/http uses the connection that was used last, so a part goes to the next
// connection that is done.
//
// On an emulated line of 200 Mbit/s and 80 ms that loses one packet in a thousand, 256 MiB took 17.5 to
// 21.1 s without hedged requests (5 runs) and 15.5 to 19.4 s with them (8 runs). 512 MiB at 400 Mbit/s took
// 12.8 s when all slots were filled again, and 12.5 s when not (medians of 6 runs).
type races struct {
	engine *Engine
	size   int64 // bytes of each part but the last

	mu       sync.Mutex
	unsent   int // parts that are neither stored nor in flight
	granted  int // slots that parts are about to take
	racing   []*race
	fastest  time.Duration      // that the first PUT of a part took; 0: unknown
	past     int64              // bytes that had arrived by PUTs that are over
	looked   [lookBack]progress // at the latest looks, the newest first
	best     float64            // goodput, bytes per second
	declined bool               // storage has refused a PUT, so there are no hedged requests
}

// progress is how many bytes had arrived at some time.
type progress struct {
	at      time.Time
	arrived int64
}

// race is one part in flight, with one PUT or more.
type race struct {
	put     put                                   // the first one
	address func(context.Context) (string, error) // of a hedged one
	ctx     context.Context
	began   time.Time
	ended   chan *flight

	// Guarded by races.mu.
	flights []*flight
	made    int     // PUTs begun
	failed  bool    // a PUT has
	last    *flight // has handed over the last bytes; nil: none has
	left    float64 // seconds until the part has arrived by its fastest PUT; 0 while one is new
}

// flight is one PUT of a part.
type flight struct {
	*request
	stop   context.CancelCauseFunc
	begun  time.Time
	hedged bool
	looked [lookBack]progress // since it began to send, the newest first
	stored stored
	err    error
}

// send sends a part by one PUT to p.url, and by hedged ones while it lags. The error is that of the
// first PUT, or else of a hedged one.
func (rs *races) send(ctx context.Context, p put, address func(context.Context) (string, error)) (stored, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &race{put: p, address: address, ctx: ctx, began: time.Now(), ended: make(chan *flight)}
	rs.begin(r)
	var won *flight
	var failed error
	for over := false; !over; {
		f := <-r.ended
		switch {
		case f.err == nil:
			won = f
			cancel(errOvertaken)
		case errors.Is(f.err, errOvertaken):
		case failed == nil || !f.hedged:
			failed = f.err
			if !f.hedged && !transient(f.err) {
				cancel(f.err)
			}
		}
		over = rs.end(r, f, won != nil)
	}
	if won == nil {
		return stored{}, failed
	}
	if won.hedged {
		p.meter.hedged(p.size)
	}
	won.stored.repeated = failed != nil
	return won.stored, nil
}

// expect changes how many parts are to be sent.
func (rs *races) expect(parts int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.unsent += parts
}

func (rs *races) begin(r *race) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.unsent--
	rs.granted = max(rs.granted-1, 0)
	rs.racing = append(rs.racing, r)
	rs.fly(r, false)
}

// fly begins a PUT; rs.mu is held.
func (rs *races) fly(r *race, hedged bool) {
	f := &flight{begun: time.Now(), hedged: hedged}
	p := r.put
	if hedged {
		p.meter = nil
	}
	p.verify = func(ctx context.Context, crc uint64) error {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		if r.last != nil && r.last != f {
			return errOvertaken
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.last = f
		return r.put.verify(ctx, crc)
	}
	f.request = rs.engine.newRequest(p)
	ctx, stop := context.WithCancelCause(r.ctx)
	f.stop = stop
	r.flights = append(r.flights, f)
	r.made++
	go func() {
		defer stop(nil)
		if hedged {
			f.put.url, f.err = r.address(ctx)
			// The connections of parts that are stored have lost packets, too.
			(&http.Client{Transport: rs.engine.cfg.Transport}).CloseIdleConnections()
		}
		if f.err == nil {
			f.stored, f.err = f.send(ctx)
		}
		if cause := context.Cause(ctx); f.err != nil && cause != nil {
			f.err = cause
		}
		r.ended <- f
	}()
}

// end notes that a PUT has ended, and reports whether none is left.
func (rs *races) end(r *race, f *flight, won bool) (over bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r.flights = slices.DeleteFunc(r.flights, func(other *flight) bool { return other == f })
	if f.err == nil {
		rs.past += f.put.size // another PUT may have the connection by now
	} else {
		rs.past += f.arrived()
	}
	if _, refused := errors.AsType[*StatusError](f.err); refused {
		rs.declined = true
	}
	took := time.Since(f.begun)
	if f.hedged {
		rs.engine.schedule.sending.release()
	} else if f.err == nil && f.put.size == rs.size && (rs.fastest == 0 || took < rs.fastest) {
		rs.fastest = took
	}
	if f.err != nil && r.last == f {
		r.last = nil
	}
	r.failed = r.failed || f.err != nil
	if len(r.flights) > 0 {
		return false
	}
	rs.racing = slices.DeleteFunc(rs.racing, func(other *race) bool { return other == r })
	if won {
		rs.narrow(time.Since(r.began))
	} else {
		rs.unsent++
		rs.engine.schedule.adaption.widen()
	}
	return true
}

// watch looks at the parts in flight until stop is called.
func (rs *races) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for retry.Sleep(ctx, lookEvery) == nil {
			rs.look()
		}
	})
	return func() { cancel(); watching.Wait() }
}

// look begins hedged PUTs of the parts that would take longest, as many as the goodput leaves room for.
// It ends all of them when another PUT waits for a slot.
func (rs *races) look() {
	_, _, waiting := rs.engine.schedule.sending.usage()
	rs.mu.Lock()
	defer rs.mu.Unlock()
	young := rs.measure(waiting)
	if waiting {
		for _, r := range rs.racing {
			for _, f := range r.flights {
				if f.hedged && f != r.last {
					f.stop(errOvertaken)
				}
			}
		}
	}
	if waiting || rs.fastest == 0 || rs.declined {
		return
	}
	worth := max(lagging*rs.fastest.Seconds(), leastLag)
	expected := float64(rs.size) / worth // goodput of a hedged PUT
	goodput := speed(rs.looked) + float64(young+1)*expected
	slices.SortFunc(rs.racing, func(a, b *race) int { return cmp.Compare(b.left, a.left) })
	for _, r := range rs.racing {
		if r.left <= worth || goodput > rs.best {
			return
		}
		if r.last != nil || r.failed || r.made == mostPUTs {
			continue
		}
		if !rs.engine.schedule.sending.try() {
			return
		}
		rs.fly(r, true)
		goodput += expected
	}
}

// measure takes the rates, and returns how many PUTs are too new to have one; rs.mu is held.
func (rs *races) measure(waiting bool) (young int) {
	now, total := time.Now(), rs.past
	for _, r := range rs.racing {
		r.left = math.Inf(1)
		for _, f := range r.flights {
			arrived := f.arrived()
			total += arrived
			if f.sent.Load() > 0 {
				look(&f.looked, progress{now, arrived})
			}
			if f.looked[lookBack-1].at.IsZero() {
				young++
				r.left = 0
			}
			r.left = min(r.left, float64(f.put.size-arrived)/max(speed(f.looked), 1))
		}
	}
	look(&rs.looked, progress{now, total})
	if waiting { // an earlier goodput may be that of a line that was faster
		rs.best *= aging
	}
	rs.best = max(rs.best, speed(rs.looked))
	return young
}

func look(looked *[lookBack]progress, p progress) {
	copy(looked[1:], looked[:])
	looked[0] = p
}

// speed is in bytes per second, 0 if it is not known yet.
func speed(looked [lookBack]progress) float64 {
	first, last := looked[lookBack-1], looked[0]
	if first.at.IsZero() {
		return 0
	}
	return float64(last.arrived-first.arrived) / last.at.Sub(first.at).Seconds()
}
