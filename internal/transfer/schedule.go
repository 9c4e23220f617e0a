package transfer

import (
	"context"
	"sync/atomic"
	"time"
)

// freshAddress is the longest time that an address may wait for its PUT. Addresses expire, which
// would cost a refused PUT. It is shorter than any usual lifetime.
const freshAddress = time.Minute

// schedule decides when the PUTs of all uploads begin. A PUT passes two semaphores. Both serve the
// uploads in turn, and the PUTs of one upload in order. They have the same number of slots:
//
//  1. asking: the PUT asks for its address, and keeps it until it may begin. So connections do not
//     wait for addresses, and as many addresses at most wait as PUTs are in flight.
//  2. sending: the PUT is in flight.
type schedule struct {
	asking, sending *semaphore
	slow            atomic.Bool // the latest PUT took so long that no address should wait for one
	ahead           *readAhead  // of files, for the slots
	adaption        *adaption   // changes the number of slots; nil: fixed
}

// newSchedule makes a schedule with a fixed number of slots, or, if it is 0, with as many as raise
// the goodput.
func newSchedule(slots int) *schedule {
	fixed := slots > 0
	if !fixed {
		slots = levels[firstLevel]
	}
	s := &schedule{asking: newSemaphore(slots), sending: newSemaphore(slots), ahead: &readAhead{slots: slots}}
	s.asking.then = s.sending // not when the address is there: PUTs begin in order
	if !fixed {
		s.adaption = newAdaption(s)
	}
	return s
}

func (s *schedule) resize(slots int) {
	s.asking.resize(slots)
	s.sending.resize(slots)
	s.ahead.resize(slots)
}

// newUpload returns the queue of a further upload.
func (s *schedule) newUpload() *queue { return &queue{then: &queue{}} }

// enqueue takes the next place of an upload without waiting. The caller must call run for it.
func (s *schedule) enqueue(of *queue) *waiter { return s.asking.enqueue(of) }

// run calls address when few PUTs are before this one, and put when this one may begin. An error
// of address is passed to put only then: until then, PUTs that have begun may succeed. As long as
// put says so, both are called again at once, so that the new address is a fresh one. The error is
// the context's if it ends before put is called.
func (s *schedule) run(ctx context.Context, place *waiter, address func(context.Context) (string, error), put func(url string, err error) (again bool)) error {
	if err := s.asking.wait(ctx, place); err != nil {
		if place.then != nil {
			_ = s.sending.wait(ctx, place.then) // gives the place up, as ctx is over
		}
		return err
	}
	var asked time.Time
	var url string
	var failed error
	if !s.slow.Load() {
		asked = time.Now()
		url, failed = address(ctx)
	}
	err := s.sending.wait(ctx, place.then)
	s.asking.release()
	if err != nil {
		return err
	}
	defer s.sending.release()
	if failed == nil && time.Since(asked) > freshAddress {
		url, failed = address(ctx)
	}
	began := time.Now()
	for put(url, failed) {
		url, failed = address(ctx)
	}
	s.slow.Store(time.Since(began) > freshAddress)
	return nil
}
