package pace

import (
	"slices"
	"time"
)

const (
	latestPUTs = 9                      // that tell how long another PUT takes
	beginning  = 1. / 8                 // share of a PUT whose rate says nothing: the system takes the first bytes at once
	leastLag   = 500 * time.Millisecond // left of a PUT that lags
	lag        = 1.25                   // the same, times what another PUT takes
)

// times are those of the latest PUTs of one upload. A connection that has lost packets carries, for
// a long time, a fraction of what others do.
type times struct {
	size   int64 // bytes of these PUTs: the last part of a file, which is smaller, does not count
	latest []time.Duration
}

func (t *times) add(size int64, took time.Duration) {
	if size > t.size {
		t.size, t.latest = size, nil
	}
	if size == t.size {
		t.latest = append(t.latest, took)
		t.latest = t.latest[max(0, len(t.latest)-latestPUTs):]
	}
}

// lags reports whether the rest of a PUT takes longer, at its rate so far, than another PUT of the
// same content would, as far as that is known.
func (t *times) lags(elapsed time.Duration, sent, all int64) bool {
	if len(t.latest) == 0 {
		return false
	}
	another := slices.Min(t.latest)
	if float64(sent) < beginning*float64(all) && elapsed <= another {
		return false // it has just begun
	}
	rest := time.Duration(float64(elapsed) * float64(all-sent) / float64(max(sent, 1)))
	return rest >= max(leastLag, time.Duration(lag*float64(another)))
}
