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
	lookBack  = 3                      // looks over which the rate of a PUT is measured
	mostPUTs  = 4                      // of one part in one race
	// A part lags if it would take longer than lagging times the fastest one, and than leastLag.
	lagging  = 1.5
	leastLag = 2.0 // seconds
)

// errOvertaken ends a PUT of a part that another PUT stores.
var errOvertaken = errors.New("another PUT of the part is faster")

// races are the parts of one upload that are in flight.
//
// A connection that has lost packets carries, for a long time, a fraction of what it did when it was
// new. So towards the end of a file, when slots are free and the goodput falls, a part that lags is
// sent by one more PUT over a new connection, a hedged request. The PUT that first comes to the last
// bytes stores the part. The others never send theirs, so that no part is stored twice.
//
// On an emulated line of 200 Mbit/s and 80 ms that loses one packet in a thousand, 256 MiB took 18.5 s
// without further PUTs and 16.8 s with them (medians of 5 and 7 runs).
type races struct {
	engine *Engine
	size   int64 // bytes of each part but the last

	mu      sync.Mutex
	racing  []*race
	fastest time.Duration // that the first PUT of a part took; 0: unknown
	best    float64       // goodput, bytes per second
}

// race is one part in flight, with one PUT or more.
type race struct {
	put     put                                   // the first one
	address func(context.Context) (string, error) // of a further one
	ctx     context.Context
	ended   chan *flight

	// Guarded by races.mu.
	flights []*flight
	begun   int
	failed  bool    // a PUT has
	last    *flight // sends the last bytes; nil: none has come to them
	left    float64 // seconds until the part has arrived, at the rate of its fastest PUT
}

// flight is one PUT of a part.
type flight struct {
	*request
	further bool            // not the first one of the part
	before  [lookBack]int64 // bytes that had arrived at the latest looks, the newest first
	looks   int
	stored  stored
	err     error
}

// send sends a part by one PUT to p.url, and by further ones while it lags. The error is that of the PUT
// which failed first.
func (rs *races) send(ctx context.Context, p put, address func(context.Context) (string, error)) (stored, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &race{put: p, address: address, ctx: ctx, ended: make(chan *flight)}
	rs.begin(r)
	var won *flight
	var failed error
	for over := false; !over; {
		f := <-r.ended
		switch {
		case f.err == nil:
			won = f
			cancel(errOvertaken)
		case failed == nil && !errors.Is(f.err, errOvertaken):
			failed = f.err
		}
		over = rs.end(r, f)
	}
	if won == nil {
		return stored{}, failed
	}
	if won.further {
		p.meter.add(p.size)
	}
	return won.stored, nil
}

func (rs *races) begin(r *race) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.racing = append(rs.racing, r)
	rs.fly(r, &flight{})
}

// fly begins a PUT; rs.mu is held.
func (rs *races) fly(r *race, f *flight) {
	p := r.put
	if f.further {
		p.meter = nil
	}
	p.verify = func(ctx context.Context, crc uint64) error {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		if r.last != nil && r.last != f {
			return errOvertaken
		}
		r.last = f
		return r.put.verify(ctx, crc)
	}
	f.request = rs.engine.newRequest(p)
	r.flights = append(r.flights, f)
	r.begun++
	go func() {
		if f.further {
			f.put.url, f.err = r.address(r.ctx)
		}
		if f.err == nil {
			f.stored, f.err = f.send(r.ctx)
		}
		r.ended <- f
	}()
}

// end notes that a PUT has ended, and reports whether none is left.
func (rs *races) end(r *race, f *flight) (over bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r.flights = slices.DeleteFunc(r.flights, func(other *flight) bool { return other == f })
	switch took := time.Since(f.began); {
	case f.further:
		rs.engine.schedule.sending.release()
	case f.err == nil && f.put.size == rs.size && (rs.fastest == 0 || took < rs.fastest):
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

// look begins further PUTs of the parts that would take longest, as many as the goodput leaves room for.
func (rs *races) look() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	goodput, young := 0.0, 0
	for _, r := range rs.racing {
		r.left = math.Inf(1)
		for _, f := range r.flights {
			switch rate, left, known := f.look(); {
			case known:
				goodput += rate
				r.left = min(r.left, left/max(rate, 1))
			default:
				young++
				r.left = 0
			}
		}
	}
	rs.best = max(rs.best, goodput)
	if rs.fastest == 0 {
		return
	}
	worth := max(lagging*rs.fastest.Seconds(), leastLag)
	expected := float64(rs.size) / worth // goodput of a further PUT
	goodput += float64(young+1) * expected
	slices.SortFunc(rs.racing, func(a, b *race) int { return cmp.Compare(b.left, a.left) })
	for _, r := range rs.racing {
		if r.left <= worth || goodput > rs.best {
			return
		}
		if r.last != nil || r.failed || r.begun == mostPUTs {
			continue
		}
		if !rs.engine.schedule.sending.try() {
			return
		}
		// The connections of parts that are stored have lost packets, too.
		(&http.Client{Transport: rs.engine.cfg.Transport}).CloseIdleConnections()
		rs.fly(r, &flight{further: true})
		goodput += expected
	}
}

// look returns the rate of a PUT over the latest looks, in bytes per second, and how many bytes are left.
// The rate is not known before the PUT has been looked at as often.
func (f *flight) look() (rate, left float64, known bool) {
	arrived := f.arrived()
	rate = float64(arrived-f.before[lookBack-1]) / (lookBack * lookEvery.Seconds())
	known = f.looks >= lookBack
	copy(f.before[1:], f.before[:])
	f.before[0] = arrived
	f.looks++
	return rate, float64(f.put.size - arrived), known
}
