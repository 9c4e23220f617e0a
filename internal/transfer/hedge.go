package transfer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/pace"
)

const lookEvery = 250 * time.Millisecond // between two looks at a part in flight

// errOvertaken ends a PUT of a part that another PUT stores.
var errOvertaken = errors.New("another PUT of the part is faster")

// race is the PUTs of one part that are in flight: a PUT, and a second one if the first lags.
//
// A connection that has lost packets carries, for a long time, a fraction of what it did when it
// was new. So a part that lags is sent once more. The PUT that first comes to its last bytes sends
// them, the other one does not: no part is stored twice, which would change its ETag with KMS.
type race struct {
	*sender

	put     put
	address func(context.Context) (string, error) // for a second PUT
	turn    *pace.Turn
	ended   chan finisher

	mu   sync.Mutex
	last *request // the one that sends the last bytes; nil: none yet
}

// finisher is a PUT that has ended.
type finisher struct {
	*request

	stored stored
	err    error
}

// run returns the PUT that has stored the part, or else one that has failed. The PUTs end with
// late, and the second one begins only before ctx ends.
func (r *race) run(ctx, late context.Context) (won finisher) {
	late, cancel := context.WithCancelCause(late)
	defer cancel(nil)
	r.ended = make(chan finisher, 2)
	first := r.begin(late, func(context.Context) (string, error) { return r.put.url, nil })
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	mayHedge := r.put.part > 0 // two single PUTs could make two objects
	endHedge := func() {}
	defer func() { endHedge() }()
	for inFlight := 1; inFlight > 0; {
		select {
		case f := <-r.ended:
			inFlight--
			mayHedge = false
			if won.request == nil || won.err != nil && !errors.Is(f.err, errOvertaken) {
				won = f
			}
			if f.err == nil {
				cancel(errOvertaken)
			}
		case <-look.C:
			if !mayHedge || ctx.Err() != nil || r.hasSentAll() {
				continue
			}
			if end, ok := r.turn.Hedge(time.Since(first.began), first.handed.Load(), r.put.section.Size); ok {
				endHedge, mayHedge = end, false
				r.begin(late, r.address)
				inFlight++
			}
		}
	}
	return won
}

// begin begins a PUT.
func (r *race) begin(ctx context.Context, address func(context.Context) (string, error)) *request {
	q := &request{put: r.put, sender: r.sender, began: time.Now()}
	q.last = func() error { return r.sendsLast(q) }
	go func() {
		f := finisher{request: q}
		if q.url, f.err = address(ctx); f.err == nil {
			f.stored, f.err = q.send(ctx)
		}
		r.ended <- f
	}()
	return q
}

// sendsLast lets a PUT send the last bytes, unless another one does.
func (r *race) sendsLast(q *request) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && r.last != q {
		return errOvertaken
	}
	r.last = q
	return nil
}

func (r *race) hasSentAll() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last != nil
}
